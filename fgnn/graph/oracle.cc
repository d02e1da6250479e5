#include "fgnn/graph/oracle.h"

namespace fgnn {

std::vector<std::size_t> open_positions(Left left) {
  std::vector<std::size_t> open;
  for (std::size_t j = 0; j < left.size(); ++j) {
    if (left[j]->size() > 1) open.push_back(j);
  }
  return open;
}

Layout::Layout(Left left) : Layout() {
  for (const std::size_t j : open_positions(left)) add(static_cast<State>(left[j]->size()));
}

void Layout::add(State size) {
  sizes.push_back(size);
  offsets.push_back(offsets.back() + (size > 2 ? size : 1));
}

double Layout::score(std::span<const double> scores, std::span<const State> x) const {
  double sum = 0;
  for (std::size_t j = 0; j < sizes.size(); ++j) sum += score(scores, j, x[j]);
  return sum;
}

bool Oracle::feasible(TimeCheck& time) {
  const std::vector<double> zeros(layout_.coordinates(), 0.0);
  std::vector<State> x(layout_.arity());
  double own = 0;
  return best(zeros, x, own, time) != kForbidden;
}

}  // namespace fgnn
