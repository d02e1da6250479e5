// Local search on a network of costs: the best change of one variable, again and again, also where
// it costs something; a variable that has changed keeps its state for a few steps (tabu search,
// Glover 1989; Galinier and Hao 1997 for constraints). What every state of every variable would
// cost is kept up to date, so a step costs one look at that table and the functions of one
// variable. Forbidden joint states cost a penalty that grows while they are there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/core/timing.h"
#include "fgnn/infer/costs/network.h"

namespace fgnn::costs {

class Tabu {
 public:
  explicit Tabu(const Network& network);  // which must outlive it

  // From `states` (one per variable), for that many steps; `states` becomes the best that was
  // allowed and is no worse than its beginning. True when it is better.
  bool run(std::vector<std::uint32_t>& states, std::uint64_t steps, Rng& rng,
           const Deadline& deadline);

 private:
  struct Axis {
    Id variable;
    std::uint32_t stride;
  };
  struct Use {
    std::uint32_t function, axis;
  };

  void start(std::span<const std::uint32_t> states);
  void account(std::uint32_t f, double sign);
  void move(Id v, std::uint32_t x);
  double priced(double cost) const { return cost == kInfinity ? penalty_ : cost; }
  // How many infinite costs the present states have.
  std::size_t forbidden() const;
  double cost() const;

  const Network& network_;
  std::vector<Id> variables_;
  std::vector<std::uint32_t> first_axis_;  // per function, and one more
  std::vector<Axis> axes_;
  std::vector<std::vector<Use>> uses_;
  std::vector<std::uint32_t> first_;  // per variable: its states in delta_
  std::vector<std::uint32_t> states_;
  std::vector<double> cost_of_;  // per variable and state: cost of the functions of the variable
  double penalty_ = 1;
};

}  // namespace fgnn::costs
