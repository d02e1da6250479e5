// Solvers on the same problems whose answer is known, batch by batch on several threads: how many
// variables they get right, how good the score is, what a bound proves, how long they take.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fgnn/cluster/group.h"
#include "fgnn/core/control.h"
#include "fgnn/core/mean.h"
#include "fgnn/experiments/synthetic/instances.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/tasks/task.h"

namespace fgnn::synthetic {

struct Problem {
  SyntheticInstance numbers;
  FactorGraph graph;
  std::vector<State> best;  // the exact MAP
  double optimum = 0;
  double bound = 0;  // AD3's: no assignment scores higher
};

// Problem i of a contest; must be safe to call from several threads.
using Problems = std::function<SyntheticInstance(std::uint64_t i)>;

struct Answer {
  std::vector<State> assignment;  // empty: none
  double seconds = 0;
};

// One of these per thread. Answers to all problems of a batch.
using Solver = std::function<std::vector<Answer>(std::span<const Problem>)>;

struct Entrant {
  std::string method, how;         // as in the paper's tables; what was run
  std::function<Solver()> solver;  // none: `note` says why
  std::string note;
  std::string identity = {};  // what `how` does not say: weights, a time limit
};

// What an entrant reached.
struct Standing {
  tasks::Counts agreement;
  Mean exact, feasible;  // percent of instances: at the optimum's score; allowed
  Mean score_gap;        // optimum - score, over allowed answers
  Mean left_open;        // percent of its score that the bound leaves open, likewise
  Mean proved;           // percent of instances on which bound and score meet
  Mean microseconds;     // an instance, on one thread

  void add(const Problem& problem, const Answer& answer);
  void add(const Standing& other);
};

struct ContestOptions {
  std::uint64_t count = 100;
  std::size_t batch = 64;
  int threads = 1;
  std::string label;                          // of what is told to the observer
  Control control;                            // asked to stop: Error(interrupted)
  std::string stopped = {};                   // which then says this too
  cluster::Group* group = &cluster::alone();  // its ranks share out the batches
};

// One standing per entrant, in their order, on all ranks; empty ones where there is no solver, and
// no problem is made where nobody has one. Throws Error(usage) when the ranks do not
// have the same entrants.
std::vector<Standing> contest(const Problems& problems, const std::vector<Entrant>& entrants,
                              const ContestOptions& options);

}  // namespace fgnn::synthetic
