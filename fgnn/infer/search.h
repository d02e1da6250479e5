// Large-neighbourhood search for MAP: most of the variables are optimised together by exact
// elimination while the others stay where they are, again and again with others held
// (search/neighbourhood.h). The score never falls. Neighbourhoods widen when they stop helping; one
// that holds nothing is the whole graph, and its answer is proved. Where the factors are small
// enough, a tabu search (costs/tabu.h) follows, and then narrow neighbourhoods again.
//
// Each round costs an elimination order and the joint states of its cliques, at most
// variables x 2^width. No bound otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/incumbent.h"
#include "fgnn/infer/result.h"

namespace fgnn {

struct SearchOptions {
  double narrowest = 8;      // log2 of the joint states of cliques, at the beginning
  double widest = 18;        // and at the end, where memory allows it
  std::size_t patience = 6;  // rounds without a better answer before cliques widen
  std::size_t cycles = 2;  // from narrow to wide and a tabu search, without a better answer: enough
  std::uint64_t max_bytes = std::uint64_t{8} << 30;
  double time_limit = kInfinity;  // seconds
  int threads = 0;                // 0: all processors; each tries a neighbourhood of its own
  std::uint64_t seed = 0;
  Control control;

  void validate() const;  // throws Error(usage)
  bool operator==(const SearchOptions&) const = default;
};

Fields fields(const SearchOptions& options);

// Begins at `start`; without one, at what max-product finds and repair makes of it. An assignment
// that is forbidden cannot be improved: the status then is that of having found none. `shared` is a
// best answer that others improve at the same time.
Result neighbourhood_search(const FactorGraph& graph, const SearchOptions& options = {},
                            const Evidence& evidence = {}, std::vector<State> start = {},
                            Incumbent* shared = nullptr);

}  // namespace fgnn
