// The one way to make a FactorGraph: declare variables, add factors, build.
//
//   GraphBuilder b;
//   auto x = b.variables("x", 30, 2);                       // x[0] … x[29], two states each
//   b.unary(x[0], {0.2, 0.7});                              // log-potentials everywhere
//   b.factor({x[0], x[1]}, Table{{2, 2}, {0, .1, .2, 1}});
//   b.factor(x.slice(0, 8), Count::at_most(5));
//   FactorGraph g = std::move(b).build();
//
// Every call checks its arguments and throws Error(model) naming the offender; the builder is then
// unchanged.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fgnn/core/types.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn {

// A run of consecutive variables; behaves as a range of VariableId.
class VariableArray {
 public:
  VariableArray(VariableId first, VariableId count) : first_(first), count_(count) {}
  std::size_t size() const { return count_; }
  VariableId operator[](std::size_t i) const { return first_ + static_cast<VariableId>(i); }
  // Elements begin .. end-1; throws Error(model) when they are not all there.
  VariableArray slice(std::size_t begin, std::size_t end) const;
  // std::views::iota by hand: clang 14, which builds the fuzzers, cannot compile that.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = VariableId;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = VariableId;

    Iterator() = default;
    explicit Iterator(VariableId at) : at_(at) {}
    VariableId operator*() const { return at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    VariableId at_ = 0;
  };
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(first_ + count_); }

 private:
  VariableId first_, count_;
};

// A potential declared once and shared by many factors.
enum class PotentialId : std::uint32_t {};

class GraphBuilder {
 public:
  VariableId variable(std::string name, State states);
  VariableArray variables(std::string name, std::size_t count, State states);
  // An array whose elements have different numbers of states.
  VariableArray variables(std::string name, std::span<const State> states);

  // Adds log-potentials to a variable, one per state; several add up.
  void unary(VariableId variable, std::span<const double> log_values);
  void unary(VariableId variable, std::initializer_list<double> log_values) {
    unary(variable, std::span(log_values.begin(), log_values.size()));
  }
  // Adds a constant to every assignment's score.
  void constant(double log_value);

  PotentialId potential(std::shared_ptr<const Potential> potential);
  template <std::derived_from<Potential> P>
  PotentialId potential(P value) {
    return potential(std::make_shared<const P>(std::move(value)));
  }

  FactorId factor(std::span<const VariableId> scope, PotentialId potential);
  template <std::derived_from<Potential> P>
  FactorId factor(std::span<const VariableId> scope, P value) {
    return factor(scope, std::make_shared<const P>(std::move(value)));
  }
  FactorId factor(std::span<const VariableId> scope, std::shared_ptr<const Potential> shared);

  // The same for a braced list {x[0], x[1]} and for arrays of variables.
  template <class P>
  FactorId factor(std::initializer_list<VariableId> scope, P&& p) {
    return factor(std::span(scope.begin(), scope.size()), std::forward<P>(p));
  }
  template <class P>
  FactorId factor(const VariableArray& scope, P&& p) {
    const std::vector<VariableId> ids(scope.begin(), scope.end());
    return factor(std::span<const VariableId>(ids), std::forward<P>(p));
  }

  // Room for what is to come; optional, saves moving memory about.
  void reserve(std::size_t variables, std::size_t factors, std::size_t edges);

  std::size_t num_variables() const { return s_.states.size(); }
  std::size_t num_factors() const { return s_.factor_potential.size(); }
  State states(VariableId v) const { return s_.states.at(v); }
  const Names& names() const { return s_.names; }
  std::string name(VariableId v) const { return s_.names.of(v); }

  // Bytes that the finished graph will hold, potentials included; known before build() allocates.
  std::size_t estimated_bytes() const;

  // Freezes. The builder is empty afterwards.
  FactorGraph build() &&;

 private:
  void check_room(const std::string& name, std::uint64_t count, std::uint64_t states) const;
  void add_variables(std::string name, std::size_t count, State states, bool array);
  void check_variable(VariableId v) const;
  void check_scope(std::span<const VariableId> scope);

  FactorGraph::Structure s_;
  std::vector<double> unary_;
  std::vector<FactorId> seen_;  // per variable: 1 + the last factor whose scope was checked
  std::vector<State> shape_;    // scratch
};

}  // namespace fgnn
