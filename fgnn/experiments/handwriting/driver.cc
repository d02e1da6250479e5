#include "fgnn/experiments/handwriting/driver.h"

#include <memory>

#include "fgnn/experiments/handwriting/evaluate.h"

namespace fgnn::handwriting {

HandwritingResults reproduce_handwriting(const HandwritingReportOptions& options,
                                         const HandwritingTrainer& trainer) {
  options.validate();
  if (!trainer.train) return read_results(options.folder);
  HandwritingResults results;
  experiments::OutcomeFile file = open_results(options.folder, results);
  const auto words =
      std::make_shared<const std::vector<HandwrittenWord>>(read_letters(options.data));
  if (options.wants("timing")) {
    for (EpochTime timing : handwriting_timings(options)) {
      if (results.find(timing) != nullptr) continue;
      timing.seconds = trainer.epoch_seconds(timing);
      file.keep(line_of(timing));
      results.timings.push_back(timing);
    }
  }
  std::vector<HandwritingRun> runs;
  for (const auto& table : handwriting_tables()) {
    if (!options.wants(table.name)) continue;
    for (HandwritingRun& run : handwriting_runs(table.name, options)) {
      runs.push_back(std::move(run));
    }
  }
  const auto perform = [&](const HandwritingRun& run) {
    const HandwritingTask task(run.task(options.data), words);
    HandwritingOutcome outcome;
    outcome.run = run;
    const network::Model model = trainer.train(run, task, outcome);
    test_handwriting(model, task, options.threads, outcome);
    return outcome;
  };
  experiments::complete_outcomes(results.outcomes, runs, file, options.control, perform);
  return results;
}

}  // namespace fgnn::handwriting
