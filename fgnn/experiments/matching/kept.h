// Evaluations with the log of `fgnn reproduce matching` (measurement_log.h): one that it has is not
// done again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fgnn/experiments/matching/evaluate.h"
#include "fgnn/experiments/matching/matcher.h"
#include "fgnn/experiments/matching/points.h"
#include "fgnn/experiments/measurement_log.h"

namespace fgnn::matching {

class KeptEvaluations {
 public:
  // An empty name keeps none. Throws Error(format) naming a line that is not an evaluation.
  explicit KeptEvaluations(const std::string& file);

  // What the log has of this measurement, else what `evaluate` returns, which is kept.
  Evaluation get(const Json& measured, const std::function<Evaluation()>& evaluate);

 private:
  experiments::MeasurementLog log_;
};

// A matcher in a table, where it is called `label`: with its weights, else with the terms of its
// problem. What it is measured on is for others to add.
Json measured(const std::string& table, const std::string& label, const Matcher& matcher);

// Differs between films whose points differ.
std::string fingerprint(const std::vector<std::vector<Point>>& frames);

}  // namespace fgnn::matching
