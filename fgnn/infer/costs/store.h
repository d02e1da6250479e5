// Costs that move and can be moved back. Every function keeps its table as it is and adds a shift
// per axis,
//   c_f(x) = t_f(x) + sum_j s_fj(x_j) >= 0,
// so that moving costs between a function and the unary costs of its variables (which leaves every
// assignment's cost as it is) changes a few numbers only:
//   project:  u_i(a) += m,  s_fi(a) -= m,   m <= min_{x: x_i = a} c_f(x)
//   extend:   u_i(a) -= m,  s_fi(a) += m,   m <= u_i(a)
//   lift:     lb += m,      u_i(a) -= m for all a,   m = min_a u_i(a)
// lb is then a lower bound of the cost (Cooper, de Givry, Schiex et al. 2010). All changes since a
// mark are undone in the time they took.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fgnn/infer/costs/network.h"

namespace fgnn::costs {

// Below this, costs are rounding.
inline constexpr double kTiny = 1e-10;

struct Axis {
  Id variable;
  std::uint32_t stride;
  std::uint32_t shift;  // where its shifts stand
};

struct Table {
  std::uint32_t first_axis, arity;
  const double* values;
};

struct Place {  // of a variable: the axis of a function
  std::uint32_t function, axis;
};

class Store {
 public:
  // Of the whole network, which must outlive it, or of some of its components: variables of others
  // have no states here, and the bound is without the network's base.
  explicit Store(const Network& network);
  Store(const Network& network, const std::vector<char>& part);

  std::size_t size() const { return first_.size() - 1; }
  std::size_t functions() const { return tables_.size(); }
  double bound() const { return numbers_[0]; }

  // States that are left, in no order; one: assigned. Eliminated variables have none.
  std::span<const std::uint32_t> left(Id v) const { return {&left_[first_[v]], count_[v]}; }
  std::uint32_t states(Id v) const { return size_[v]; }  // at the beginning
  bool open(Id v) const { return count_[v] > 1; }
  bool has(Id v, std::uint32_t x) const { return where_[first_[v] + x] < count_[v]; }
  double unary(Id v, std::uint32_t x) const { return numbers_[1 + first_[v] + x]; }

  // All functions that have the variable, those that are gone included.
  std::span<const Place> places(Id v) const { return places_[v]; }
  bool gone(std::uint32_t f) const { return gone_[f] != 0; }
  std::span<const Axis> axes(std::uint32_t f) const {
    return {&axes_[tables_[f].first_axis], tables_[f].arity};
  }

  // out[k] = min of c_f over the joint states left in which axis i has its k-th state left; with
  // the unary costs of those other axes added whose bits are set.
  using AxisSet = std::uint64_t;
  static constexpr AxisSet kNone = 0, kAll = ~AxisSet{0};
  void least(std::uint32_t f, std::size_t i, AxisSet with, std::vector<double>& out) const;
  // The cost of the function at one joint state (a state per variable).
  double at(std::uint32_t f, std::span<const std::uint32_t> states) const;

  // amount[k] of the k-th state left; the caller sees to it that costs stay above zero. States
  // with an infinite amount are to be removed by the caller.
  void project(std::uint32_t f, std::size_t i, std::span<const double> amount);
  void extend(std::uint32_t f, std::size_t i, double share = 1);  // that share of all unary costs
  double lift(Id v);                                              // what the bound rose by
  void add(Id v, std::uint32_t x, double cost) { change(1 + first_[v] + x, cost); }
  void remove(Id v, std::uint32_t x);
  void assign(Id v, std::uint32_t x);
  // Minimises over a variable: all its functions are replaced by one over `around`, its open
  // neighbours (ascending, at least one), whose number is returned. What is over one neighbour is
  // added to its unary costs, infinite ones included, and there is no function.
  static constexpr std::uint32_t kNoFunction = ~0u;
  std::uint32_t eliminate(Id v, std::span<const Id> around);
  // States of the eliminated variables, given all others.
  void complete(std::vector<std::uint32_t>& states) const;

  struct Mark {
    std::size_t numbers, counts, gone, eliminated, tables;
  };
  Mark mark();
  void undo(Mark mark);
  // What was changed until now stays.
  void forget();

 private:
  void least_of_pair(std::uint32_t f, std::size_t i, AxisSet with, std::vector<double>& out) const;
  void change(std::size_t at, double by);
  void read(const Network& network, const std::vector<char>* part);
  void set_count(Id v, std::uint32_t count);
  std::uint32_t add_function(std::span<const Id> scope, std::span<const std::uint32_t> sizes,
                             const double* values);
  void drop_functions(std::size_t left);

  std::vector<double> numbers_;       // the bound, unary costs, shifts
  std::vector<std::uint32_t> first_;  // per variable, of its states; variables + 1
  std::vector<std::uint32_t> left_;   // per variable: a permutation of its states, those left first
  std::vector<std::uint32_t> where_;  // its inverse
  std::vector<std::uint32_t> count_;  // states left
  std::vector<Table> tables_;
  std::vector<Axis> axes_;
  std::vector<std::vector<Place>> places_;
  std::vector<char> gone_;                   // per function
  std::vector<std::uint32_t> size_;          // per variable: states at the beginning
  std::size_t original_ = 0;                 // functions of the network
  std::vector<std::vector<double>> joined_;  // tables of the others

  std::vector<std::pair<std::uint32_t, double>> old_numbers_;
  std::vector<std::pair<Id, std::uint32_t>> old_counts_;
  std::vector<std::uint32_t> old_functions_;  // gone
  struct Eliminated {
    Id variable;
    std::uint32_t left;          // states it had left, which stand first
    std::size_t first_function;  // of those that went with it, in old_functions_
  };
  std::vector<Eliminated> eliminated_;
  std::vector<std::uint64_t> stamp_;  // per number: when it was last kept
  std::uint64_t now_ = 1;

  std::vector<std::uint32_t> scratch_;
  mutable std::vector<double> weights_;  // scratch of least()
  mutable std::vector<std::size_t> offsets_;
};

}  // namespace fgnn::costs
