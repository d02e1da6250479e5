// Flooding belief propagation as one writes it when speed matters a little: flat arrays, all
// messages of a table by halving it, no SIMD, no threads, one kind of factor. The baseline of
// `fgnn bench bp`. Sums work on plain numbers, maxima on logarithms; nothing may be forbidden.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/potentials/table.h"

namespace fgnn::bench {

struct PlainSum {
  static constexpr double kZero = 0, kOne = 1;
  static double times(double a, double b) { return a * b; }
  static double divide(double a, double b) { return a / b; }
  static double plus(double a, double b) { return a + b; }
  static double from_log(double a) { return std::exp(a); }
};

struct PlainMax {
  static constexpr double kZero = kForbidden, kOne = 0;
  static double times(double a, double b) { return a + b; }
  static double divide(double a, double b) { return a - b; }
  static double plus(double a, double b) { return std::max(a, b); }
  static double from_log(double a) { return a; }
};

template <class A>
class PlainBp {
 public:
  explicit PlainBp(const FactorGraph& graph) : graph_(graph) {
    for (double theta : graph.unaries()) unary_.push_back(A::from_log(theta));
    belief_ = unary_;
    for (FactorId c = 0; c < graph.num_factors(); ++c) {
      table_start_.push_back(table_.size());
      const Table table = expand(graph.potential(c), graph.shape(c));
      for (double value : table.values()) table_.push_back(A::from_log(value));
      // The halves of the halves of … a table never come to more than this.
      scratch_.resize(std::max(scratch_.size(), 8 * table.values().size() + 64));
      for (VariableId v : graph.scope(c)) {
        message_start_.push_back(message_.size());
        message_.resize(message_.size() + graph.states(v), A::kOne);
      }
    }
  }

  void flood() {
    for (FactorId c = 0; c < graph_.num_factors(); ++c) update(c);
    belief_ = unary_;
    for (EdgeId e = 0; e < graph_.num_edges(); ++e) {
      const VariableId v = graph_.variable_of(e);
      double* belief = &belief_[graph_.state_offset(v)];
      const double* message = &message_[message_start_[e]];
      for (State x = 0; x < graph_.states(v); ++x) belief[x] = A::times(belief[x], message[x]);
    }
  }

  const std::vector<double>& beliefs() const { return belief_; }
  std::size_t table_entries() const { return table_.size(); }

 private:
  void update(FactorId c) {
    const EdgeId first = graph_.first_edge(c);
    in_.clear();
    for (VariableId v : graph_.scope(c)) {
      const double* message = &message_[message_start_[first] + in_.size()];
      const double* belief = &belief_[graph_.state_offset(v)];
      for (State x = 0; x < graph_.states(v); ++x) in_.push_back(A::divide(belief[x], message[x]));
    }
    const double* table = &table_[table_start_[c]];
    double* out = &message_[message_start_[first]];
    if (graph_.arity(c) == 2) {
      const std::span<const double> in(in_);
      const State rows = graph_.states(graph_.scope(c)[0]);
      pass(table, in.first(rows), in.subspan(rows), out, out + rows);
    } else {
      messages(graph_.scope(c), table, in_.data(), out, scratch_.data());
    }
    for (VariableId v : graph_.scope(c)) {
      const State states = graph_.states(v);
      const double most = *std::max_element(out, out + states);
      for (State x = 0; x < states; ++x) out[x] = A::divide(out[x], most);
      out += states;
    }
  }

  // Messages of a table to the variables of `scope`, whose incoming ones stand in `in`: the table
  // is a matrix, first half of the variables by second; each half recurses with the other summed
  // out. `free` is scratch memory.
  void messages(std::span<const VariableId> scope, const double* table, const double* in,
                double* out, double* free) {
    if (scope.size() == 1) {
      std::copy_n(table, graph_.states(scope[0]), out);
      return;
    }
    const auto first = scope.first(scope.size() / 2), second = scope.subspan(scope.size() / 2);
    std::size_t slots = 0;
    for (VariableId v : first) slots += graph_.states(v);
    const std::span<double> w = product(first, in, free),
                            u = product(second, in + slots, w.data() + w.size());
    double* y = u.data() + u.size();
    double* z = y + w.size();
    pass(table, w, u, y, z);
    messages(first, y, in, out, z + u.size());
    messages(second, z, in + slots, out + slots, z + u.size());
  }

  // y = M u and z = w M, in one pass over the matrix.
  static void pass(const double* m, std::span<const double> w, std::span<const double> u, double* y,
                   double* z) {
    std::fill_n(z, u.size(), A::kZero);
    for (std::size_t r = 0; r < w.size(); ++r) {
      double sum = A::kZero;
      for (std::size_t k = 0; k < u.size(); ++k) {
        const double entry = m[r * u.size() + k];
        sum = A::plus(sum, A::times(entry, u[k]));
        z[k] = A::plus(z[k], A::times(entry, w[r]));
      }
      y[r] = sum;
    }
  }

  // By joint state, in `to`.
  std::span<double> product(std::span<const VariableId> scope, const double* in, double* to) const {
    std::size_t size = 1;
    to[0] = A::kOne;
    for (VariableId v : scope) {
      const State states = graph_.states(v);
      for (std::size_t a = size; a-- > 0;) {  // backwards: in place
        for (State x = states; x-- > 0;) to[a * states + x] = A::times(to[a], in[x]);
      }
      size *= states;
      in += states;
    }
    return {to, size};
  }

  const FactorGraph& graph_;
  std::vector<double> unary_, belief_, table_, message_, in_, scratch_;
  std::vector<std::size_t> table_start_, message_start_;
};

}  // namespace fgnn::bench
