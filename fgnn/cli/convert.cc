// fgnn convert: from one file format to another.
#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/io/files.h"

namespace fgnn::cli {
namespace {

struct Options {
  ModelOptions model;
  EvidenceOptions evidence;
  LimitOptions limits;
  std::string target, format;
};

void convert(const Options& options) {
  const FactorGraph graph = options.model.read(options.limits);
  Budget budget = options.limits.budget("convert");
  budget.take(graph.bytes());
  write_graph(graph.given(options.evidence.read(graph)), options.target, options.format, &budget);
}

}  // namespace

void add_convert(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "convert", "Write a graph in another file format",
      "Prints nothing. The formats follow from the endings (fgnn list formats). Evidence becomes\n"
      "part of the written graph. A failure leaves no file behind; a format that cannot express\n"
      "the graph ends with exit code 8.",
      {"fgnn convert model.uai model.fgt", "fgnn convert model.fgt - --to uai | wc -c"});
  options->model.declare(*command);
  command->add_option("OUT", options->target, "The file to write; '-' is standard output")
      ->required()
      ->type_name("");
  command->add_option("--to", options->format, "Its format, when the ending does not tell")
      ->type_name("FORMAT");
  options->evidence.declare(*command);
  options->limits.declare(*command);
  command->callback([options] { convert(*options); });
}

}  // namespace fgnn::cli
