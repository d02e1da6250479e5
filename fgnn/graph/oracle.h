// The best joint state of one factor, by whatever its structure allows:
//   maximise  log phi(x) + sum_j score_j(x_j)    over the states that the variables still have.
// All that the active set method of AD3 needs to know of a factor, and what its bound is made of.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/graph/potential.h"

namespace fgnn {

// The undecided positions of a scope.
std::vector<std::size_t> open_positions(Left left);

// States of a factor's undecided variables, and where their scores stand: a variable with two
// states left has one coordinate (that of its second state, the first counting 0), one with more
// has a coordinate for each.
struct Layout {
  std::vector<State> sizes;
  std::vector<std::size_t> offsets;  // one more than sizes; the last is the number of coordinates

  void add(State size);
  std::size_t arity() const { return sizes.size(); }
  std::size_t coordinates() const { return offsets.back(); }
  double score(std::span<const double> scores, std::size_t j, State x) const {
    if (sizes[j] > 2) return scores[offsets[j] + x];
    return x == 0 ? 0.0 : scores[offsets[j]];
  }
  double score(std::span<const double> scores, std::span<const State> x) const;
  // Calls visit(coordinate) for every coordinate that is one in joint state x.
  template <class Visit>
  void ones(std::span<const State> x, Visit visit) const {
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      if (sizes[j] > 2) {
        visit(offsets[j] + x[j]);
      } else if (x[j] == 1) {
        visit(offsets[j]);
      }
    }
  }
  Layout() : offsets{0} {}
  explicit Layout(Left left);  // of the undecided positions
};

class Oracle {
 public:
  explicit Oracle(Layout layout) : layout_(std::move(layout)) {}
  virtual ~Oracle() = default;
  const Layout& layout() const { return layout_; }

  // The largest value; x receives a joint state that has it (states counted among those left) and
  // own its log-potential alone. Forbidden, x untouched, when no joint state is allowed; infinity,
  // which bounds it all the same, when time is over before it is known.
  double best(std::span<const double> scores, std::span<State> x, double& own, TimeCheck& time) {
    return time.late(steps()) ? kInfinity : find(scores, x, own, time);
  }
  // Whether any joint state is allowed; true, too, when time is over before that is known.
  virtual bool feasible(TimeCheck& time);
  // Simple steps of one search, about.
  virtual std::uint64_t steps() const = 0;

 protected:
  Layout layout_;

 private:
  virtual double find(std::span<const double> scores, std::span<State> x, double& own,
                      TimeCheck& time) = 0;
};

}  // namespace fgnn
