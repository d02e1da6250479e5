// Matching as a task: pairs of objects of one class, or of random point sets, drawn on the fly.
//
// Training draws a class, two distinct objects of it, and applies what is asked for: positions
// turned, scaled and jittered, numbers of descriptions dropped, points left out. Validation draws
// from training objects that are held back, tests from the test objects.
#pragma once

#include <memory>
#include <string>

#include "fgnn/experiments/experiment.h"
#include "fgnn/experiments/matching/graphs.h"
#include "fgnn/experiments/matching/pairs.h"
#include "fgnn/experiments/matching/random_points.h"
#include "fgnn/tasks/task.h"

namespace fgnn::matching {

struct MatchingOptions {
  std::string data;  // the folder of keypoints, or "random": point sets
  Protocol protocol = Protocol::intersection;
  std::size_t common = 2;        // keypoints that a pair has at least in common
  bool nobody = false;           // points may be left without a partner
  std::uint64_t held_back = 10;  // percent of the training objects
  bool features = true;          // descriptions beside positions
  GraphOptions graph;            // but its feature_width, which is the data's
  double turn = 0;               // degrees, each side by up to this either way
  double scale = 0;              // each side by up to exp(this) either way
  double jitter = 0;             // standard deviation of positions
  double drop = 0;               // share of the numbers of descriptions that are 0 in training
  double thin = 0;               // up to this share of the points is left out in training
  bool turned = false;           // validation and test: each side is turned at random
  RandomPointsOptions random;    // of data=random
  std::uint64_t seed = 0;

  void validate() const;  // throws Error(usage)
};

class MatchingTask : public tasks::Task {
 public:
  explicit MatchingTask(MatchingOptions options);  // reads the folder
  MatchingTask(MatchingOptions options, std::shared_ptr<const KeypointData> data);

  std::string name() const override { return "matching"; }
  network::Schema schema() const override { return schema_of(options_.graph); }
  tasks::Loss loss() const override;
  bool has(tasks::Stream stream) const override;
  tasks::Labelled instance(tasks::Stream stream, std::uint64_t index) const override;
  std::map<std::string, std::string> settings() const override;

  // What instance() makes a graph of.
  PointPair pair(tasks::Stream stream, std::uint64_t index) const;

 private:
  void distort(PointSet& set, Rng& random) const;

  MatchingOptions options_;
  std::unique_ptr<const PairSource> source_[3];
};

// From all settings of the task (experiment.cc). Throws Error(usage) naming the setting.
MatchingOptions matching_options(const experiments::Settings& settings);

}  // namespace fgnn::matching
