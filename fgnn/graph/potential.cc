#include "fgnn/graph/potential.h"

#include <limits>
#include <vector>

#include "fgnn/graph/oracle.h"

namespace fgnn {

std::uint64_t configurations(Shape shape) {
  std::uint64_t total = 1;
  for (State states : shape) {
    if (__builtin_mul_overflow(total, std::uint64_t{states}, &total)) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return total;
}

bool next_configuration(Shape shape, std::span<State> x) {
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (++x[i] < shape[i]) return true;
    x[i] = 0;
  }
  return false;
}

void Potential::fill(Shape shape, std::span<double> out) const {
  std::vector<State> x(shape.size(), 0);
  for (double& value : out) {
    value = score(x);
    next_configuration(shape, x);
  }
}

ScoreRange Potential::range(Shape) const { return {kForbidden, kInfinity}; }

std::shared_ptr<const LowRank> Potential::low_rank(Shape) const { return nullptr; }

std::shared_ptr<const MaxRankOne> Potential::max_rank_one(Shape) const { return nullptr; }

std::unique_ptr<MessageKernel> Potential::messages(Shape, Reduction, double) const {
  return nullptr;
}

std::unique_ptr<Machine> Potential::machine(Shape, Reduction) const { return nullptr; }

std::unique_ptr<Oracle> Potential::oracle(Left) const { return nullptr; }

}  // namespace fgnn
