// Every model of some folders by every method: what `fgnn compare FOLDER` measures.
//
// For each model and method one measurement, kept in a log as soon as it is there, so that a run
// that was stopped goes on. What cannot be read or solved is a measurement as well, with the
// reason. Answers are compared with the files beside the model and, for marginals that no file has,
// with the answer of a method that is exact; methods called "exact" come first for its sake.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/experiments/folders/measurement.h"
#include "fgnn/experiments/folders/model_files.h"
#include "fgnn/infer/methods.h"

namespace fgnn::folders {

inline constexpr const char* kToulbar2 = "toulbar2";  // its row

struct ContestOptions {
  Query query = Query::map;
  std::vector<MethodVariant> methods;  // with their limits; a time limit is for each of them
  bool toulbar2 = false;               // one more row, for MAP
  double time_limit = kInfinity;       // of reading a model, and of toulbar2
  std::uint64_t max_bytes = std::uint64_t{8} << 30;  // of reading a model, and of toulbar2
  std::string log;                                   // a file; empty: none
  Control control;  // a stop ends it with what was measured until then
};

// Model by model, methods in their order, toulbar2 last. Throws Error(usage) for toulbar2 where it
// is not installed or not asked for the MAP.
std::vector<Measurement> contest(const std::vector<ModelFile>& models,
                                 const ContestOptions& options);

}  // namespace fgnn::folders
