#include "fgnn/infer/costs/network.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/infer/table_store.h"

namespace fgnn::costs {
namespace {

// Expanding a potential to read a part of it is worth while up to this many times the part.
constexpr std::uint64_t kExpandForPart = 4;

constexpr Id kDecided = ~Id{0};

// The part of a factor's table in which its variables are in states that are left.
class Part {
 public:
  Part(const FactorGraph& graph, const Domains& domains, FactorId c) : graph_(graph), c_(c) {
    for (VariableId v : graph.scope(c)) {
      left_.push_back(&domains.allowed[v]);
      sizes_.push_back(static_cast<State>(left_.back()->size()));
    }
  }
  std::uint64_t entries() const { return configurations(sizes_); }

  // Costs, with the axes in scope order.
  std::vector<double> read(TableStore& store, TimeCheck& time, const Budget& budget) const {
    const auto shape = graph_.shape(c_);
    const bool whole = graph_.potential(c_).stored().table != nullptr ||
                       configurations(shape) / kExpandForPart <= entries();
    const std::span<const double> table =
        whole ? store.values(graph_, c_) : std::span<const double>();
    std::vector<double> costs;
    costs.reserve(entries());
    std::vector<State> at(left_.size(), 0), x(left_.size());
    do {
      std::size_t entry = 0;
      for (std::size_t i = 0; i < left_.size(); ++i) {
        x[i] = (*left_[i])[at[i]];
        entry = entry * shape[i] + x[i];
      }
      costs.push_back(-(whole ? table[entry] : graph_.potential(c_).score(x)));
      if (time.late(x.size())) budget.check_time();
    } while (next_configuration(sizes_, at));
    return costs;
  }

 private:
  const FactorGraph& graph_;
  FactorId c_;
  std::vector<const std::vector<State>*> left_;
  std::vector<State> sizes_;
};

}  // namespace

Network::Network(const FactorGraph& graph, const Domains& domains, Budget& budget,
                 const NetworkOptions& options)
    : only_(graph.num_variables(), 0) {
  read(graph, domains, budget, options);
  absorb(costs_);
  costs_.normalise();
  if (costs_.base == kInfinity) return;
  eliminated_ = eliminate(costs_, budget, options.reduce);
  costs_.normalise();
}

void Network::read(const FactorGraph& graph, const Domains& domains, Budget& budget,
                   const NetworkOptions& options) {
  std::vector<Id> of(graph.num_variables(), kDecided);
  costs_.base = -graph.constant();
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    const auto& allowed = domains.allowed[v];
    only_[v] = allowed.front();
    if (allowed.size() == 1) {
      costs_.base -= graph.unary(v)[only_[v]];
      continue;
    }
    of[v] = static_cast<Id>(original_.size());
    original_.push_back(v);
    states_.push_back(allowed);
    costs_.states.push_back(static_cast<std::uint32_t>(allowed.size()));
    auto& costs = costs_.unary.emplace_back();
    for (State x : allowed) costs.push_back(-graph.unary(v)[x]);
  }
  TableStore store(budget.deadline());
  TimeCheck time(budget.deadline());
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const Part part(graph, domains, c);
    if (part.entries() > options.most_entries) {
      throw Error(ErrorCode::unsupported, graph.describe(c), "its table has too many entries",
                  "use --method auto, ad3-exact or exact, which keep its structure");
    }
    budget.take(sizeof(double) * part.entries() + sizeof(Function));
    Function function{{}, part.read(store, time, budget)};
    for (VariableId v : graph.scope(c)) {
      if (of[v] != kDecided) function.scope.push_back(of[v]);
    }
    costs_.add(sorted(std::move(function), costs_));
  }
}

std::vector<std::vector<Id>> Network::components() const {
  std::vector<Id> parent(size());
  std::iota(parent.begin(), parent.end(), Id{0});
  const auto root = [&](Id v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Function& function : functions()) {
    for (Id v : function.scope) parent[root(v)] = root(function.scope.front());
  }
  std::vector<std::vector<Id>> by_root(size());
  for (Id v = 0; v < size(); ++v) {
    if (!unary(v).empty()) by_root[root(v)].push_back(v);
  }
  std::erase_if(by_root, [](const auto& part) { return part.empty(); });
  std::ranges::stable_sort(by_root, {}, [](const auto& part) { return part.size(); });
  return by_root;
}

std::vector<State> Network::decode(std::vector<std::uint32_t> states) const {
  for (std::size_t i = eliminated_.size(); i-- > 0;) {
    const Eliminated& record = eliminated_[i];
    std::size_t entry = 0;
    for (Id u : record.around) entry = entry * costs_.states[u] + states[u];
    states[record.variable] = record.best[entry];
  }
  std::vector<State> assignment = only_;
  for (Id v = 0; v < states.size(); ++v) assignment[original_[v]] = states_[v][states[v]];
  return assignment;
}

bool Network::encode(std::span<const State> assignment, std::vector<std::uint32_t>& states) const {
  states.resize(size());
  for (Id v = 0; v < size(); ++v) {
    const auto place = std::ranges::lower_bound(states_[v], assignment[original_[v]]);
    if (place == states_[v].end() || *place != assignment[original_[v]]) return false;
    states[v] = static_cast<std::uint32_t>(place - states_[v].begin());
  }
  return true;
}

}  // namespace fgnn::costs
