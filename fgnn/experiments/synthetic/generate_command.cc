// fgnn generate: instances of the synthetic models as files.
#include <fmt/core.h>

#include <filesystem>

#include "fgnn/core/error.h"
#include "fgnn/experiments/synthetic/choice.h"
#include "fgnn/experiments/synthetic/commands.h"
#include "fgnn/io/files.h"

namespace fgnn::synthetic {
namespace {

void write_folder(const std::filesystem::path& folder, const SyntheticOptions& options,
                  std::uint64_t first, std::uint64_t count, const Control& control) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorCode::io, folder.string(), "cannot be made: " + error.message());
  Stage stage(control, "generate", static_cast<double>(count));
  for (std::uint64_t i = first; i < first + count; ++i) {
    control.end_if_stopped(folder.string(), fmt::format("{} instances were written", i - first));
    const auto name = fmt::format("{}-{}-{:06}.fgt", options.dataset, options.seed, i);
    write_graph(synthetic_instance(options, i).graph(), folder / name);
    stage.advance();
  }
}

experiments::Output generate(const experiments::Arguments& given) {
  const SyntheticOptions options =
      chosen_instances(given.text("MODEL"), given.whole("--seed"), given);
  const std::string out = given.text("--out");
  const std::uint64_t first = given.whole("--first"), count = given.whole("--count");
  std::error_code failure;
  const bool folder = std::filesystem::is_directory(out, failure);
  if (count > 1 && out == "-") {
    throw Error(ErrorCode::usage, "--out", "several instances need a folder to go to",
                "write for example --out instances");
  }
  if (count > 1 || folder) {
    write_folder(out, options, first, count, given.control);
  } else {
    write_graph(synthetic_instance(options, first).graph(), out, out == "-" ? "fgt" : "");
  }
  return {};
}

}  // namespace

experiments::Command generate_command() {
  using Kind = experiments::Option::Kind;
  std::vector<experiments::Option> options{
      {.name = "MODEL", .help = "D1, D2, D3, D4, tree or D5", .required = true},
      {"--out", "PATH", "The file, or for several instances the folder", Kind::text, "-"},
      {"--seed", "N", "Seed of the instances", Kind::whole, "0"}};
  for (auto& option : instance_options()) options.push_back(std::move(option));
  return {.name = "generate",
          .summary = "Instances of the paper's synthetic models",
          .help =
              "Writes one instance to standard output or to a file, several to a folder as\n"
              "MODEL-SEED-NUMBER.fgt. A seed and a number give the same instance everywhere. "
              "The models:\n"
              "chains of binary variables with budgets (D1, D2, D3) or without (D4), binary "
              "trees (tree), and\n"
              "grids with budgets (D5).",
          .examples = {"fgnn generate D3 --seed 7",
                       "fgnn generate D3 --seed 7 --count 10 --out instances"},
          .options = std::move(options),
          .run = generate,
          .json = false};
}

}  // namespace fgnn::synthetic
