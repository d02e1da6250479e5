// The paper's handwriting experiments (section 5.4) done again: what is trained, and for which
// tables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/experiments/handwriting/task.h"
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

}  // namespace fgnn::handwriting
