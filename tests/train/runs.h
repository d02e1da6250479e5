// Short trainings, what they leave behind, and whether two of them are the same.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "fgnn/train/checkpoint.h"
#include "fgnn/train/trainer.h"
#include "tests/train/small_task.h"

namespace fgnn::testing {

using Curve = std::vector<std::map<std::string, double>>;

struct Trained {
  train::TrainReport report;
  Curve curve;  // what was logged, with "step"

  std::vector<double> of(const std::string& name) const {
    std::vector<double> values;
    for (const auto& line : curve) values.push_back(line.at(name));
    return values;
  }
  std::vector<float> weights() const {
    std::vector<float> all;
    for (const auto& w : report.model.weights) all.insert(all.end(), w.begin(), w.end());
    return all;
  }
};

// Small batches, and validations in between that do not take long.
inline train::TrainOptions few_steps(std::uint64_t steps = 20, int threads = 1) {
  train::TrainOptions o;
  o.steps = steps;
  o.batch = 6;
  o.interval = 7;
  o.validation = 12;
  o.rate = 5e-3;
  o.warmup = 3;
  o.threads = threads;
  return o;
}

// From a description of a network, or from a model.
template <class Network>
Trained trained(const tasks::Task& task, const Network& network, const train::TrainOptions& options,
                const train::RunFolder& folder = {}) {
  Curve curve;
  auto report = train::train(task, network, options, folder, cluster::alone(),
                             [&](std::uint64_t step, const std::map<std::string, double>& values) {
                               curve.push_back(values);
                               curve.back()["step"] = static_cast<double>(step);
                             });
  return {std::move(report), std::move(curve)};
}

// A run that dies when this many training instances were made, as if it were killed.
template <class Network>
void train_and_die(const tasks::Task& task, const Network& network, std::uint64_t instances,
                   const train::TrainOptions& options, const train::RunFolder& folder) {
  std::atomic<std::uint64_t> made = 0;
  const Altered dying(task, [&](tasks::Stream stream, std::uint64_t, tasks::Labelled&) {
    if (stream == tasks::Stream::train && made++ >= instances) throw std::runtime_error("killed");
  });
  EXPECT_THROW(trained(dying, network, options, folder), std::runtime_error);
}

inline std::string bytes(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  EXPECT_FALSE(text.str().empty()) << file;
  return text.str();
}

// metrics.jsonl without what depends on the clock.
inline std::vector<nlohmann::json> metrics(const std::filesystem::path& folder) {
  std::istringstream lines(bytes(folder / "metrics.jsonl"));
  std::vector<nlohmann::json> all;
  for (std::string line; std::getline(lines, line);) {
    all.push_back(nlohmann::json::parse(line));
    // A line of step 0 is from before any training.
    if (all.back().at("step") == 0) continue;
    EXPECT_GT(all.back().at("instances_per_second").get<double>(), 0);
    all.back().erase("instances_per_second");
  }
  return all;
}

inline train::Checkpoint checkpoint(const std::filesystem::path& folder) {
  return train::load_checkpoint(folder / "checkpoint.safetensors");
}

// Everything a run leaves behind but the time it took.
inline void expect_same_runs(const std::filesystem::path& a, const std::filesystem::path& b) {
  EXPECT_TRUE(bytes(a / "model.safetensors") == bytes(b / "model.safetensors"));
  EXPECT_EQ(bytes(a / "config.json"), bytes(b / "config.json"));
  EXPECT_EQ(metrics(a), metrics(b));
  const auto x = checkpoint(a), y = checkpoint(b);
  EXPECT_EQ(x.model.weights, y.model.weights);
  EXPECT_EQ(x.model.metadata, y.model.metadata);
  EXPECT_EQ(x.step, y.step);
  EXPECT_EQ(x.first, y.first);
  EXPECT_EQ(x.second, y.second);
  EXPECT_EQ(x.average, y.average);
  EXPECT_EQ(x.best, y.best);
  EXPECT_EQ(x.best_measure, y.best_measure);
  EXPECT_EQ(x.since_best, y.since_best);
  EXPECT_EQ(x.plateaus, y.plateaus);
  EXPECT_EQ(x.since_plateau, y.since_plateau);
}

}  // namespace fgnn::testing
