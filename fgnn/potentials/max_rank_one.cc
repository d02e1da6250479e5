#include "fgnn/potentials/max_rank_one.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/graph/oracle.h"
#include "fgnn/potentials/checks.h"
#include "fgnn/potentials/star.h"
#include "fgnn/potentials/text.h"

namespace fgnn {
namespace {

// Each term is maximised by every variable on its own.
class MaxRankOneOracle final : public Oracle {
 public:
  MaxRankOneOracle(const MaxRankOne& potential, Left left)
      : Oracle(Layout(left)), term_(layout_.arity()) {
    for (std::size_t z = 0; z < potential.size(); ++z) {
      std::size_t offset = 0;
      double decided = 0;
      for (std::size_t j = 0; j < left.size(); ++j) {
        if (left[j]->size() == 1) {
          decided += potential.term(z)[offset + left[j]->front()];
        } else {
          for (const State x : *left[j]) weights_.push_back(potential.term(z)[offset + x]);
        }
        offset += potential.shape()[j];
      }
      decided_.push_back(decided);
    }
  }

  std::uint64_t steps() const override { return weights_.size(); }

 private:
  double find(std::span<const double> scores, std::span<State> x, double& own,
              TimeCheck&) override {
    double high = kForbidden;
    const double* weight = weights_.data();
    for (const double decided : decided_) {
      double value = decided, alone = decided;
      for (std::size_t j = 0; j < layout_.arity(); ++j) {
        double local = kForbidden, of_weight = kForbidden;
        for (State s = 0; s < layout_.sizes[j]; ++s, ++weight) {
          const double sum = *weight + layout_.score(scores, j, s);
          if (sum > local) local = sum, of_weight = *weight, term_[j] = s;
        }
        value += local;
        alone += of_weight;
      }
      if (value <= high) continue;
      high = value;
      own = alone;
      std::ranges::copy(term_, x.begin());
    }
    return high;
  }

  std::vector<double> weights_, decided_;
  std::vector<State> term_;
};

}  // namespace

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

std::shared_ptr<const MaxRankOne> MaxRankOne::max_rank_one(Shape) const {
  return std::make_shared<const MaxRankOne>(*this);
}

// Several terms may reach the maximum: the k best would list an assignment more than once.
std::unique_ptr<Machine> MaxRankOne::machine(Shape shape, Reduction reduction) const {
  if (reduction != Reduction::max || size() == 0) return nullptr;
  return std::make_unique<Star>(shape, size(), [this] {
    std::vector<double> numbers(size(), 0.0);
    for (std::size_t slot = 0; slot < terms_[0].size(); ++slot) {
      for (const auto& term : terms_) numbers.push_back(term[slot]);
    }
    return numbers;
  });
}

std::unique_ptr<Oracle> MaxRankOne::oracle(Left left) const {
  return std::make_unique<MaxRankOneOracle>(*this, left);
}

bool MaxRankOne::write(TextWriter& text) const {
  text.put("max-rank-1 ", size());
  for (const auto& term : terms_) {
    text.put("\n ");
    for (double weight : term) text.put(' ', weight);
  }
  return true;
}

PotentialKind MaxRankOne::text() {
  const auto read = [](PotentialText& text) {
    const std::uint64_t count = text.tokens.integer("a number of terms", 0, UINT64_MAX);
    const std::uint64_t width = text.width();
    std::vector<std::vector<double>> terms;
    for (std::uint64_t z = 0; z < count; ++z) {
      text.budget.hold(1, sizeof(double) * (width + 4));
      auto& term = terms.emplace_back();
      for (std::uint64_t i = width; i > 0; --i) term.push_back(text.log_value());
    }
    return shared(MaxRankOne(text.shape(), std::move(terms)));
  };
  return {"max-rank-1",
          "the largest of Z sums of one weight per variable",
          "n d Z",
          {{"max-rank-1", true, read}}};
}

}  // namespace fgnn
