// Benchmarks that the program runs (`fgnn bench SUITE`): each measures something a user waits for,
// and the same thing written plainly, in the same run, on the same input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/core/timing.h"

namespace fgnn::bench {

struct SuiteOptions {
  bool quick = false;  // small enough to finish in about a second
  int threads = 0;     // 0: all processors
  std::uint64_t seed = 0;
  Control control = {};   // its observer is told how far a long suite is
  std::string data = {};  // a folder of models, for suites that read any
};

struct Row {
  std::string name;
  double value = 0;
  std::string unit;
  std::optional<double> baseline = {};  // the baseline's value, in the same unit
  std::string baseline_name = {};
  bool more_is_better = false;
  std::optional<double> limit = {};  // what the machine allows at best, in the same unit
  std::string limit_name = {};       // and why

  // How many times better than the baseline.
  std::optional<double> ratio() const {
    if (!baseline) return std::nullopt;
    return more_is_better ? value / *baseline : *baseline / value;
  }
};

struct Suite {
  std::string name, description, baseline;
  std::function<std::vector<Row>(const SuiteOptions&)> run;
};

const std::vector<Suite>& suites();
// Throws Error(usage) for an unknown name, with the nearest known one.
const Suite& find_suite(std::string_view name);

std::vector<Row> run_graph(const SuiteOptions& options);
std::vector<Row> run_exact(const SuiteOptions& options);
std::vector<Row> run_io(const SuiteOptions& options);
std::vector<Row> run_bp(const SuiteOptions& options);
std::vector<Row> run_bp_large(const SuiteOptions& options);
std::vector<Row> run_map(const SuiteOptions& options);
// Of the models of a folder, against toulbar2; no rows where either is missing.
std::vector<Row> run_proofs(const SuiteOptions& options);
// On several ranks only (docs/scale.md).
std::vector<Row> run_cluster(const SuiteOptions& options);
std::vector<Row> run_learn(const SuiteOptions& options);

struct Seconds {
  double library = kInfinity, baseline = kInfinity;
};

// Seconds of one call each: the best of several, since everything that disturbs makes it slower.
// The two take turns, so that what disturbs one disturbs the other; a turn is a few calls in a row,
// because each call of a real run finds its data where the call before left it.
template <class Library, class Baseline>
Seconds best_seconds(int repeats, Library&& library, Baseline&& baseline) {
  constexpr int kInARow = 4;
  Seconds best;
  const auto turn = [](int calls, auto&& call, double& seconds) {
    for (int i = 0; i < calls; ++i) {
      const Stopwatch watch;
      call();
      seconds = std::min(seconds, watch.seconds());
    }
  };
  for (int left = repeats; left > 0; left -= kInARow) {
    turn(std::min(left, kInARow), library, best.library);
    turn(std::min(left, kInARow), baseline, best.baseline);
  }
  return best;
}

// The same without a baseline.
template <class Call>
double best_seconds(int repeats, Call&& call) {
  return best_seconds(repeats, call, [] {}).library;
}

// Uses a result, so that the optimiser cannot drop the work that made it.
inline volatile double kept = 0;
inline void keep(double result) { kept = result; }

// Throws Error(internal) when a baseline and the library disagree: then neither time means a thing.
void require_equal(double library, double baseline, std::string_view what);

}  // namespace fgnn::bench
