// Sets of variables that elimination can optimise together while all others are held where they
// are. An elimination game is played on the whole graph; whenever the next clique would have more
// joint states than allowed, one of its variables is held, which removes it from the game. What is
// left free has a small induced width and is most of the graph: for a grid of bits with cliques of
// 2^10 joint states, about three quarters. Cost of a draw: that of one elimination order.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/core/timing.h"
#include "fgnn/infer/domains.h"

namespace fgnn::search {

struct Neighbourhood {
  std::vector<char> free;  // per variable
  std::size_t held = 0;    // variables with more than one state that are not free
};

class Neighbourhoods {
 public:
  // Variables with one allowed state take no part. Throws Error(time_limit) after the deadline.
  Neighbourhoods(const FactorGraph& graph, const Domains& domains, const Deadline& deadline);

  // Cliques of at most 2^log2_states joint states. Any thread may draw.
  Neighbourhood draw(double log2_states, Rng& rng) const;

  double largest() const { return largest_; }  // log2 of the joint states of all variables

 private:
  std::vector<double> log2_;                            // per variable; 0: decided
  std::vector<std::vector<std::uint32_t>> neighbours_;  // sorted
  double largest_ = 0;
};

}  // namespace fgnn::search
