// The factor graph: p(x) proportional to exp( constant + sum_i theta_i(x_i) + sum_c log phi_c(x_c)
// ).
//
// Immutable, flat, and without any algorithm. Factors and variables are joined by edges; edge e of
// factor c is the e-th entry of its scope, so edges are numbered factor by factor and the scopes
// of all factors, one after another, are the array of edges. Both directions are compressed rows:
// 12 bytes per edge in all. A copy shares everything but the unary potentials.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/core/types.h"
#include "fgnn/graph/evidence.h"
#include "fgnn/graph/names.h"
#include "fgnn/graph/potential.h"

namespace fgnn {

class FactorGraph {
 public:
  FactorGraph();  // no variables, no factors, score 0

  std::size_t num_variables() const { return s_->states.size(); }
  std::size_t num_factors() const { return s_->factor_potential.size(); }
  std::size_t num_edges() const { return s_->edge_variable.size(); }
  std::size_t num_potentials() const { return s_->potentials.size(); }
  // Sum of the numbers of states; the size of a flat array with one entry per variable and state.
  std::size_t total_states() const { return s_->state_offset.back(); }

  State states(VariableId v) const { return s_->states[v]; }
  std::span<const State> states() const { return s_->states; }
  std::size_t state_offset(VariableId v) const { return s_->state_offset[v]; }

  std::span<const VariableId> scope(FactorId c) const {
    return std::span(s_->edge_variable).subspan(first_edge(c), arity(c));
  }
  std::size_t arity(FactorId c) const { return s_->factor_edge[c + 1] - s_->factor_edge[c]; }
  EdgeId first_edge(FactorId c) const { return s_->factor_edge[c]; }
  std::vector<State> shape(FactorId c) const;

  const Potential& potential(FactorId c) const { return *s_->potentials[potential_index(c)]; }
  // Factors that share a potential have the same index, 0 .. num_potentials()-1.
  std::uint32_t potential_index(FactorId c) const { return s_->factor_potential[c]; }
  const std::shared_ptr<const Potential>& shared_potential(std::uint32_t index) const {
    return s_->potentials[index];
  }

  // Edges at a variable, in ascending order.
  std::span<const EdgeId> edges(VariableId v) const {
    return std::span(s_->variable_edges)
        .subspan(s_->variable_edge[v], s_->variable_edge[v + 1] - s_->variable_edge[v]);
  }
  FactorId factor_of(EdgeId e) const { return s_->edge_factor[e]; }
  VariableId variable_of(EdgeId e) const { return s_->edge_variable[e]; }

  // theta_i, one log-value per state; zeros where none was given.
  std::span<const double> unary(VariableId v) const {
    return std::span(unary_).subspan(state_offset(v), states(v));
  }
  std::span<const double> unaries() const { return unary_; }
  double constant() const { return s_->constant; }

  std::string name(VariableId v) const { return s_->names.of(v); }
  std::optional<VariableId> find(std::string_view name) const { return s_->names.find(name); }
  const Names& names() const { return s_->names; }
  // "factor 7 (x[0], x[1], …)", for messages.
  std::string describe(FactorId c) const;

  // log of the unnormalised probability; kForbidden when any part forbids the assignment. Throws
  // Error(model) when the assignment has the wrong length or a state out of range.
  double score(std::span<const State> assignment) const;

  // The same graph with the evidence folded into the unary potentials (other states of an observed
  // variable become forbidden). Throws Error(model) naming the variable when it does not fit.
  FactorGraph given(const Evidence& evidence) const;
  // The same graph with other unary potentials (total_states() values).
  FactorGraph with_unaries(std::vector<double> unaries) const;

  // Same variables, scopes and numbers of states, whatever the potentials.
  bool same_structure(const FactorGraph& other) const;

  // Copies of one graph that differ at most in their unary potentials.
  bool shares_potentials(const FactorGraph& other) const { return s_ == other.s_; }

  // The same variables with the same names, factors in the same order, and the same numbers.
  bool operator==(const FactorGraph& other) const;

  std::size_t bytes() const;

 private:
  friend class GraphBuilder;

  struct Structure {
    std::vector<State> states;
    std::vector<std::uint32_t> state_offset{0};   // variables + 1
    std::vector<EdgeId> factor_edge{0};           // factors + 1
    std::vector<VariableId> edge_variable;        // edges
    std::vector<FactorId> edge_factor;            // edges
    std::vector<EdgeId> variable_edge{0};         // variables + 1
    std::vector<EdgeId> variable_edges;           // edges
    std::vector<std::uint32_t> factor_potential;  // factors
    std::vector<std::shared_ptr<const Potential>> potentials;
    Names names;
    double constant = 0;
  };

  std::shared_ptr<const Structure> s_;
  std::vector<double> unary_;
};

// Its size, and its variables and factors unless they are many. All of it is what io/fgt.h writes.
std::ostream& operator<<(std::ostream& out, const FactorGraph& graph);

}  // namespace fgnn
