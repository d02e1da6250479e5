#include "fgnn/decompose/max_rank_one.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/random.h"
#include "fgnn/decompose/lower_bound.h"

namespace fgnn {
namespace {

using Terms = std::vector<std::vector<double>>;

void check_variables(const Table& table) {
  if (table.shape().empty()) {
    throw Error(ErrorCode::unsupported, "max-rank-1", "the table has no variables",
                "add its value to the graph's constant");
  }
}

// What sums of n weights may be off by.
double rounding_of(const Table& table) {
  double size = 0;
  for (double v : table.values()) {
    if (v != kForbidden) size = std::max(size, std::fabs(v));
  }
  const auto n = static_cast<double>(table.shape().size());
  return 16 * n * std::numeric_limits<double>::epsilon() * size;
}

// Covers a table by lower bounds.
class Cover {
 public:
  Cover(const Table& table, const MaxOptions& options)
      : table_(table),
        options_(options),
        reach_(options.tolerance + rounding_of(table)),
        bound_(table, options.tolerance, rounding_of(table)),
        rng_(options.seed),
        open_(table.values().size(), 0) {
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (table.values()[i] == kForbidden) continue;
      open_[i] = 1;
      left_.push_back(i);
    }
  }

  Terms run() {
    Terms terms;
    while (!left_.empty()) {
      terms.push_back(best_term());
      reached(terms.back(), [&](std::size_t i) { open_[i] = 0; });
      std::erase_if(left_, [&](std::size_t i) { return !open_[i]; });
    }
    drop_redundant(terms);
    return terms;
  }

 private:
  template <class Visit>
  void reached(const std::vector<double>& term, Visit visit) const {
    const auto values = bound_.values(term);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != kForbidden && values[i] >= table_.values()[i] - reach_) visit(i);
    }
  }

  std::vector<double> best_term() {
    std::vector<double> best;
    std::size_t most = 0;
    const std::size_t tries = std::min(options_.tries, left_.size());
    for (std::size_t k = 0; k < tries && most < left_.size(); ++k) {
      auto term = bound_.grow(start(k), open_);
      std::size_t count = 0;
      reached(term, [&](std::size_t i) { count += open_[i] != 0; });
      if (count > most) {
        most = count;
        best = std::move(term);
      }
    }
    return best;
  }

  // The extremes first: the highest entry belongs to a term that is large, the lowest to one that
  // no other hides.
  std::size_t start(std::size_t k) {
    const auto less = [&](std::size_t a, std::size_t b) {
      return table_.values()[a] < table_.values()[b];
    };
    if (k == 0) return *std::max_element(left_.begin(), left_.end(), less);
    if (k == 1) return *std::min_element(left_.begin(), left_.end(), less);
    return left_[rng_.below(left_.size())];
  }

  // Later terms may have reached all that an earlier one was there for.
  void drop_redundant(Terms& terms) const {
    std::vector<std::uint32_t> times(open_.size(), 0);
    for (const auto& term : terms) reached(term, [&](std::size_t i) { ++times[i]; });
    std::erase_if(terms, [&](const auto& term) {
      bool redundant = true;
      reached(term, [&](std::size_t i) { redundant = redundant && times[i] > 1; });
      if (redundant) reached(term, [&](std::size_t i) { --times[i]; });
      return redundant;
    });
  }

  const Table& table_;
  const MaxOptions& options_;
  double reach_;  // a term this close below an entry reaches it
  LowerBound bound_;
  Rng rng_;
  std::vector<char> open_;         // allowed and not reached yet
  std::vector<std::size_t> left_;  // the open entries
};

// Extremes of potential - table over the allowed joint states.
struct Deviation {
  double low = 0, high = 0;
  double largest() const { return std::max(-low, high); }
};

Deviation deviation(const Table& table, const MaxRankOne& potential) {
  Deviation d{kInfinity, -kInfinity};
  std::vector<State> x(table.shape().size(), 0);
  do {
    if (table.score(x) == kForbidden) continue;
    const double difference = potential.score(x) - table.score(x);
    d.low = std::min(d.low, difference);
    d.high = std::max(d.high, difference);
  } while (next_configuration(table.shape(), x));
  return d.low <= d.high ? d : Deviation{};
}

// Terms were grown up to the table plus the tolerance; the middle is closer.
void recentre(const Table& table, Terms& terms) {
  const Deviation d = deviation(table, {table.shape(), terms});
  for (auto& term : terms) {
    for (State s = 0; s < table.shape()[0]; ++s) term[s] -= (d.low + d.high) / 2;
  }
}

}  // namespace

MaxRankOne lemma_one(const Table& table) {
  check_variables(table);
  const auto& shape = table.shape();
  Terms terms;
  std::vector<State> x(shape.size(), 0);
  do {
    const double share = table.score(x) / static_cast<double>(shape.size());
    if (share == kForbidden) continue;
    auto& term = terms.emplace_back();
    for (std::size_t j = 0; j < shape.size(); ++j) {
      for (State s = 0; s < shape[j]; ++s) term.push_back(s == x[j] ? share : kForbidden);
    }
  } while (next_configuration(shape, x));
  return {shape, std::move(terms)};
}

void MaxOptions::validate() const {
  if (!(tolerance >= 0) || tolerance == kInfinity) {
    throw Error(ErrorCode::usage, "tolerance", "must be zero or more, and finite");
  }
  if (tries == 0) throw Error(ErrorCode::usage, "tries", "must be at least 1");
}

MaxResult decompose_max(const Table& table, const MaxOptions& options) {
  options.validate();
  check_variables(table);
  const auto allowed = [](double v) { return v != kForbidden; };
  MaxResult result;
  result.lemma_terms = static_cast<std::size_t>(std::ranges::count_if(table.values(), allowed));
  Terms terms = Cover(table, options).run();
  if (options.tolerance > 0) recentre(table, terms);
  result.potential = std::make_shared<const MaxRankOne>(table.shape(), std::move(terms));
  result.max_error = deviation(table, *result.potential).largest();
  return result;
}

}  // namespace fgnn
