// What one method made of one model, and what many of them made of a family of models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fgnn/core/types.h"
#include "fgnn/infer/methods.h"
#include "fgnn/report/json.h"

namespace fgnn::folders {

struct Measurement {
  std::string model, family, method;
  bool answered = false;  // an allowed assignment, or marginals
  std::string status;     // of the answer, or the kind of error
  std::string note;       // why there is no answer, or what to know of it
  std::string answerer;   // the method that gave it, where it is another (of a portfolio)
  double seconds = 0;     // planning and solving

  // MAP. The bound of a method that gives none is infinity.
  double score = kForbidden, bound = kInfinity;
  std::optional<double> known_score;  // of the assignment in a file beside the model

  // Marginals.
  std::optional<double> log10_z;
  std::optional<double> marginal_error;  // mean of |p - known p| over variables and states
  std::optional<double> z_error;         // |log10 Z - known|
  std::string reference;                 // of the errors: "files", or a method that is exact

  bool proved() const { return status == "exact" || status == "infeasible"; }
};

// Without model and family, which belong to what was measured.
Json to_json(const Measurement& measurement);
// Throws a nlohmann::json::exception for what to_json does not write.
Measurement from_json(const Json& json);

// Means are over the models that have the figure.
struct FamilyRow {
  std::string family, method;
  std::size_t models = 0, answered = 0, proved = 0;
  double seconds = 0;

  // MAP: against the best score that any method or a file has for the model.
  std::size_t best = 0;               // models on which the method has it, up to rounding
  std::optional<double> gap;          // mean of best - score
  std::optional<double> percent_gap;  // mean of that in percent of |best|
  std::optional<double> bound_gap;    // mean of bound - best

  std::size_t referenced = 0;  // models with a known answer
  std::optional<double> marginal_error, z_error;
};

// Scores that differ by less than one in a million are the same: toulbar2 rounds to seven digits.
bool reaches(double score, double other);

// By family, then all families together where there are several ("all"); methods in the order in
// which they come first.
std::vector<FamilyRow> by_family(const std::vector<Measurement>& measurements);

// The best score known for each measurement's model, in their order; kForbidden where none is.
std::vector<double> best_scores(const std::vector<Measurement>& measurements);

}  // namespace fgnn::folders
