#include "fgnn/infer/ad3/problem.h"

#include <algorithm>
#include <cmath>

#include "fgnn/infer/ad3/grouping.h"

namespace fgnn::admm {
namespace {

class Restater {
 public:
  Restater(const FactorGraph& graph, const Domains& domains, TableStore& tables)
      : graph_(graph), domains_(domains), tables_(tables), time_(tables.deadline()) {}

  Problem run() {
    p_.constant = graph_.constant();
    p_.coordinate.reserve(graph_.num_variables() + 1);
    p_.factors.reserve(graph_.num_factors());
    p_.edges.reserve(graph_.num_edges());
    p_.at.reserve(graph_.num_edges());
    p_.turned.reserve(graph_.num_edges());
    for (VariableId v = 0; v < graph_.num_variables(); ++v) add_variable(v);
    p_.degree.assign(p_.theta.size(), 0);
    for (FactorId c = 0; c < graph_.num_factors() && p_.contradiction.empty(); ++c) add_factor(c);
    for (const std::int64_t k : p_.at) ++p_.degree[static_cast<std::size_t>(k)];
    p_.copies = p_.at.size();
    if (p_.contradiction.empty()) group_lanes(p_);
    return std::move(p_);
  }

 private:
  const std::vector<State>& left(VariableId v) const { return domains_.allowed[v]; }

  void add_variable(VariableId v) {
    const auto unary = graph_.unary(v);
    const auto& states = left(v);
    if (states.size() == 2) {
      p_.constant += unary[states[0]];
      p_.theta.push_back(unary[states[1]] - unary[states[0]]);
    } else if (states.size() == 1) {
      p_.constant += unary[states[0]];
    } else {
      for (const State x : states) p_.theta.push_back(unary[x]);
    }
    p_.coordinate.push_back(static_cast<std::uint32_t>(p_.theta.size()));
  }

  void add_factor(FactorId c) {
    const auto scope = graph_.scope(c);
    open_.clear();
    x_.clear();
    for (std::size_t j = 0; j < scope.size(); ++j) {
      x_.push_back(left(scope[j]).front());
      if (left(scope[j]).size() > 1) open_.push_back(j);
    }
    const Potential& potential = graph_.potential(c);
    if (open_.size() < 2) return fold(c);
    if (const Counting* counting = potential.stored().counting) {
      return counting->is_parity() ? add_parity(c, *counting) : add_count(c, *counting);
    }
    if (open_.size() == 2 && left(scope[open_[0]]).size() == 2 &&
        left(scope[open_[1]]).size() == 2 && add_pair(c)) {
      return;
    }
    add_general(c);
  }

  double score(FactorId c) const { return graph_.potential(c).score(x_); }

  // At most one variable is undecided: the factor is a unary term.
  void fold(FactorId c) {
    if (open_.empty()) {
      p_.constant += score(c);
      return;
    }
    const std::size_t j = open_[0];
    const VariableId v = graph_.scope(c)[j];
    double* theta = p_.theta.data() + p_.coordinate[v];
    if (left(v).size() == 2) {
      const double first = score(c);
      x_[j] = left(v)[1];
      theta[0] += score(c) - first;
      p_.constant += first;
    } else {
      for (const State x : left(v)) {
        x_[j] = x;
        *theta++ += score(c);
      }
    }
  }

  LocalFactor started(Kind kind) const {
    LocalFactor f;
    f.kind = kind;
    f.first = static_cast<std::uint32_t>(p_.at.size());
    return f;
  }

  void add_edge(FactorId c, std::size_t j, bool turned = false) {
    const VariableId v = graph_.scope(c)[j];
    p_.edges.push_back(
        {graph_.first_edge(c) + static_cast<EdgeId>(j), static_cast<std::uint32_t>(p_.at.size())});
    for (std::uint32_t k = p_.coordinate[v]; k < p_.coordinate[v + 1]; ++k) {
      p_.at.push_back(k);
      p_.turned.push_back(turned);
    }
  }

  void finish(LocalFactor f) {
    f.last = static_cast<std::uint32_t>(p_.at.size());
    p_.factors.push_back(f);
  }

  void add_parity(FactorId c, const Counting& parity) {
    LocalFactor f = started(Kind::parity);
    f.odd = parity.value(0) == kForbidden;
    for (const VariableId v : graph_.scope(c)) f.odd ^= left(v).size() == 1 && left(v)[0] == 1;
    for (const std::size_t j : open_) add_edge(c, j);
    finish(f);
  }

  // theta(x, y) = t00 + (t10 - t00) x + (t01 - t00) y + coupling x y. False when it forbids any.
  bool add_pair(FactorId c) {
    const auto scope = graph_.scope(c);
    const VariableId v = scope[open_[0]], u = scope[open_[1]];
    double t[2][2];
    for (const std::size_t i : {0, 1}) {
      for (const std::size_t j : {0, 1}) {
        x_[open_[0]] = left(v)[i];
        x_[open_[1]] = left(u)[j];
        t[i][j] = score(c);
        if (t[i][j] == kForbidden) return false;
      }
    }
    p_.constant += t[0][0];
    p_.theta[p_.coordinate[v]] += t[1][0] - t[0][0];
    p_.theta[p_.coordinate[u]] += t[0][1] - t[0][0];
    LocalFactor f = started(Kind::pair);
    f.coupling = (t[1][1] - t[1][0]) - (t[0][1] - t[0][0]);
    if (f.coupling == 0) return true;
    for (const std::size_t j : open_) add_edge(c, j);
    finish(f);
    return true;
  }

  void add_count(FactorId c, const Counting& count) {
    const auto scope = graph_.scope(c);
    LocalFactor f = started(Kind::count);
    std::size_t base = 0;
    depends_.clear();
    bool binary = true;
    for (std::size_t j = 0; j < scope.size(); ++j) {
      std::size_t chosen = 0;
      for (const State x : left(scope[j])) chosen += count.is_chosen(j, x);
      base += chosen == left(scope[j]).size();
      if (chosen == 0 || chosen == left(scope[j]).size()) continue;
      depends_.push_back(j);
      binary &= left(scope[j]).size() == 2;
    }
    if (!binary || !add_values(count, base, depends_.size(), f)) return add_general(c);
    if (f.size == 0) return refuse(c);
    if (depends_.empty()) return;
    for (const std::size_t j : depends_) {
      const bool turned = count.is_chosen(j, left(scope[j])[0]);
      f.turned |= turned;
      add_edge(c, j, turned);
    }
    finish(f);
  }

  // The values of counts base … base + n less the first, which joins the constant, if they are
  // concave; false if not.
  bool add_values(const Counting& count, std::size_t base, std::size_t n, LocalFactor& f) {
    const auto value = [&](std::size_t k) { return count.value(base + k); };
    std::size_t low = 0, high = n;
    while (low <= n && value(low) == kForbidden) ++low;
    if (low > n) return true;  // none: the caller sees size 0
    while (value(high) == kForbidden) --high;
    for (std::size_t k = low + 1; k < high; ++k) {
      if (!(value(k) - value(k - 1) >= value(k + 1) - value(k))) return false;
    }
    f.least = static_cast<std::uint32_t>(low);
    f.size = static_cast<std::uint32_t>(high - low + 1);
    f.values = static_cast<std::uint32_t>(p_.values.size());
    p_.constant += value(low);
    for (std::size_t k = low; k <= high; ++k) {
      p_.values.push_back(value(k) - value(low));
      f.flat &= value(k) == value(low);
    }
    return true;
  }

  void add_general(FactorId c) {
    LocalFactor f = started(Kind::general);
    left_.clear();
    for (const VariableId v : graph_.scope(c)) left_.push_back(&left(v));
    f.oracle = static_cast<std::uint32_t>(p_.oracles.size());
    Oracle& oracle = *p_.oracles.emplace_back(make_oracle(graph_, c, left_, tables_));
    const std::vector<double> zeros(oracle.layout().coordinates(), 0.0);
    std::vector<State> x(oracle.layout().arity());
    double own = 0;
    if (oracle.best(zeros, x, own, time_) == kForbidden) return refuse(c);
    for (const std::size_t j : open_) add_edge(c, j);
    finish(f);
  }

  void refuse(FactorId c) {
    p_.contradiction = graph_.describe(c) + " allows none of the joint states that are left";
  }

  const FactorGraph& graph_;
  const Domains& domains_;
  TableStore& tables_;
  TimeCheck time_;
  Problem p_;
  std::vector<std::size_t> open_, depends_;
  std::vector<State> x_;
  std::vector<const std::vector<State>*> left_;
};

}  // namespace

Problem restate(const FactorGraph& graph, const Domains& domains, TableStore& tables) {
  return Restater(graph, domains, tables).run();
}

}  // namespace fgnn::admm
