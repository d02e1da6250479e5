#include "fgnn/graph/factor_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/graph/assignment.h"

namespace fgnn {
namespace {

constexpr std::size_t kNamesShown = 6;  // enough to find the factor, short enough for one line

constexpr std::size_t kPartsShown = 20;  // variables, and factors

template <class T>
std::size_t bytes_of(const std::vector<T>& v) {
  return v.size() * sizeof(T);
}

}  // namespace

FactorGraph::FactorGraph() : s_(std::make_shared<const Structure>()) {}

std::vector<State> FactorGraph::shape(FactorId c) const {
  std::vector<State> shape;
  shape.reserve(arity(c));
  for (VariableId v : scope(c)) shape.push_back(states(v));
  return shape;
}

std::string FactorGraph::describe(FactorId c) const {
  std::string text = fmt::format("factor {} (", c);
  const auto ids = scope(c);
  for (std::size_t i = 0; i < std::min(ids.size(), kNamesShown); ++i) {
    text += (i ? ", " : "") + name(ids[i]);
  }
  if (ids.size() > kNamesShown) text += fmt::format(", … {} in all", ids.size());
  return text + ")";
}

double FactorGraph::score(std::span<const State> assignment) const {
  check_assignment(*this, assignment);
  double total = constant();
  for (VariableId v = 0; v < num_variables(); ++v) total += unary(v)[assignment[v]];
  std::vector<State> local;
  for (FactorId c = 0; c < num_factors() && total != kForbidden; ++c) {
    local.clear();
    for (VariableId v : scope(c)) local.push_back(assignment[v]);
    total += potential(c).score(local);
  }
  return total;
}

FactorGraph FactorGraph::given(const Evidence& evidence) const {
  FactorGraph result = *this;
  const auto check = [this](VariableId v) {
    if (v >= num_variables()) {
      throw Error(ErrorCode::model, "evidence",
                  fmt::format("there is no variable {}, the graph has {}", v, num_variables()));
    }
  };
  for (const auto& [v, log_weights] : evidence.soft()) {
    check(v);
    if (log_weights.size() != states(v)) {
      throw Error(
          ErrorCode::model, name(v),
          fmt::format("soft evidence has {} weights for {} states", log_weights.size(), states(v)));
    }
    for (State x = 0; x < states(v); ++x) {
      if (std::isnan(log_weights[x]) || log_weights[x] == kInfinity) {
        throw Error(ErrorCode::model, name(v), "soft evidence must be finite or -inf");
      }
      double& sum = result.unary_[state_offset(v) + x];
      sum += log_weights[x];
      if (sum == kInfinity) {
        throw Error(ErrorCode::model, name(v), "soft evidence adds up to plus infinity");
      }
    }
  }
  for (const auto& [v, observed] : evidence.hard()) {
    check(v);
    if (observed >= states(v)) {
      throw Error(
          ErrorCode::model, name(v),
          fmt::format("observed in state {}, but it has states 0..{}", observed, states(v) - 1));
    }
    for (State x = 0; x < states(v); ++x) {
      if (x != observed) result.unary_[state_offset(v) + x] = kForbidden;
    }
  }
  return result;
}

FactorGraph FactorGraph::with_unaries(std::vector<double> unaries) const {
  if (unaries.size() != total_states()) {
    throw Error(ErrorCode::model, "unary potentials",
                fmt::format("{} values for {} states", unaries.size(), total_states()));
  }
  for (double value : unaries) {
    if (std::isnan(value) || value == kInfinity) {
      throw Error(ErrorCode::model, "unary potentials", "must be finite or -inf");
    }
  }
  FactorGraph result;
  result.s_ = s_;
  result.unary_ = std::move(unaries);
  return result;
}

bool FactorGraph::same_structure(const FactorGraph& other) const {
  return s_ == other.s_ ||
         (s_->states == other.s_->states && s_->factor_edge == other.s_->factor_edge &&
          s_->edge_variable == other.s_->edge_variable);
}

bool FactorGraph::operator==(const FactorGraph& other) const {
  if (unary_ != other.unary_ || !same_structure(other)) return false;
  if (s_ == other.s_) return true;
  if (constant() != other.constant() || s_->names != other.s_->names) return false;
  for (FactorId c = 0; c < num_factors(); ++c) {
    if (!potential(c).equals(other.potential(c))) return false;
  }
  return true;
}

std::ostream& operator<<(std::ostream& out, const FactorGraph& graph) {
  out << fmt::format("factor graph: {} variables, {} factors, {} edges", graph.num_variables(),
                     graph.num_factors(), graph.num_edges());
  for (VariableId v = 0; v < std::min(graph.num_variables(), kPartsShown); ++v) {
    out << fmt::format("\n  {}: {} states", graph.name(v), graph.states(v));
  }
  if (graph.num_variables() > kPartsShown) out << "\n  …";
  for (FactorId c = 0; c < std::min(graph.num_factors(), kPartsShown); ++c) {
    out << fmt::format("\n  {}: {}", graph.describe(c), graph.potential(c).kind());
  }
  if (graph.num_factors() > kPartsShown) out << "\n  …";
  return out << '\n';
}

std::size_t FactorGraph::bytes() const {
  std::size_t total = bytes_of(s_->states) + bytes_of(s_->state_offset) +
                      bytes_of(s_->factor_edge) + bytes_of(s_->edge_variable) +
                      bytes_of(s_->edge_factor) + bytes_of(s_->variable_edge) +
                      bytes_of(s_->variable_edges) + bytes_of(s_->factor_potential) +
                      bytes_of(s_->potentials) + bytes_of(unary_) + s_->names.bytes();
  for (const auto& potential : s_->potentials) total += potential->bytes();
  return total;
}

}  // namespace fgnn
