#include "fgnn/potentials/max_rank_one.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/potentials/checks.h"

namespace fgnn {

MaxRankOne::MaxRankOne(std::vector<State> shape, std::vector<std::vector<double>> terms)
    : shape_(std::move(shape)), terms_(std::move(terms)) {
  const auto width = std::accumulate(shape_.begin(), shape_.end(), std::size_t{0});
  for (std::size_t z = 0; z < terms_.size(); ++z) {
    if (terms_[z].size() != width) {
      throw Error(
          ErrorCode::model, "max-rank-1",
          fmt::format("term {} has {} weights, the shape needs {}", z, terms_[z].size(), width));
    }
    check_log_values(terms_[z], "max-rank-1");
  }
}

std::string MaxRankOne::misfit(Shape shape) const { return misfit_of_shape(shape_, shape); }

double MaxRankOne::score(std::span<const State> x) const {
  double best = kForbidden;
  for (const auto& term : terms_) {
    double sum = 0;
    std::size_t offset = 0;
    for (std::size_t j = 0; j < x.size(); offset += shape_[j++]) sum += term[offset + x[j]];
    best = std::max(best, sum);
  }
  return best;
}

ScoreRange MaxRankOne::range(Shape) const {
  ScoreRange all;
  for (const auto& term : terms_) {
    ScoreRange sum{0, 0};
    std::size_t offset = 0;
    for (State states : shape_) {
      ScoreRange own;
      for (State x = 0; x < states; ++x) own.include(term[offset + x]);
      sum.low += own.low;
      sum.high += own.high;
      offset += states;
    }
    if (sum.high == kForbidden) continue;  // this term forbids everything
    all.include(sum.low);
    all.include(sum.high);
  }
  return all;
}

bool MaxRankOne::equals(const Potential& other) const {
  const auto* same = dynamic_cast<const MaxRankOne*>(&other);
  return same && same->shape_ == shape_ && same->terms_ == terms_;
}

std::size_t MaxRankOne::bytes() const {
  std::size_t total = sizeof(*this) + shape_.size() * sizeof(State);
  for (const auto& term : terms_) total += sizeof(term) + term.size() * sizeof(double);
  return total;
}

}  // namespace fgnn
