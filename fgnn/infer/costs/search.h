// Branch and bound on a network of costs: depth first for a number of failures, then from the open
// node of the least bound (hybrid best-first search, Allouche et al. 2015), so that answers come as
// early as with the one and the bound rises as with the other. A node decides a variable that has
// few states left and functions that often failed, and tries the state of the best answer so far.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/core/control.h"
#include "fgnn/infer/costs/propagation.h"

namespace fgnn::costs {

struct SearchLimits {
  double gap = 1e-6;  // an answer this near to the bound is good enough
  std::uint64_t nodes = ~std::uint64_t{0};
};

class Search {
 public:
  // What the search hears and tells. `found` is told of every better assignment (a state per
  // variable) and returns its cost as it really is; `cutoff` is asked now and then for the cost of
  // the best answer known to anybody.
  struct Outside {
    std::function<double(const std::vector<std::uint32_t>& states)> found;
    std::function<double()> cutoff;
    std::function<void(double bound)> on_bound;
  };

  Search(Store& store, std::vector<std::uint32_t> rank, const SearchLimits& limits, Budget& budget,
         Outside outside);

  void prefer(const std::vector<std::uint32_t>& states) { preferred_ = states; }

  // True when the search is complete: nothing costs less than the best answer, less the gap.
  bool run();
  double bound() const { return bound_; }  // nothing costs less, by more than rounding
  std::uint64_t nodes() const { return nodes_; }

 private:
  struct Decision {
    Id variable;
    std::uint32_t state;
    bool taken;  // or ruled out
  };
  struct Node {
    double bound;
    std::uint64_t number;
    std::vector<Decision> path;
    bool operator<(const Node& other) const {  // for a heap with the best on top
      return bound != other.bound ? bound > other.bound : number < other.number;
    }
  };
  struct Frame {
    Store::Mark mark;
    std::size_t depth;  // decisions before it
    Decision decision;  // the one that was made; its opposite may be open
    double bound;       // before it was made
  };

  static Decision opposite(const Decision& d) { return {d.variable, d.state, !d.taken}; }
  double cutoff() const { return best_ - limits_.gap; }
  double step() const;
  void improve();
  void decide(const Decision& decision);
  bool follow(const Decision& decision);
  bool restore(const Node& node);
  void dive(std::uint64_t failures);
  bool room() const;
  void give_up();
  void offer();
  bool back();
  void set_aside();
  bool choose(Decision& decision);
  void keep(double bound, std::vector<Decision> path);
  void adapt();
  static std::uint64_t bytes_of(const Node& node);
  bool stopped();

  Store& store_;
  SearchLimits limits_;
  Budget& budget_;
  Outside outside_;
  Propagation propagation_;
  std::vector<Id> variables_;
  std::vector<std::uint32_t> preferred_;
  std::vector<Node> open_;  // a heap
  std::vector<Frame> frames_;
  std::vector<Decision> path_;  // from the root to the present node
  std::uint64_t failures_at_once_ = 1;
  double best_ = kInfinity, bound_ = -kInfinity, unkept_ = kInfinity;
  std::uint64_t nodes_ = 0, kept_ = 0, replayed_ = 0;
  bool stopped_ = false;
  Id last_failed_ = ~Id{0};
};

}  // namespace fgnn::costs
