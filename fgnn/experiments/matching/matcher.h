// Ways of matching two point sets, by name:
//
//   hungarian        descriptions and positions, no pairs
//   exact, ad3, …    every MAP method of the library on the factor graph of problem.h, with its
//                    settings: "ad3:iterations=500"
//   fgnn:FILE        a trained network's scores and the Hungarian method; fgnn:NAME for one that
//                    comes with the program
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fgnn/experiments/matching/problem.h"
#include "fgnn/experiments/matching/scores.h"
#include "fgnn/infer/methods.h"
#include "fgnn/infer/result.h"
#include "fgnn/network/model.h"

namespace fgnn::matching {

// Scores of a trained network. Throws Error(usage) when it was not trained for matching.
class LearnedScores {
 public:
  explicit LearnedScores(network::Model model);

  bool knows_nobody() const { return nobody_; }
  std::size_t feature_width() const { return feature_width_; }
  const network::Model& model() const { return model_; }
  Scores operator()(const PointSet& first, const PointSet& second) const;
  // Of several pairs at once, which is faster.
  std::vector<Scores> operator()(std::span<const PointPair> pairs) const;

 private:
  network::Model model_;
  std::size_t neighbours_ = 0, feature_width_ = 0;
  bool nobody_ = false;
};

struct MatchResult {
  Matching matching;
  std::string status;  // of a MAP method; empty for others
  double score = 0, bound = 0;
  double seconds = 0;
};

class Matcher {
 public:
  // Throws Error(usage) for unknown methods and settings.
  Matcher(const std::string& method, ProblemOptions problem, MethodOptions common);

  const std::string& name() const { return name_; }
  bool learned() const { return learned_ != nullptr; }
  const LearnedScores* scores() const { return learned_.get(); }
  const ProblemOptions& problem() const { return problem_; }
  MatchResult operator()(const PointSet& first, const PointSet& second) const;
  std::vector<Matching> all(std::span<const PointPair> pairs) const;

 private:
  std::string name_;
  ProblemOptions problem_;
  std::shared_ptr<const LearnedScores> learned_;
  MethodVariant variant_;
};

}  // namespace fgnn::matching
