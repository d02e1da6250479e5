#include "fgnn/infer/costs/functions.h"

#include <algorithm>
#include <utility>

#include "fgnn/infer/costs/joint.h"

namespace fgnn::costs {
namespace {

// Subtracts the least of them and returns it; all infinite: nothing is subtracted.
double take_least(std::vector<double>& costs) {
  const double least = *std::ranges::min_element(costs);
  if (least == kInfinity) return least;
  for (double& cost : costs) cost -= least;
  return least;
}

}  // namespace

void Functions::add(Function function) {
  if (function.scope.empty()) {
    base += function.values.front();
  } else if (function.scope.size() == 1) {
    auto& costs = unary[function.scope.front()];
    for (std::size_t x = 0; x < costs.size(); ++x) costs[x] += function.values[x];
  } else {
    functions.push_back(std::move(function));
  }
}

void Functions::add_into(Function& host, const Function& part) const {
  JointWalk walk(shape(host.scope));
  walk.track(strides_within(part.scope, host.scope, states));
  for (double& cost : host.values) {
    cost += part.values[walk.at(0)];
    walk.next();
  }
}

std::vector<std::uint32_t> Functions::shape(std::span<const Id> scope) const {
  std::vector<std::uint32_t> sizes;
  for (Id v : scope) sizes.push_back(states[v]);
  return sizes;
}

void Functions::normalise() {
  for (auto& costs : unary) {
    if (!costs.empty()) base += take_least(costs);
  }
  for (Function& function : functions) base += take_least(function.values);
}

Function sorted(Function function, const Functions& costs) {
  if (std::ranges::is_sorted(function.scope)) return function;
  Function result{function.scope, std::vector<double>(function.values.size())};
  std::ranges::sort(result.scope);
  JointWalk walk(costs.shape(function.scope));
  walk.track(strides_within(result.scope, function.scope, costs.states));
  for (double cost : function.values) {
    result.values[walk.at(0)] = cost;
    walk.next();
  }
  return result;
}

}  // namespace fgnn::costs
