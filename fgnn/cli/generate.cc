// fgnn generate: instances of the synthetic models as files.
#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/control.h"
#include "fgnn/cli/options.h"
#include "fgnn/cli/synthetic.h"
#include "fgnn/core/error.h"
#include "fgnn/io/files.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::string dataset, out = "-";
  std::uint64_t seed = 0;
  SyntheticChoice choice;
};

FactorGraph instance(const synthetic::SyntheticOptions& synthetic, std::uint64_t number) {
  return synthetic::synthetic_instance(synthetic, number).graph();
}

void write_folder(const Options& options, const synthetic::SyntheticOptions& synthetic) {
  const std::filesystem::path folder = options.out;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorCode::io, options.out, "cannot be made: " + error.message());
  const Control watched = control();
  Stage stage(watched, "generate", static_cast<double>(options.choice.count));
  for (std::uint64_t i = 0; i < options.choice.count; ++i) {
    end_if_interrupted(options.out, fmt::format("{} instances were written", i));
    const std::uint64_t number = options.choice.first + i;
    const auto name = fmt::format("{}-{}-{:06}.fgt", options.dataset, options.seed, number);
    write_graph(instance(synthetic, number), folder / name);
    stage.advance();
  }
}

void generate(const Options& options) {
  const synthetic::SyntheticOptions synthetic =
      options.choice.options(options.dataset, options.seed);
  std::error_code failure;
  const bool folder = std::filesystem::is_directory(options.out, failure);
  if (options.choice.count > 1 && options.out == "-") {
    throw Error(ErrorCode::usage, "--out", "several instances need a folder to go to",
                "write for example --out instances");
  }
  if (options.choice.count > 1 || folder) return write_folder(options, synthetic);
  const FactorGraph graph = instance(synthetic, options.choice.first);
  write_graph(graph, options.out, options.out == "-" ? "fgt" : "");
}

}  // namespace

void add_generate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "generate", "Instances of the paper's synthetic models",
      "Writes one instance to standard output or to a file, several to a folder as\n"
      "MODEL-SEED-NUMBER.fgt. A seed and a number give the same instance everywhere. The models:\n"
      "chains of binary variables with budgets (D1, D2, D3) or without (D4), binary trees (tree), "
      "and\n"
      "grids with budgets (D5).",
      {"fgnn generate D3 --seed 7", "fgnn generate D3 --seed 7 --count 10 --out instances"});
  command->add_option("MODEL", options->dataset, "D1, D2, D3, D4, tree or D5")
      ->required()
      ->type_name("");
  command->add_option("--out", options->out, "The file, or for several instances the folder")
      ->type_name("PATH")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the instances")
      ->check(not_negative())
      ->type_name("N");
  options->choice.declare(*command);
  command->callback([options] { generate(*options); });
}

}  // namespace fgnn::cli
