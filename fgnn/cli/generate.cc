// fgnn generate: instances of the models that experiments make, as files.
#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/control.h"
#include "fgnn/cli/data_options.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/experiments/graph_family.h"
#include "fgnn/io/files.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::string model, out = "-", format;
  std::uint64_t seed = 0;
  DataOptions families;
};

using Instance = std::function<FactorGraph(std::uint64_t)>;

struct Numbers {
  std::uint64_t first = 0, count = 1;
};

void write_folder(const Options& options, const Instance& instance, Numbers numbers) {
  const std::filesystem::path folder = options.out;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorCode::io, folder.string(), "cannot be made: " + error.message());
  const std::string ending = options.format.empty() ? "fgt" : options.format;
  Stage stage(control(), "generate", static_cast<double>(numbers.count));
  for (std::uint64_t i = 0; i < numbers.count; ++i) {
    control().end_if_stopped(folder.string(), fmt::format("{} instances were written", i));
    const auto name =
        fmt::format("{}-{}-{:06}.{}", options.model, options.seed, numbers.first + i, ending);
    write_graph(instance(numbers.first + i), folder / name, options.format);
    stage.advance();
  }
}

void generate(const Options& options) {
  experiments::Arguments given = options.families.get();
  given.seed = options.seed;
  const Instance instance =
      experiments::family_of_model(options.model).graphs(options.model, given);
  const Numbers numbers{given.whole("--first"), given.whole("--count")};
  std::error_code failure;
  const bool to_folder = numbers.count > 1 || std::filesystem::is_directory(options.out, failure);
  if (to_folder && options.out == "-") {
    throw Error(ErrorCode::usage, "--out", "several instances need a folder to go to",
                "write for example --out instances");
  }
  if (to_folder) return write_folder(options, instance, numbers);
  const std::string format = options.format.empty() && options.out == "-" ? "fgt" : options.format;
  write_graph(instance(numbers.first), options.out, format);
}

std::string help() {
  std::string text =
      "Writes one instance to standard output or to a file, several to a folder as\n"
      "MODEL-SEED-NUMBER.fgt. A seed and a number give the same instance everywhere. The models:\n";
  for (const auto* family : experiments::graph_families()) {
    for (const auto& model : family->models) {
      text += fmt::format("  {:<9} {}\n", model.name, model.description);
    }
  }
  return text + "An option that names a model is for that model; others are for several.";
}

}  // namespace

void add_generate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  std::vector<std::string> examples;
  for (const auto* family : experiments::graph_families()) {
    examples.insert(examples.end(), family->generate_examples.begin(),
                    family->generate_examples.end());
  }
  CLI::App* command =
      add_command(app, "generate", "Instances of random models, as files", help(), examples);
  command->add_option("MODEL", options->model, "Which one, as below")->required()->type_name("");
  command->add_option("--out", options->out, "The file, or for several instances the folder")
      ->type_name("PATH")
      ->capture_default_str();
  command->add_option("--to", options->format, "Format of the files (fgnn list formats)")
      ->type_name("FORMAT");
  command->add_option("--seed", options->seed, "Seed of the instances")
      ->check(not_negative())
      ->type_name("N")
      ->capture_default_str();
  options->families.declare(*command, experiments::instance_range());
  for (const auto* family : experiments::graph_families()) {
    options->families.declare(*command, family->options);
  }
  command->callback([options] { generate(*options); });
}

}  // namespace fgnn::cli
