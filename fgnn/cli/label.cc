// fgnn label: expensive labels, found once and kept in a file.
#include <fmt/core.h>

#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/control.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/output.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/timing.h"
#include "fgnn/experiments/synthetic/labelling.h"
#include "fgnn/io/folder_lock.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

struct Options {
  synthetic::LabellingOptions labelling;
  std::string stream = "train", out;
  SolverOptions solver;
  OutputOptions output;
};

tasks::Stream stream_of(const std::string& name) {
  return name == "train"        ? tasks::Stream::train
         : name == "validation" ? tasks::Stream::validation
                                : tasks::Stream::test;
}

void run(Options& options) {
  auto& labelling = options.labelling;
  labelling.stream = stream_of(options.stream);
  labelling.data.seed = options.solver.seed;
  labelling.threads = options.solver.threads > 0 ? options.solver.threads : default_threads();
  const Stopwatch watch;
  const FolderLock lock(options.out);  // two runs would write the same lines
  labelling.control = control();
  const std::uint64_t added = synthetic::label(options.out, labelling);
  const std::string file = synthetic::label_file(options.out, labelling.stream).string();
  if (options.output.json) {
    print_result(json_text({{"file", file}, {"added", added}, {"seconds", watch.seconds()}}));
  } else {
    Summary summary;
    summary.add("file", file);
    summary.add("added", fmt::format("{} of {}", added, labelling.count));
    summary.add("time", seconds_text(watch.seconds()));
    print_result(summary.text());
  }
  end_if_interrupted(options.out, "the same command goes on");
}

}  // namespace

void add_label(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "label", "Find exact labels that are expensive, once, for training",
      "Writes a line per instance to OUT/train.jsonl (validation.jsonl, test.jsonl): the best\n"
      "assignment, its score, and whether it was proved. Instances that are there already are not\n"
      "solved again, so a run that was stopped goes on. Training reads them with --task "
      "labels=OUT.",
      {"fgnn label D5 --count 5000 --out runs/d5-labels",
       "fgnn train synthetic --task dataset=D5,labels=runs/d5-labels --out runs/d5"});
  auto& labelling = options->labelling;
  command->add_option("MODEL", labelling.data.dataset, "A synthetic model (list synthetic)")
      ->required()
      ->type_name("");
  command->add_option("--out", options->out, "The folder of the files")
      ->required()
      ->type_name("DIR");
  command->add_option("--stream", options->stream, "train, validation or test")
      ->check(CLI::IsMember({"train", "validation", "test"}))
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--count", labelling.count, "Instances in all")
      ->check(positive())
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--side", labelling.data.side, "Side of the grid")
      ->check(positive())
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--time-limit", labelling.time_limit,
                   "Seconds of branch and bound where the dynamic programme is too large")
      ->check(positive())
      ->type_name("SECONDS")
      ->capture_default_str();
  options->solver.declare_threads(*command);
  options->output.declare_json(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
