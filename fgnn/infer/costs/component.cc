#include "fgnn/infer/costs/component.h"

#include <algorithm>

#include "fgnn/infer/costs/sweeps.h"

namespace fgnn::costs {

Component::Component(const Network& network, const std::vector<Id>& variables)
    : network_(network), variables_(variables) {
  std::vector<char> mine(network.size(), 0);
  for (Id v : variables) mine[v] = 1;
  for (const Function& function : network.functions()) {
    if (mine[function.scope.front()]) functions_.push_back(&function);
  }
  store_ = std::make_unique<Store>(network, mine);
}

bool Component::sweep(const std::vector<std::uint32_t>& rank, std::size_t passes, double share,
                      const std::vector<std::uint32_t>& states, const Deadline& deadline) {
  if (!remove_forbidden(*store_)) return false;
  Sweeps sweeps(*store_, rank);
  const double answer = states.empty() ? kInfinity : cost(states);
  for (std::size_t i = 0; i < passes && sweeps.pass(deadline); ++i) {
    const double gain = store_->bound() - bound_;
    raise(store_->bound());
    if (gain <= share * (answer - bound_)) break;
  }
  return !sweeps.contradiction();
}

double Component::cost(const std::vector<std::uint32_t>& states) const {
  double sum = 0;
  for (Id v : variables_) sum += network_.unary(v)[states[v]];
  for (const Function* function : functions_) {
    std::size_t at = 0;
    for (Id v : function->scope) at = at * network_.unary(v).size() + states[v];
    sum += function->values[at];
  }
  return sum;
}

void Component::copy(const std::vector<std::uint32_t>& from, std::vector<std::uint32_t>& to) const {
  for (Id v : variables_) to[v] = from[v];
}

bool remove_forbidden(Store& store) {
  for (Id v = 0; v < store.size(); ++v) {
    if (store.left(v).empty()) continue;  // eliminated, or of another component
    for (std::size_t k = store.left(v).size(); k-- > 0;) {
      const std::uint32_t x = store.left(v)[k];
      if (store.unary(v, x) == kInfinity) store.remove(v, x);
    }
    if (store.left(v).empty()) return false;
  }
  store.forget();
  return true;
}

}  // namespace fgnn::costs
