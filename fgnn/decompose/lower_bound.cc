#include "fgnn/decompose/lower_bound.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace fgnn {

LowerBound::LowerBound(const Table& table, double slack, double rounding)
    : table_(table), slack_(slack), rounding_(rounding), stride_(table.shape().size()) {
  std::size_t stride = table.values().size(), offset = 0;
  for (std::size_t j = 0; j < stride_.size(); ++j) {
    stride_[j] = stride /= table.shape()[j];
    offset_.push_back(offset);
    offset += table.shape()[j];
  }
  weights_.resize(offset);
}

std::vector<double> LowerBound::grow(std::size_t start, std::span<const char> open) {
  const auto& shape = table_.shape();
  std::fill(weights_.begin(), weights_.end(), kForbidden);
  joined_.assign(shape.size(), {});
  std::vector<Candidate> candidates;
  for (std::size_t j = 0; j < shape.size(); ++j) {
    const State x = state_of(start, j);
    join(j, x, (table_.values()[start] + slack_) / static_cast<double>(shape.size()));
    for (State s = 0; s < shape[j]; ++s) {
      if (s != x) candidates.push_back({j, s, kInfinity, 0, votes(start, j, s)});
    }
  }
  for (Candidate& c : candidates) narrow(c, c.variable, c.state, open);
  while (true) {
    // A state that would bring in a forbidden entry can never join.
    std::erase_if(candidates, [](const Candidate& c) { return c.weight == kForbidden; });
    if (candidates.empty()) return weights_;
    const auto best = std::max_element(
        candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
          return std::pair(a.open, a.votes) < std::pair(b.open, b.votes);
        });
    const Candidate chosen = *best;
    candidates.erase(best);
    join(chosen.variable, chosen.state, chosen.weight);
    for (Candidate& c : candidates) {
      if (c.variable != chosen.variable) narrow(c, chosen.variable, chosen.state, open);
    }
  }
}

void LowerBound::join(std::size_t j, State s, double weight) {
  weights_[offset_[j] + s] = weight;
  joined_[j].push_back(s);
}

// How many other rows of the table change by the same amount when variable j goes to state s as the
// row of `start` does. Where few do, the two entries hardly belong to one term.
std::size_t LowerBound::votes(std::size_t start, std::size_t j, State s) const {
  const auto& v = table_.values();
  const State from = state_of(start, j);
  const std::size_t stride = stride_[j], block = stride * table_.shape()[j];
  const double change = v[start + stride * s - stride * from] - v[start];
  std::size_t count = 0;
  for (std::size_t outer = 0; outer < v.size(); outer += block) {
    const double* a = v.data() + outer + stride * from;
    const double* b = v.data() + outer + stride * s;
    for (std::size_t i = 0; i < stride; ++i) {
      count += std::fabs(b[i] - a[i] - change) <= rounding_ + slack_;  // false for NaN
    }
  }
  return count;
}

void LowerBound::narrow(Candidate& candidate, std::size_t j, State s,
                        std::span<const char> open) const {
  const auto visit = [&](auto&& self, std::size_t k, std::size_t index, double sum) -> void {
    if (k == stride_.size()) {
      const double weight = table_.values()[index] + slack_ - sum;
      if (weight < candidate.weight - rounding_) candidate.open = 0;
      if (weight <= candidate.weight + rounding_) candidate.open += open[index] != 0;
      candidate.weight = std::min(candidate.weight, weight);
    } else if (k == candidate.variable) {
      self(self, k + 1, index + candidate.state * stride_[k], sum);
    } else if (k == j) {
      self(self, k + 1, index + s * stride_[k], sum + weights_[offset_[k] + s]);
    } else {
      for (State x : joined_[k]) {
        self(self, k + 1, index + x * stride_[k], sum + weights_[offset_[k] + x]);
      }
    }
  };
  visit(visit, 0, 0, 0.0);
}

std::vector<double> LowerBound::values(std::span<const double> weights) const {
  std::vector<double> out(table_.values().size());
  out[0] = 0;
  std::size_t size = 1;
  for (std::size_t j = 0; j < stride_.size(); ++j) {
    const State states = table_.shape()[j];
    for (std::size_t k = size; k-- > 0;) {  // from the back, since it grows in place
      const double prefix = out[k];
      for (State x = 0; x < states; ++x) out[k * states + x] = prefix + weights[offset_[j] + x];
    }
    size *= states;
  }
  return out;
}

}  // namespace fgnn
