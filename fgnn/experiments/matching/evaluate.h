// How many points are matched right, by class.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/experiments/matching/pairs.h"
#include "fgnn/experiments/matching/scores.h"

namespace fgnn::matching {

// Matches, as sums so that parts add up.
struct Tally {
  double right = 0, wanted = 0, found = 0;

  void add(const Tally& other);
  void add(const PointPair& pair, const Matching& matching);
  double accuracy() const { return wanted > 0 ? right / wanted : 0; }
  double f1() const { return wanted + found > 0 ? 2 * right / (wanted + found) : 0; }
};

struct Evaluation {
  std::vector<std::string> classes;
  std::vector<Tally> tallies;  // by class
  double seconds = 0;

  // Unweighted over classes.
  double accuracy() const;
  double f1() const;
};

// Matches some pairs; called from several threads.
using PairMatcher = std::function<std::vector<Matching>(std::span<const PointPair>)>;

struct EvaluationOptions {
  std::size_t pairs = 1000;  // of each class
  std::uint64_t seed = 0;
  bool features = true;
  bool turned = false;  // each side by a random angle
  int threads = 1;
  Control control = {};                      // told of every class; may ask to stop
  std::string label = "matching";            // of the stage that the observer is told of
  std::string stopped = "nothing was kept";  // what a stop says
};
Evaluation evaluate(const PairMatcher& matcher, const KeypointData& data, const PairSource& source,
                    const EvaluationOptions& options);

// `count` pairs that `draw` makes for a number.
Tally evaluate(const PairMatcher& matcher, const std::function<PointPair(std::uint64_t)>& draw,
               std::size_t count, int threads);

}  // namespace fgnn::matching
