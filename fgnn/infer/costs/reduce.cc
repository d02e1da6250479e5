#include "fgnn/infer/costs/reduce.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "fgnn/infer/costs/joint.h"

namespace fgnn::costs {
namespace {

constexpr std::size_t kManyNeighbours = 32;  // nobody eliminates a variable with more

class Eliminator {
 public:
  Eliminator(Functions& costs, Budget& budget, const ReduceOptions& options)
      : costs_(costs),
        budget_(budget),
        options_(options),
        time_(budget.deadline()),
        at_(costs.unary.size()),
        queued_(costs.unary.size(), 1) {
    for (std::size_t f = 0; f < costs.functions.size(); ++f) enlist(f);
    for (Id v = 0; v < costs.unary.size(); ++v) queue_.push(v);
  }

  std::vector<Eliminated> run() {
    while (!queue_.empty()) {
      const Id v = queue_.front();
      queue_.pop();
      queued_[v] = 0;
      if (costs_.unary[v].empty()) continue;
      const std::vector<Id> around = neighbours(v);
      if (!cheap(v, around)) continue;
      remove(v, around);
      for (Id u : around) {
        if (!queued_[u]) queue_.push(u);
        queued_[u] = 1;
      }
    }
    std::erase_if(costs_.functions, [](const Function& f) { return f.scope.empty(); });
    return std::move(done_);
  }

 private:
  void enlist(std::size_t f) {
    for (Id v : costs_.functions[f].scope) at_[v].insert(f);
  }

  std::vector<Id> neighbours(Id v) const {
    std::vector<Id> around;
    for (std::size_t f : at_[v]) {
      std::ranges::copy(costs_.functions[f].scope, std::back_inserter(around));
      std::ranges::sort(around);
      around.erase(std::unique(around.begin(), around.end()), around.end());
      if (around.size() > kManyNeighbours) break;
    }
    std::erase(around, v);
    return around;
  }

  bool cheap(Id v, const std::vector<Id>& around) const {
    std::size_t widest = options_.narrow;
    for (std::size_t f : at_[v]) widest = std::max(widest, costs_.functions[f].scope.size());
    if (around.size() > std::min(widest, kManyNeighbours)) return false;
    std::uint64_t entries = costs_.states[v];
    for (Id u : around) {
      if (entries <= options_.eliminate_up_to) entries *= costs_.states[u];
    }
    return entries <= options_.eliminate_up_to;
  }

  void remove(Id v, const std::vector<Id>& around) {
    std::vector<Id> axes = around;
    axes.push_back(v);  // fastest
    JointWalk walk(costs_.shape(axes));
    std::vector<const double*> inputs;
    std::uint64_t entries = costs_.states[v];
    for (Id u : around) entries *= costs_.states[u];
    budget_.take(entries * (sizeof(double) + sizeof(std::uint32_t)));
    if (time_.late(entries)) budget_.check_time();
    for (std::size_t f : at_[v]) {
      walk.track(strides_within(costs_.functions[f].scope, axes, costs_.states));
      inputs.push_back(costs_.functions[f].values.data());
    }
    Eliminated record{v, around, {}};
    Function result{around, {}};
    do {
      const std::uint32_t x = walk.digit(around.size());
      double cost = costs_.unary[v][x];
      for (std::size_t k = 0; k < inputs.size(); ++k) cost += inputs[k][walk.at(k)];
      if (x == 0) {
        result.values.push_back(cost);
        record.best.push_back(0);
      } else if (cost < result.values.back()) {
        result.values.back() = cost;
        record.best.back() = x;
      }
    } while (walk.next());
    done_.push_back(std::move(record));
    replace(v, std::move(result));
  }

  // Takes the variable and its functions out and puts the result in: into a function that has all
  // its variables, where there is one.
  void replace(Id v, Function result) {
    for (std::size_t f : std::set<std::size_t>(at_[v])) {
      for (Id u : costs_.functions[f].scope) at_[u].erase(f);
      costs_.functions[f] = {};
    }
    costs_.unary[v].clear();
    if (result.scope.size() >= 2) {
      for (std::size_t f : at_[result.scope.front()]) {
        Function& host = costs_.functions[f];
        if (std::ranges::includes(host.scope, result.scope)) {
          return costs_.add_into(host, result);
        }
      }
    }
    const bool listed = result.scope.size() >= 2;
    costs_.add(std::move(result));
    if (listed) enlist(costs_.functions.size() - 1);
  }

  Functions& costs_;
  Budget& budget_;
  const ReduceOptions& options_;
  TimeCheck time_;
  std::vector<std::set<std::size_t>> at_;  // functions by variable
  std::vector<char> queued_;
  std::queue<Id> queue_;
  std::vector<Eliminated> done_;
};

}  // namespace

// Each goes into the smallest that comes behind it, by number of variables: nothing goes in a
// circle.
void absorb(Functions& costs) {
  std::vector<std::size_t> by_size(costs.functions.size()), rank(by_size.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::ranges::stable_sort(by_size, {},
                           [&](std::size_t f) { return costs.functions[f].scope.size(); });
  std::vector<std::vector<std::size_t>> at(costs.unary.size());
  for (std::size_t i = 0; i < by_size.size(); ++i) {
    rank[by_size[i]] = i;
    for (Id v : costs.functions[by_size[i]].scope) at[v].push_back(by_size[i]);
  }
  for (const std::size_t f : by_size) {
    Function& part = costs.functions[f];
    const Id rarest = *std::ranges::min_element(part.scope, {}, [&](Id v) { return at[v].size(); });
    const auto host = std::ranges::find_if(at[rarest], [&](std::size_t g) {
      return rank[g] > rank[f] && std::ranges::includes(costs.functions[g].scope, part.scope);
    });
    if (host == at[rarest].end()) continue;
    costs.add_into(costs.functions[*host], part);
    part = {};
  }
  std::erase_if(costs.functions, [](const Function& f) { return f.scope.empty(); });
}

std::vector<Eliminated> eliminate(Functions& costs, Budget& budget, const ReduceOptions& options) {
  return Eliminator(costs, budget, options).run();
}

}  // namespace fgnn::costs
