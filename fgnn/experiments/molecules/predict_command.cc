// fgnn predict molecules: targets of a user's own molecules.
#include <fmt/format.h>

#include "fgnn/core/warning.h"
#include "fgnn/experiments/molecules/commands.h"
#include "fgnn/experiments/molecules/molecule_file.h"
#include "fgnn/experiments/molecules/predictor.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text_table.h"

namespace fgnn::molecules {
namespace {

// Digits that mean something.
std::string number(std::size_t target, double value) {
  return fmt::format("{:.{}f}", value, targets()[target].file_unit == "Ha" ? 5 : 3);
}

Json json_of(const Predictor& predictor, const Prediction& p, const std::string& file) {
  Json values = Json::object();
  for (std::size_t k = 0; k < p.values.size(); ++k) {
    const Target& target = targets()[predictor.targets()[k]];
    values[std::string(target.name)] = {{"value", p.values[k]}, {"unit", target.file_unit}};
  }
  return {{"file", file},
          {"name", p.name},
          {"formula", p.formula},
          {"targets", values},
          {"warnings", p.warnings}};
}

experiments::Output run(const experiments::Arguments& given) {
  const auto predictor = Predictor::load(given.text("--model"));
  std::vector<TextTable::Column> columns{{"molecule"}, {"formula"}};
  for (const std::size_t t : predictor.targets()) {
    columns.push_back(
        {fmt::format("{} {}", targets()[t].name, targets()[t].file_unit), Align::right});
  }
  TextTable table(columns);
  Json list = Json::array();
  for (const auto& file : given.list("FILE")) {
    const auto set = read_molecules(file, {}, given.threads);
    for (const auto& p : predictor.predict(set, given.threads)) {
      for (const auto& warning : p.warnings) warn(p.name, warning);
      list.push_back(json_of(predictor, p, file));
      std::vector<std::string> row{p.name, p.formula};
      for (std::size_t k = 0; k < predictor.targets().size(); ++k) {
        row.push_back(p.values.empty() ? "-" : number(predictor.targets()[k], p.values[k]));
      }
      table.add(std::move(row));
    }
  }
  return {table.text(given.rows), json_text(Json{{"molecules", std::move(list)}})};
}

}  // namespace

experiments::Command predict_command() {
  using Kind = experiments::Option::Kind;
  return {.name = "predict molecules",
          .summary = "Twelve properties of molecules",
          .help =
              "Reads .xyz, .sdf, .mol, .smi and QM9's .safetensors; prints dipole moment, "
              "polarisability,\norbital energies, extent, zero-point energy, energies, enthalpy, "
              "free energy and heat capacity\nof each molecule at the level of QM9 "
              "(B3LYP/6-31G(2df,p)), and warns where it is unlike those\ntrained on.",
          .examples = {"fgnn predict molecules ethanol.xyz aspirin.sdf",
                       "fgnn predict molecules list.smi --json"},
          .options = {{.name = "FILE", .help = "Molecules", .kind = Kind::list, .required = true},
                      {"--model", "MODEL",
                       "A file, the folder of a training, or a network that comes with the program",
                       Kind::text, "molecules"}},
          .run = run,
          .out = true,
          .threads = true};
}

}  // namespace fgnn::molecules
