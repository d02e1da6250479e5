// What TRW-S and branch and bound share: the graph as a network of costs, sweeps over it with
// answers rounded from them, and the search.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/core/phases.h"
#include "fgnn/infer/costs/search.h"
#include "fgnn/infer/incumbent.h"
#include "fgnn/infer/result.h"

namespace fgnn::costs {

struct SolverOptions {
  const char* name;  // of the method, for messages
  std::uint64_t max_bytes;
  std::uint64_t seed;  // of the repair of rounded answers
  bool repair;
  Control control;
};

struct SweepLimits {
  std::size_t passes;
  double tolerance;  // end when a pass gains less,
  double share;      // or less than this share of what is between bound and answer
  double gap;        // or when that is no more than this
};

class Solver {
 public:
  // The graph must outlive this. Better answers and bounds go to `best`.
  Solver(const FactorGraph& graph, const SolverOptions& options, const Deadline& deadline,
         PhaseClock& clock, Incumbent& best);

  // Both return what is claimed, without the assignment, which `best` has. The search comes after
  // sweep(), and takes the components of the network apart, the smallest first.
  Result sweep(const SweepLimits& limits);
  Result search(const SweepLimits& sweeps, const SearchLimits& limits);

 private:
  bool prepare();
  void round(std::vector<State> assignment, double gap);
  Result search_whole(const SearchLimits& limits);
  Result search_parts(const std::vector<std::vector<Id>>& parts, const SweepLimits& sweeps,
                      const SearchLimits& limits);
  Result outcome(bool complete, double bound, std::uint64_t nodes);

  const FactorGraph& graph_;
  SolverOptions options_;
  Deadline deadline_;
  PhaseClock& clock_;
  Incumbent& best_;
  Budget budget_;
  std::optional<Network> network_;
  std::optional<Store> store_;
  std::vector<std::uint32_t> rank_;
  Result infeasible_;
};

}  // namespace fgnn::costs
