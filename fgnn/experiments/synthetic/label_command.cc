// fgnn label: expensive labels, found once and kept in a file.
#include <fmt/core.h>

#include "fgnn/core/timing.h"
#include "fgnn/experiments/synthetic/commands.h"
#include "fgnn/experiments/synthetic/labelling.h"
#include "fgnn/io/folder_lock.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::synthetic {
namespace {

tasks::Stream stream_of(const std::string& name) {
  return name == "train"        ? tasks::Stream::train
         : name == "validation" ? tasks::Stream::validation
                                : tasks::Stream::test;
}

experiments::Output run(const experiments::Arguments& given) {
  LabellingOptions labelling;
  labelling.data.dataset = given.text("MODEL");
  labelling.data.side = given.whole("--side");
  labelling.data.seed = given.seed;
  labelling.stream = stream_of(given.text("--stream"));
  labelling.count = given.whole("--count");
  labelling.time_limit = given.number("--time-limit");
  labelling.threads = given.threads;
  labelling.control = given.control;
  const std::string out = given.text("--out");
  const Stopwatch watch;
  const FolderLock lock(out);  // two runs would write the same lines
  const std::uint64_t added = label(out, labelling);
  const std::string file = label_file(out, labelling.stream).string();
  Summary summary;
  summary.add("file", file);
  summary.add("added", fmt::format("{} of {}", added, labelling.count));
  summary.add("time", seconds_text(watch.seconds()));
  return {summary.text(),
          json_text({{"file", file}, {"added", added}, {"seconds", watch.seconds()}})};
}

}  // namespace

experiments::Command label_command() {
  using Kind = experiments::Option::Kind;
  return {
      .name = "label",
      .summary = "Find exact labels that are expensive, once, for training",
      .help =
          "Writes a line per instance to OUT/train.jsonl (validation.jsonl, test.jsonl): the best\n"
          "assignment, its score, and whether it was proved. Instances that are there already are "
          "not\n"
          "solved again, so a run that was stopped goes on. Training reads them with --task "
          "labels=OUT.",
      .examples = {"fgnn label D5 --count 5000 --out runs/d5-labels",
                   "fgnn train synthetic --task dataset=D5,labels=runs/d5-labels --out runs/d5"},
      .options =
          {{.name = "MODEL", .help = "A synthetic model (list synthetic)", .required = true},
           {.name = "--out", .value = "DIR", .help = "The folder of the files", .required = true},
           {.name = "--stream",
            .value = "NAME",
            .help = "train, validation or test",
            .fallback = "train",
            .choices = {"train", "validation", "test"}},
           {"--count", "N", "Instances in all", Kind::positive, "1000"},
           {"--side", "N", "Side of the grid", Kind::positive, "12"},
           {"--time-limit", "SECONDS",
            "Seconds of branch and bound where the dynamic programme is too large", Kind::positive,
            "60"}},
      .run = run,
      .threads = true};
}

}  // namespace fgnn::synthetic
