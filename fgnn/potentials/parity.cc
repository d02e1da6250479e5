#include "fgnn/potentials/parity.h"

#include <fmt/format.h>

#include <vector>

#include "fgnn/potentials/low_rank.h"

namespace fgnn {

std::string Parity::misfit(Shape shape) const {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 2) {
      return fmt::format("needs binary variables, position {} has {} states", i, shape[i]);
    }
  }
  return {};
}

double Parity::score(std::span<const State> x) const {
  State sum = 0;
  for (State bit : x) sum ^= bit;
  return (sum & 1u) == static_cast<State>(odd_) ? 0.0 : kForbidden;
}

std::shared_ptr<const LowRank> Parity::low_rank(Shape shape) const {
  const std::vector<double> both{1, 1, 1, -1};  // states x rank: (1, 1) and (1, -1)
  return std::make_shared<const LowRank>(std::vector<State>(shape.begin(), shape.end()),
                                         std::vector<double>{0.5, odd_ ? -0.5 : 0.5},
                                         std::vector<std::vector<double>>(shape.size(), both));
}

bool Parity::equals(const Potential& other) const {
  const auto* parity = dynamic_cast<const Parity*>(&other);
  return parity && parity->odd_ == odd_;
}

}  // namespace fgnn
