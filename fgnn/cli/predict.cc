// fgnn predict: what trained networks say of a user's own data.
#include <fmt/format.h>

#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/warning.h"
#include "fgnn/experiments/molecules/molecule_file.h"
#include "fgnn/experiments/molecules/predictor.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string model = "molecules";
  SolverOptions solver;
  OutputOptions output;
};

// Digits that mean something: as many as the target's deviation over QM9 asks for.
std::string number(std::size_t target, double value) {
  const bool energy = molecules::targets()[target].file_unit == "Ha";
  return fmt::format("{:.{}f}", value, energy ? 5 : 3);
}

Json json_of(const molecules::Predictor& predictor, const molecules::Prediction& p,
             const std::string& file) {
  Json values = Json::object();
  for (std::size_t k = 0; k < p.values.size(); ++k) {
    const auto& target = molecules::targets()[predictor.targets()[k]];
    values[std::string(target.name)] = {{"value", p.values[k]}, {"unit", target.file_unit}};
  }
  return {{"file", file},     {"name", p.name},         {"formula", p.formula},
          {"targets", values}, {"warnings", p.warnings}};
}

void run(const Options& o) {
  const auto predictor = molecules::Predictor::load(o.model);
  const int threads = o.solver.threads > 0 ? o.solver.threads : default_threads();
  std::vector<TextTable::Column> columns{{"molecule"}, {"formula"}};
  for (const std::size_t t : predictor.targets()) {
    const auto& target = molecules::targets()[t];
    columns.push_back({fmt::format("{} {}", target.name, target.file_unit), Align::right});
  }
  TextTable table(columns);
  Json list = Json::array();
  for (const auto& file : o.files) {
    const auto set = molecules::read_molecules(file, {}, threads);
    for (const auto& p : predictor.predict(set, threads)) {
      for (const auto& warning : p.warnings) warn(p.name, warning);
      if (o.output.json) {
        list.push_back(json_of(predictor, p, file));
        continue;
      }
      std::vector<std::string> row{p.name, p.formula};
      for (std::size_t k = 0; k < predictor.targets().size(); ++k) {
        row.push_back(p.values.empty() ? "-" : number(predictor.targets()[k], p.values[k]));
      }
      table.add(std::move(row));
    }
  }
  o.output.deliver(o.output.json ? json_text(list) : table.text(o.output.rows()));
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* predict =
      add_command(app, "predict", "What trained networks say of your own data",
                  "Networks that come with the program, or your own (fgnn train).",
                  {"fgnn predict molecules ethanol.xyz"});
  predict->require_subcommand(1);
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      *predict, "molecules", "Twelve properties of molecules",
      "Reads .xyz, .sdf, .mol, .smi and QM9's .safetensors; prints dipole moment, polarisability,\n"
      "orbital energies, extent, zero-point energy, energies, enthalpy, free energy and heat "
      "capacity of\neach molecule as at the level of QM9 (B3LYP/6-31G(2df,p)), and warns where it is "
      "unlike those\ntrained on.",
      {"fgnn predict molecules ethanol.xyz aspirin.sdf", "fgnn predict molecules list.smi --json"});
  command->add_option("FILE", options->files, "Molecules")->required()->type_name("");
  command
      ->add_option("--model", options->model,
                   "A file, the folder of a training, or a network that comes with the program")
      ->type_name("MODEL")
      ->capture_default_str();
  options->solver.declare_threads(*command);
  options->output.declare(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
