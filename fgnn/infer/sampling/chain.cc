#include "fgnn/infer/sampling/chain.h"

#include <algorithm>
#include <cmath>

#include "fgnn/core/budget.h"
#include "fgnn/core/log_math.h"

namespace fgnn {
namespace {

// For a factor that is broken while sampling: high enough to leave, finite to move at all.
constexpr double kBroken = 40;

}  // namespace

std::uint64_t Chain::bytes(const FactorGraph& graph) {
  return 4 * sizeof(double) * graph.total_states() + sizeof(State) * graph.num_variables() +
         2 * sizeof(double) * graph.num_factors() + sizeof(double) * graph.num_edges();
}

Chain::Chain(const FactorGraph& graph, std::uint64_t seed, std::uint64_t number)
    : graph_(graph),
      rng_(seed, number),
      x_(graph.num_variables(), 0),
      table_(graph.num_factors(), nullptr),
      entry_(graph.num_factors(), 0),
      stride_(graph.num_edges(), 0),
      pass_(graph.total_states()) {
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const auto* table = graph.potential(c).stored().table;
    if (table == nullptr) continue;
    table_[c] = table->data();
    std::size_t stride = 1;
    for (std::size_t i = graph.arity(c); i-- > 0;) {
      stride_[graph.first_edge(c) + i] = stride;
      stride *= graph.states(graph.scope(c)[i]);
    }
  }
  for (VariableId v = 0; v < x_.size(); ++v) {
    weight_.assign(graph.unary(v).begin(), graph.unary(v).end());
    draw(v);
  }
}

double Chain::value(FactorId c) const {
  if (table_[c] != nullptr) return table_[c][entry_[c]];
  scope_.clear();
  for (VariableId v : graph_.scope(c)) scope_.push_back(x_[v]);
  return graph_.potential(c).score(scope_);
}

void Chain::move(VariableId v, State x) {
  for (EdgeId e : graph_.edges(v)) {
    entry_[graph_.factor_of(e)] += stride_[e] * x - stride_[e] * x_[v];
  }
  x_[v] = x;
}

// The log-weights of the states of v given the others; what is forbidden costs `penalty`.
void Chain::weigh(VariableId v, double beta, double penalty) {
  weight_.assign(graph_.unary(v).begin(), graph_.unary(v).end());
  const State now = x_[v];
  for (EdgeId e : graph_.edges(v)) {
    const FactorId c = graph_.factor_of(e);
    for (State x = 0; x < weight_.size(); ++x) {
      if (weight_[x] == kForbidden) continue;
      double own = 0;
      if (table_[c] != nullptr) {
        own = table_[c][entry_[c] + stride_[e] * x - stride_[e] * now];
      } else {
        x_[v] = x;
        own = value(c);
      }
      weight_[x] += own == kForbidden ? -penalty : beta * own;
    }
    x_[v] = now;
  }
}

// Draws the state of v from weight_, which becomes its distribution.
void Chain::draw(VariableId v) {
  if (normalize_exp(weight_) == kForbidden) return;  // nowhere to go
  double left = rng_.uniform();
  State x = 0, last = 0;
  for (; x < weight_.size(); ++x) {
    if (weight_[x] > 0) last = x;
    left -= weight_[x];
    if (left < 0) break;
  }
  move(v, last);
}

bool Chain::sweep(double beta, double penalty, const Deadline& deadline) {
  TimeCheck time(deadline);
  for (VariableId v = 0; v < x_.size(); ++v) {
    if (time.late(1 + 8 * graph_.edges(v).size() * graph_.states(v))) return false;
    weigh(v, beta, penalty);
    draw(v);
  }
  return !deadline.expired();
}

double Chain::factors(double beta, double penalty) const {
  double total = 0;
  for (FactorId c = 0; c < graph_.num_factors(); ++c) {
    const double own = value(c);
    total += own == kForbidden ? -penalty : beta * own;
  }
  return total;
}

double Chain::score() const {
  double total = factors(1, kInfinity) + graph_.constant();
  for (VariableId v = 0; v < x_.size(); ++v) total += graph_.unary(v)[x_[v]];
  return total;
}

// A pass at beta = 1. Where nothing is forbidden it is counted, and stays where nothing is.
bool Chain::sample(ChainRecord& record, const Deadline& deadline) {
  const double before = score();
  record.best_score = std::max(record.best_score, before);
  if (before == kForbidden) return sweep(1, kBroken, deadline);
  TimeCheck time(deadline);
  for (VariableId v = 0; v < x_.size(); ++v) {
    if (time.late(1 + 8 * graph_.edges(v).size() * graph_.states(v))) return false;
    weigh(v, 1, kInfinity);
    draw(v);
    std::ranges::copy(weight_, pass_.begin() + static_cast<std::ptrdiff_t>(graph_.state_offset(v)));
  }
  ++record.samples;
  for (std::size_t s = 0; s < pass_.size(); ++s) {
    record.sum[s] += pass_[s];
    record.squares[s] += pass_[s] * pass_[s];
  }
  return !deadline.expired();
}

ChainRecord Chain::run(std::size_t sweeps, const Deadline& deadline) {
  ChainRecord record;
  record.sum.assign(graph_.total_states(), 0.0);
  record.squares.assign(graph_.total_states(), 0.0);
  double log_weight = 0, beta = 0, penalty = 0;
  for (std::size_t k = 1; k <= sweeps; ++k) {
    const double before = factors(beta, penalty);
    beta = static_cast<double>(k) / static_cast<double>(sweeps);
    penalty = k == sweeps ? kInfinity : beta / (1 - beta);
    log_weight += factors(beta, penalty) - before;
    if (k < sweeps && !sweep(beta, penalty, deadline)) return record;
  }
  record.annealed = true;
  record.log_weight = log_weight;
  for (std::size_t k = 0; k < sweeps; ++k) {
    if (!sample(record, deadline)) break;
  }
  record.best_score = std::max(record.best_score, score());
  return record;
}

}  // namespace fgnn
