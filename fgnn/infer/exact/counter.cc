#include "fgnn/infer/exact/counter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "fgnn/potentials/potentials.h"

namespace fgnn::exact {
namespace {

constexpr State kMostDifferent = 12;  // states of all-different: the machine has 2^states

// The state is the count so far, up to where it makes no difference any more. A row of numbers for
// each of "not chosen" and "chosen"; in it, first the steps by (t - s), then those of the last
// state s, which is not left again, by t.
class CountAutomaton final : public Automaton {
 public:
  CountAutomaton(const Count& count, std::size_t n)
      : count_(count), n_(n), top_(std::min(count.saturation(), n)), row_(3 * top_ + 2) {}

  std::uint32_t states(std::size_t i) const override {
    return static_cast<std::uint32_t>(std::min(i + 1, top_) + 1);
  }
  std::size_t before(std::size_t i, std::uint32_t s) const override {
    if (i + 1 == n_) return 2 * row_ + s;
    return s == top_ ? 2 * top_ + 1 : top_ - s;
  }
  std::size_t reads(std::size_t i, State x) const override {
    return count_.is_chosen(i, x) ? (i + 1 == n_ ? 1 : row_) : 0;
  }
  std::size_t after(std::size_t, std::uint32_t t) const override { return t; }

  std::size_t entries() const override { return 2 * row_ + top_ + 2; }
  std::vector<double> numbers() const override {
    std::vector<double> numbers(entries(), kForbidden);
    for (const std::size_t chosen : {0, 1}) {
      if (top_ > 0) numbers[chosen * row_ + top_ + chosen] = 0;
      numbers[chosen * row_ + 3 * top_ + 1] = 0;
    }
    for (std::size_t k = 0; k < top_ + 2; ++k) {
      numbers[2 * row_ + k] = count_.value(std::min(k, top_));
    }
    return numbers;
  }

 private:
  const Count& count_;
  std::size_t n_, top_, row_;
};

// The state is the parity so far; a plain table of (s, x, t), then one of (s, x).
class ParityAutomaton final : public Automaton {
 public:
  ParityAutomaton(const Parity& parity, std::size_t n) : odd_(parity.odd()), n_(n) {}

  std::uint32_t states(std::size_t) const override { return 2; }
  std::size_t before(std::size_t i, std::uint32_t s) const override {
    return i + 1 == n_ ? 8 + 2 * s : 4 * s;
  }
  std::size_t reads(std::size_t i, State x) const override { return i + 1 == n_ ? x : 2 * x; }
  std::size_t after(std::size_t, std::uint32_t t) const override { return t; }

  std::size_t entries() const override { return 12; }
  std::vector<double> numbers() const override {
    std::vector<double> numbers(entries(), kForbidden);
    for (const std::size_t even : {0, 3, 5, 6}) numbers[even] = 0;
    for (const std::size_t end : odd_ ? std::array{9, 10} : std::array{8, 11}) numbers[end] = 0;
    return numbers;
  }

 private:
  bool odd_;
  std::size_t n_;
};

// The state is the set of values used so far, as bits; sets of one size are numbered. Adding the
// bit of a value that is in the set carries, which never gives a set of one more value: so t = s +
// 2^x says that x is new and t the set with it.
class DifferentAutomaton final : public Automaton {
 public:
  explicit DifferentAutomaton(Shape shape)
      : n_(shape.size()), d_(*std::ranges::max_element(shape)), full_(std::size_t{1} << d_) {
    sets_.resize(d_ + std::size_t{1});
    for (std::uint32_t set = 0; set < full_; ++set) {
      sets_[static_cast<std::size_t>(std::popcount(set))].push_back(set);
    }
  }

  std::uint32_t states(std::size_t i) const override {
    return i + 1 <= d_ ? static_cast<std::uint32_t>(sets_[i + 1].size()) : 1;
  }
  std::size_t before(std::size_t i, std::uint32_t s) const override {
    if (i >= d_) return 5 * full_;  // beyond d values nothing is allowed
    return i + 1 == n_ ? 3 * full_ + sets_[i][s] : full_ - sets_[i][s];
  }
  std::size_t reads(std::size_t i, State x) const override {
    if (i >= d_) return 0;
    return i + 1 == n_ ? std::size_t{1} << x : full_ - (std::size_t{1} << x);
  }
  bool uniform() const override { return false; }
  std::size_t after(std::size_t i, std::uint32_t t) const override {
    return i >= d_ ? 0 : sets_[i + 1][t];
  }

  std::size_t entries() const override { return 5 * full_ + 1; }
  std::vector<double> numbers() const override {
    std::vector<double> numbers(entries(), kForbidden);
    numbers[2 * full_] = 0;
    for (std::size_t set = 0; set < full_; ++set) {
      if (static_cast<std::size_t>(std::popcount(set)) == n_) numbers[3 * full_ + set] = 0;
    }
    return numbers;
  }

 private:
  std::size_t n_;
  State d_;
  std::size_t full_;
  std::vector<std::vector<std::uint32_t>> sets_;  // by number of values
};

std::vector<double> of_low_rank(const LowRank& p) {
  std::vector<double> numbers;
  for (double lambda : p.lambda()) numbers.push_back(p.log_scale() + std::log(lambda));
  for (std::size_t j = 0; j < p.shape().size(); ++j) {
    for (double w : p.weights(j)) numbers.push_back(std::log(w));
  }
  return numbers;
}

std::vector<double> of_max_rank_one(const MaxRankOne& p) {
  std::vector<double> numbers(p.size(), 0.0);
  std::size_t offset = 0;
  for (State states : p.shape()) {
    for (State x = 0; x < states; ++x) {
      for (std::size_t z = 0; z < p.size(); ++z) numbers.push_back(p.term(z)[offset + x]);
    }
    offset += states;
  }
  return numbers;
}

std::vector<double> of_sparse(const Sparse& p) {
  std::vector<double> numbers;
  for (std::size_t z = 0; z < p.size(); ++z) numbers.push_back(p.value(z));
  for (std::size_t j = 0; j < p.shape().size(); ++j) {
    for (State x = 0; x < p.shape()[j]; ++x) {
      for (std::size_t z = 0; z < p.size(); ++z) {
        numbers.push_back(p.row(z)[j] == x ? 0.0 : kForbidden);
      }
    }
  }
  return numbers;
}

}  // namespace

bool has_automaton(const Potential& potential, Shape shape) {
  if (shape.size() < 2) return false;
  if (dynamic_cast<const Count*>(&potential) || dynamic_cast<const Parity*>(&potential)) {
    return true;
  }
  return dynamic_cast<const AllDifferent*>(&potential) &&
         *std::ranges::max_element(shape) <= kMostDifferent;
}

std::unique_ptr<Automaton> automaton(const Potential& potential, Shape shape) {
  if (!has_automaton(potential, shape)) return nullptr;
  if (const auto* count = dynamic_cast<const Count*>(&potential)) {
    return std::make_unique<CountAutomaton>(*count, shape.size());
  }
  if (const auto* parity = dynamic_cast<const Parity*>(&potential)) {
    return std::make_unique<ParityAutomaton>(*parity, shape.size());
  }
  return std::make_unique<DifferentAutomaton>(shape);
}

bool has_star(const Potential& potential, Shape shape, ExactTask task) {
  if (shape.size() < 2) return false;
  if (const auto* p = dynamic_cast<const LowRank*>(&potential)) {
    return task == ExactTask::marginals && p->rank() > 0 && p->non_negative();
  }
  if (const auto* p = dynamic_cast<const MaxRankOne*>(&potential)) {
    // Several terms may reach the maximum: the k best would list an assignment more than once.
    return task == ExactTask::map && p->size() > 0;
  }
  const auto* p = dynamic_cast<const Sparse*>(&potential);
  return p != nullptr && p->otherwise() == kForbidden && p->size() > 0;
}

std::size_t star_size(const Potential& potential) {
  if (const auto* p = dynamic_cast<const LowRank*>(&potential)) return p->rank();
  if (const auto* p = dynamic_cast<const MaxRankOne*>(&potential)) return p->size();
  return dynamic_cast<const Sparse&>(potential).size();
}

std::vector<double> star_numbers(const Potential& potential) {
  if (const auto* p = dynamic_cast<const LowRank*>(&potential)) return of_low_rank(*p);
  if (const auto* p = dynamic_cast<const MaxRankOne*>(&potential)) return of_max_rank_one(*p);
  return of_sparse(dynamic_cast<const Sparse&>(potential));
}

}  // namespace fgnn::exact
