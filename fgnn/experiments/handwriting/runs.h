// The paper's handwriting experiments (section 5.4) done again: what is trained, what came out, and
// the file in which outcomes are kept as they come, so that a reproduction can be stopped and taken
// up again. Who trains is not known here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/experiments/handwriting/task.h"
#include "fgnn/network/model.h"
#include "fgnn/report/tables.h"

namespace fgnn::handwriting {

// One network, trained on one fold and tested on all others.
struct HandwritingRun {
  std::string kind = "fgnn";  // experiments/handwriting/network.h
  std::size_t order = 3, rank = 1024, features = 512;
  std::uint32_t fold = 0;
  bool augment = true;
  std::size_t held_out = 0;
  double epochs = 0;
  std::uint64_t seed = 0;

  std::string name() const;  // says everything, fit for a folder
  HandwritingOptions task(const std::string& data) const;
};

// Letters seen and read right.
struct Hits {
  std::uint64_t letters = 0, right = 0;

  double percent() const {
    return 100.0 * static_cast<double>(right) / static_cast<double>(letters);
  }
};

struct HandwritingOutcome {
  HandwritingRun run;
  Hits all, held_out, seen;  // the last two where words were held out
  Hits lexicon;              // the likeliest training word of the right length instead
  std::uint64_t words = 0, words_right = 0;
  double seconds = 0;  // processor time of training
  double wall_seconds = 0;
  int threads = 1;
  std::vector<std::uint64_t> confusion;  // 26 x 26, letters by what was read
};

// Seconds of processor time for a pass over a fold.
struct EpochTime {
  std::size_t order = 0, rank = 0;
  double seconds = 0;
};

struct HandwritingReportOptions {
  std::string data;                 // file of letters
  std::filesystem::path folder;     // of models and outcomes
  std::vector<std::string> tables;  // empty: all
  std::vector<std::uint32_t> folds{0, 1, 2}, main_folds{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  double epochs = 0;  // 0: kHandwritingEpochs
  bool quick = false;
  int threads = 1;
  std::uint64_t seed = 0;
  Control control;  // who looks on, and may ask to stop: Error(interrupted) between two trainings

  void validate() const;  // throws Error(usage)
  bool wants(const std::string& table) const { return report::wants_table(tables, table); }
};

const std::vector<report::TableInfo>& handwriting_tables();

// What a table is made of.
std::vector<HandwritingRun> handwriting_runs(const std::string& table,
                                             const HandwritingReportOptions& options);
// Orders whose epochs are timed, and at which rank.
std::vector<EpochTime> handwriting_timings(const HandwritingReportOptions& options);

// How a network is trained and timed; may be empty, where results are only shown.
struct HandwritingTrainer {
  std::function<network::Model(const HandwritingRun&, const HandwritingTask&,
                               HandwritingOutcome&)>
      train;  // sets the times
  std::function<double(const EpochTime&)> epoch_seconds;
};

struct HandwritingResults {
  std::vector<HandwritingOutcome> outcomes;
  std::vector<EpochTime> timings;

  const HandwritingOutcome* find(const HandwritingRun& run) const;
  const EpochTime* find(const EpochTime& timing) const;
};

// Those in the folder, completed by what the trainer can do; each is written down at once.
HandwritingResults reproduce_handwriting(const HandwritingReportOptions& options,
                                         const HandwritingTrainer& trainer);

// The model on the task's test words.
void test_handwriting(const network::Model& model, const HandwritingTask& task, int threads,
                      HandwritingOutcome& outcome);

// Lines of folder/results.jsonl. A last line that was cut off is not there.
HandwritingResults read_results(const std::filesystem::path& folder);
std::string line_of(const HandwritingOutcome& outcome);
std::string line_of(const EpochTime& timing);

}  // namespace fgnn::handwriting
