// Labels that were expensive to find, kept in a file: the best known assignments of synthetic
// instances, which are themselves made anew from their seed and number.
//
// One JSON object per line. The first names the instances; the others may come in any order, and
// one that a kill cut short is ignored:
//   {"dataset": "D5", "side": 12, "seed": 9}
//   {"instance": 0, "proved": true, "score": 101.5, "bound": 101.5, "seconds": 1.2, "states":
//   "01…"}
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fgnn/experiments/synthetic/instances.h"
#include "fgnn/io/json_log.h"
#include "fgnn/tasks/task.h"

namespace fgnn::synthetic {

struct LabelLine {
  std::uint64_t instance = 0;
  bool proved = false;  // the optimum; otherwise the best that was found in time
  double score = 0, bound = 0, seconds = 0;
  std::vector<State> assignment;
};

// folder/train.jsonl, validation.jsonl, test.jsonl
std::filesystem::path label_file(const std::filesystem::path& folder, tasks::Stream stream);

// In the order of the instances, each once. Throws Error(format, io), and Error(model) when the
// file is of other instances.
std::vector<LabelLine> read_labels(const std::filesystem::path& file,
                                   const SyntheticOptions& options);

// Lines at the end of a file. What others see is only whole lines.
class LabelWriter {
 public:
  // A file that is there is continued, if it is of these instances.
  LabelWriter(const std::filesystem::path& file, const SyntheticOptions& options);
  void add(const LabelLine& line);

 private:
  std::unique_ptr<JsonLog> lines_;
};

}  // namespace fgnn::synthetic
