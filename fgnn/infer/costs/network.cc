#include "fgnn/infer/costs/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/infer/costs/joint.h"
#include "fgnn/infer/table_store.h"

namespace fgnn::costs {
namespace {

// Expanding a potential to read a part of it is worth while up to this many times the part.
constexpr std::uint64_t kExpandForPart = 4;

// Subtracts the least of them and returns it; all infinite: nothing is subtracted.
double take_least(std::vector<double>& costs) {
  const double least = *std::ranges::min_element(costs);
  if (least == kInfinity) return least;
  for (double& cost : costs) cost -= least;
  return least;
}

// The part of a factor's table in which its variables are in states that are left.
class Part {
 public:
  Part(const FactorGraph& graph, const Domains& domains, FactorId c) : graph_(graph), c_(c) {
    for (VariableId v : graph.scope(c)) left_.push_back(&domains.allowed[v]);
    std::uint64_t entries = 1;
    for (const auto* left : left_) {
      if (entries > (std::uint64_t{1} << 40)) break;  // large enough to be refused
      entries *= left->size();
    }
    entries_ = entries;
  }
  std::uint64_t entries() const { return entries_; }

  // Costs, with the axes in scope order.
  std::vector<double> read(TableStore& store, TimeCheck& time, const Budget& budget) const {
    const auto shape = graph_.shape(c_);
    const bool whole = graph_.potential(c_).stored().table != nullptr ||
                       configurations(shape) <= kExpandForPart * entries_;
    const std::span<const double> table =
        whole ? store.values(graph_, c_) : std::span<const double>();
    std::vector<double> costs;
    costs.reserve(entries_);
    std::vector<State> sizes, at(left_.size(), 0), x(left_.size());
    for (const auto* left : left_) sizes.push_back(static_cast<State>(left->size()));
    do {
      std::size_t entry = 0;
      for (std::size_t i = 0; i < left_.size(); ++i) {
        x[i] = (*left_[i])[at[i]];
        entry = entry * shape[i] + x[i];
      }
      costs.push_back(-(whole ? table[entry] : graph_.potential(c_).score(x)));
      if (time.late(x.size())) budget.check_time();
    } while (next_configuration(sizes, at));
    return costs;
  }

 private:
  const FactorGraph& graph_;
  FactorId c_;
  std::vector<const std::vector<State>*> left_;
  std::uint64_t entries_ = 1;
};

}  // namespace

Network::Network(const FactorGraph& graph, const Domains& domains, Budget& budget,
                 const NetworkOptions& options)
    : only_(graph.num_variables(), 0), base_(-graph.constant()) {
  constexpr Id kDecided = ~Id{0};
  std::vector<Id> of(graph.num_variables(), kDecided);
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    const auto& allowed = domains.allowed[v];
    only_[v] = allowed.front();
    if (allowed.size() == 1) {
      base_ -= graph.unary(v)[only_[v]];
      continue;
    }
    of[v] = static_cast<Id>(original_.size());
    original_.push_back(v);
    states_.push_back(allowed);
    auto& costs = unary_.emplace_back();
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
    std::vector<double> costs = part.read(store, time, budget);
    Function function;
    for (VariableId v : graph.scope(c)) {
      if (of[v] != kDecided) function.scope.push_back(of[v]);
    }
    if (!std::ranges::is_sorted(function.scope)) {  // other order of axes
      std::vector<Id> sorted = function.scope;
      std::ranges::sort(sorted);
      std::vector<std::uint32_t> sizes;
      for (Id v : function.scope) sizes.push_back(static_cast<std::uint32_t>(states_[v].size()));
      std::vector<std::size_t> strides(sizes.size());
      std::size_t stride = 1;
      for (std::size_t j = sorted.size(); j-- > 0;) {
        const auto i = std::ranges::find(function.scope, sorted[j]) - function.scope.begin();
        strides[static_cast<std::size_t>(i)] = stride;
        stride *= states_[sorted[j]].size();
      }
      std::vector<double> turned(costs.size());
      JointWalk walk(sizes);
      walk.track(strides);
      for (double cost : costs) {
        turned[walk.at(0)] = cost;
        walk.next();
      }
      function.scope = std::move(sorted);
      costs = std::move(turned);
    }
    function.values = std::move(costs);
    add(std::move(function));
  }
  absorb(options.most_entries);
  normalise();
  eliminate(budget, options);
  normalise();
}

void Network::add(Function function) {
  if (function.scope.empty()) {
    base_ += function.values.front();
  } else if (function.scope.size() == 1) {
    auto& costs = unary_[function.scope.front()];
    for (std::size_t x = 0; x < costs.size(); ++x) costs[x] += function.values[x];
  } else {
    functions_.push_back(std::move(function));
  }
}

// Each function goes into the first, smallest other one that has all its variables.
void Network::absorb(std::uint64_t most_entries) {
  std::vector<std::size_t> by_size(functions_.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::ranges::stable_sort(by_size, {}, [&](std::size_t f) { return functions_[f].scope.size(); });
  std::vector<std::vector<std::size_t>> at(unary_.size());
  for (std::size_t f : by_size) {
    for (Id v : functions_[f].scope) at[v].push_back(f);
  }
  for (std::size_t i = 0; i < by_size.size(); ++i) {
    Function& small = functions_[by_size[i]];
    const Id rarest =
        *std::ranges::min_element(small.scope, {}, [&](Id v) { return at[v].size(); });
    bool behind = false;  // only those that come later in the order: nothing goes in a circle
    for (std::size_t g : at[rarest]) {
      if (g == by_size[i]) {
        behind = true;
        continue;
      }
      Function& large = functions_[g];
      if (!behind || large.values.size() > most_entries ||
          !std::ranges::includes(large.scope, small.scope)) {
        continue;
      }
      std::vector<std::uint32_t> sizes;
      for (Id v : large.scope) sizes.push_back(static_cast<std::uint32_t>(states_[v].size()));
      JointWalk walk(sizes);
      walk.track(strides_within(small.scope, large.scope, [&](Id v) { return states_[v].size(); }));
      for (double& cost : large.values) {
        cost += small.values[walk.at(0)];
        walk.next();
      }
      small.scope.clear();
      break;
    }
  }
  std::erase_if(functions_, [](const Function& f) { return f.scope.empty(); });
}

void Network::normalise() {
  for (auto& costs : unary_) {
    if (!costs.empty()) base_ += take_least(costs);
  }
  for (Function& function : functions_) base_ += take_least(function.values);
}

void Network::eliminate(Budget& budget, const NetworkOptions& options) {
  std::vector<std::set<std::size_t>> at(unary_.size());
  for (std::size_t f = 0; f < functions_.size(); ++f) {
    for (Id v : functions_[f].scope) at[v].insert(f);
  }
  std::vector<char> queued(unary_.size(), 1);
  std::queue<Id> open;
  for (Id v = 0; v < unary_.size(); ++v) open.push(v);
  TimeCheck time(budget.deadline());
  while (!open.empty() && base_ < kInfinity) {
    const Id v = open.front();
    open.pop();
    queued[v] = 0;
    if (unary_[v].empty()) continue;
    std::vector<Id> around;
    std::size_t widest = 0;
    for (std::size_t f : at[v]) {
      std::ranges::copy(functions_[f].scope, std::back_inserter(around));
      widest = std::max(widest, functions_[f].scope.size());
      if (around.size() > 64) break;
    }
    std::ranges::sort(around);
    around.erase(std::unique(around.begin(), around.end()), around.end());
    std::erase(around, v);
    if (around.size() > std::max(widest, options.narrow)) continue;
    std::uint64_t entries = unary_[v].size();
    for (Id u : around) entries *= states_[u].size();
    if (entries > options.eliminate_up_to) continue;
    if (time.late(entries)) budget.check_time();
    budget.take(entries * (sizeof(double) + sizeof(std::uint32_t)));
    // The variable itself is the last, fastest axis.
    std::vector<std::uint32_t> sizes;
    for (Id u : around) sizes.push_back(static_cast<std::uint32_t>(states_[u].size()));
    sizes.push_back(static_cast<std::uint32_t>(unary_[v].size()));
    JointWalk walk(sizes);
    std::vector<const Function*> inputs;
    for (std::size_t f : at[v]) {
      const Function& function = functions_[f];
      auto strides = std::vector<std::size_t>(sizes.size(), 0);
      std::size_t stride = 1;
      for (std::size_t j = function.scope.size(); j-- > 0;) {
        const Id u = function.scope[j];
        const auto place = u == v ? around.size()
                                  : static_cast<std::size_t>(std::ranges::lower_bound(around, u) -
                                                             around.begin());
        strides[place] = stride;
        stride *= states_[u].size();
      }
      walk.track(std::move(strides));
      inputs.push_back(&function);
    }
    Eliminated record{v, around, {}};
    Function result{around, {}};
    do {
      double cost = unary_[v][walk.digit(around.size())];
      for (std::size_t k = 0; k < inputs.size(); ++k) cost += inputs[k]->values[walk.at(k)];
      const std::uint32_t x = walk.digit(around.size());
      if (x == 0) {
        result.values.push_back(cost);
        record.best.push_back(0);
      } else if (cost < result.values.back()) {
        result.values.back() = cost;
        record.best.back() = x;
      }
    } while (walk.next());
    for (std::size_t f : std::set<std::size_t>(at[v])) {
      for (Id u : functions_[f].scope) at[u].erase(f);
      functions_[f] = {};
    }
    unary_[v].clear();
    eliminated_.push_back(std::move(record));
    // Into a function that has all these variables, if there is one.
    Function* host = nullptr;
    if (around.size() >= 2) {
      for (std::size_t f : at[around.front()]) {
        if (std::ranges::includes(functions_[f].scope, around)) host = &functions_[f];
      }
    }
    if (host != nullptr) {
      std::vector<std::uint32_t> shape;
      for (Id u : host->scope) shape.push_back(static_cast<std::uint32_t>(states_[u].size()));
      JointWalk both(shape);
      both.track(strides_within(around, host->scope, [&](Id u) { return states_[u].size(); }));
      for (double& cost : host->values) {
        cost += result.values[both.at(0)];
        both.next();
      }
    } else {
      if (around.size() >= 2) {
        for (Id u : around) at[u].insert(functions_.size());
      }
      add(std::move(result));
    }
    for (Id u : around) {
      if (!queued[u]) open.push(u);
      queued[u] = 1;
    }
  }
  std::erase_if(functions_, [](const Function& f) { return f.scope.empty(); });
}

std::vector<State> Network::decode(std::vector<std::uint32_t> states) const {
  for (std::size_t i = eliminated_.size(); i-- > 0;) {
    const Eliminated& record = eliminated_[i];
    std::size_t entry = 0;
    for (Id u : record.around) entry = entry * states_[u].size() + states[u];
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
