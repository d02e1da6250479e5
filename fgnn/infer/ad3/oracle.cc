#include "fgnn/infer/ad3/oracle.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fgnn/infer/ad3/assignment.h"
#include "fgnn/infer/ad3/best_unlisted.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn::admm {
namespace {

using Left = std::span<const std::vector<State>* const>;

// The undecided positions of a scope.
std::vector<std::size_t> open_positions(Left left) {
  std::vector<std::size_t> open;
  for (std::size_t j = 0; j < left.size(); ++j) {
    if (left[j]->size() > 1) open.push_back(j);
  }
  return open;
}

Layout layout_of(Left left) {
  Layout layout;
  for (const std::size_t j : open_positions(left)) {
    layout.add(static_cast<State>(left[j]->size()));
  }
  return layout;
}

// Visits the entries of a table one by one, carrying the scores of all but the last variable.
class TableOracle final : public Oracle {
 public:
  TableOracle(Layout layout, std::span<const double> values)
      : Oracle(std::move(layout)), values_(values) {}
  TableOracle(Layout layout, std::vector<double> values)
      : Oracle(std::move(layout)), owned_(std::move(values)), values_(owned_) {}

  std::uint64_t steps() const override { return values_.size(); }

 private:
  double find(std::span<const double> scores, std::span<State> x, double& own,
              TimeCheck&) override {
    const std::size_t last = layout_.arity() - 1;
    const State row = layout_.sizes[last];
    tail_.resize(row);
    for (State s = 0; s < row; ++s) tail_[s] = layout_.score(scores, last, s);
    at_.assign(last, 0);
    const auto outer = std::span(layout_.sizes).first(last);
    double high = kForbidden;
    std::size_t entry = 0, found = 0;
    do {
      double head = 0;
      for (std::size_t j = 0; j < last; ++j) head += layout_.score(scores, j, at_[j]);
      for (State s = 0; s < row; ++s, ++entry) {
        const double value = values_[entry] + head + tail_[s];
        if (value > high) high = value, found = entry;
      }
    } while (next_configuration(outer, at_));
    if (high == kForbidden) return high;
    own = values_[found];
    for (std::size_t j = layout_.arity(); j-- > 0; found /= layout_.sizes[j]) {
      x[j] = static_cast<State>(found % layout_.sizes[j]);
    }
    return high;
  }

  std::vector<double> owned_;
  std::span<const double> values_;
  std::vector<double> tail_;
  std::vector<State> at_;
};

std::unique_ptr<Oracle> table_oracle(const FactorGraph& graph, FactorId c, Left left,
                                     TableStore& tables) {
  const auto all = tables.values(graph, c);
  Layout layout = layout_of(left);
  if (configurations(layout.sizes) == all.size()) {
    return std::make_unique<TableOracle>(std::move(layout), all);
  }
  std::vector<std::size_t> stride(left.size(), 1);
  const auto shape = graph.shape(c);
  for (std::size_t j = left.size(); j-- > 1;) stride[j - 1] = stride[j] * shape[j];
  std::size_t base = 0;
  for (std::size_t j = 0; j < left.size(); ++j) {
    if (left[j]->size() == 1) base += stride[j] * left[j]->front();
  }
  const auto open = open_positions(left);
  std::vector<State> at(open.size(), 0);
  std::vector<double> values;
  do {
    std::size_t entry = base;
    for (std::size_t i = 0; i < open.size(); ++i)
      entry += stride[open[i]] * (*left[open[i]])[at[i]];
    values.push_back(all[entry]);
  } while (next_configuration(layout.sizes, at));
  return std::make_unique<TableOracle>(std::move(layout), std::move(values));
}

// Sorted by what being chosen gains, the best joint state of every count is a prefix.
class CountOracle final : public Oracle {
 public:
  CountOracle(const Count& count, Left left) : Oracle(layout_of(left)), count_(count) {
    for (std::size_t j = 0; j < left.size(); ++j) {
      if (left[j]->size() == 1) {
        base_ += count.is_chosen(j, left[j]->front());
        continue;
      }
      auto& chosen = chosen_.emplace_back();
      for (const State x : *left[j]) chosen.push_back(count.is_chosen(j, x));
    }
    items_.resize(layout_.arity());
  }

  std::uint64_t steps() const override { return 8 * layout_.coordinates(); }

 private:
  double find(std::span<const double> scores, std::span<State> x, double& own,
              TimeCheck&) override {
    double sum = 0;
    std::size_t least = 0, most = 0;  // chosen whatever happens, chosen at most
    for (std::size_t j = 0; j < items_.size(); ++j) {
      Item& item = items_[j] = {j};
      for (State s = 0; s < layout_.sizes[j]; ++s) {
        item.offer(chosen_[j][s], layout_.score(scores, j, s), s);
      }
      if (item.value[0] == kForbidden) {
        item.gain = kInfinity;
        sum += item.value[1];
        ++least, ++most;
      } else {
        item.gain = item.value[1] - item.value[0];  // minus infinity where none can be chosen
        sum += item.value[0];
        most += item.value[1] != kForbidden;
      }
    }
    std::ranges::sort(items_, [](const Item& a, const Item& b) {
      return a.gain != b.gain ? a.gain > b.gain : a.position < b.position;
    });
    double high = kForbidden;
    std::size_t found = 0;
    for (std::size_t k = least;; ++k) {
      const double value = sum + count_.value(base_ + k);
      if (value > high) high = value, found = k;
      if (k == most) break;
      sum += items_[k].gain;
    }
    if (high == kForbidden) return high;
    own = count_.value(base_ + found);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      x[items_[i].position] = items_[i].state[i < found];
    }
    return high;
  }

  struct Item {
    std::size_t position = 0;
    double value[2] = {kForbidden, kForbidden};  // best score when not chosen, when chosen
    State state[2] = {0, 0};
    double gain = 0;
    void offer(bool chosen, double score, State s) {
      if (score > value[chosen]) value[chosen] = score, state[chosen] = s;
    }
  };

  const Count& count_;
  std::size_t base_ = 0;  // chosen among the decided
  std::vector<std::vector<char>> chosen_;
  std::vector<Item> items_;
};

// Listed states, and all others alike.
class ListOracle final : public Oracle {
 public:
  ListOracle(const Sparse& sparse, Left left)
      : Oracle(layout_of(left)), otherwise_(sparse.otherwise()) {
    for (std::size_t i = 0; i < sparse.size(); ++i) add(sparse.row(i), sparse.value(i), left);
  }

  std::uint64_t steps() const override { return 8 * rows_.size(); }

 private:
  double find(std::span<const double> scores, std::span<State> x, double& own,
              TimeCheck&) override {
    double high = kForbidden;
    std::size_t found = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double value = values_[i] + layout_.score(scores, row(i));
      if (value > high) high = value, found = i;
    }
    if (otherwise_ != kForbidden &&
        unlisted_.find(layout_, scores, [&](const auto& y) { return listed(y); }) &&
        otherwise_ + unlisted_.value() > high) {
      std::ranges::copy(unlisted_.state(), x.begin());
      own = otherwise_;
      return otherwise_ + unlisted_.value();
    }
    if (high == kForbidden) return high;
    std::ranges::copy(row(found), x.begin());
    own = values_[found];
    return high;
  }

  std::span<const State> row(std::size_t i) const {
    return std::span(rows_).subspan(i * layout_.arity(), layout_.arity());
  }

  // Rows are sorted, as the potential has them; leaving out decided positions keeps the order.
  bool listed(std::span<const State> x) const {
    std::size_t low = 0, high = values_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (std::ranges::lexicographical_compare(row(middle), x)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < values_.size() && std::ranges::equal(row(low), x);
  }

  void add(std::span<const State> full, double value, Left left) {
    const std::size_t before = rows_.size();
    for (std::size_t j = 0; j < left.size(); ++j) {
      const auto at = std::ranges::lower_bound(*left[j], full[j]);
      if (at == left[j]->end() || *at != full[j]) {
        rows_.resize(before);
        return;
      }
      if (left[j]->size() > 1) rows_.push_back(static_cast<State>(at - left[j]->begin()));
    }
    values_.push_back(value);
  }

  double otherwise_;
  std::vector<State> rows_;
  std::vector<double> values_;
  BestUnlisted unlisted_;
};

// Each term is maximised by every variable on its own.
class MaxRankOneOracle final : public Oracle {
 public:
  MaxRankOneOracle(const MaxRankOne& potential, Left left)
      : Oracle(layout_of(left)), term_(layout_.arity()) {
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

class AllDifferentOracle final : public Oracle {
 public:
  explicit AllDifferentOracle(Left left) : Oracle(layout_of(left)) {
    std::vector<State> taken;
    State states = 0;
    for (const auto* states_left : left) {
      states = std::max(states, states_left->back() + 1);
      if (states_left->size() == 1) taken.push_back(states_left->front());
    }
    std::ranges::sort(taken);
    clash_ = std::ranges::adjacent_find(taken) != taken.end();
    for (const std::size_t j : open_positions(left)) {
      auto& column = column_.emplace_back();
      for (const State x : *left[j]) {
        column.push_back(std::ranges::binary_search(taken, x) ? kTaken : x);
      }
    }
    assignment_.emplace(layout_.arity(), states);
  }

  std::uint64_t steps() const override { return layout_.coordinates(); }

 private:
  double find(std::span<const double> scores, std::span<State> x, double& own,
              TimeCheck& time) override {
    if (clash_) return kForbidden;
    assignment_->forbid_all();
    for (std::size_t j = 0; j < column_.size(); ++j) {
      for (State s = 0; s < column_[j].size(); ++s) {
        if (column_[j][s] != kTaken)
          assignment_->set(j, column_[j][s], layout_.score(scores, j, s));
      }
    }
    const bool found = assignment_->solve(time);
    if (time.late(0)) return kInfinity;
    if (!found) return kForbidden;
    double value = 0;
    for (std::size_t j = 0; j < column_.size(); ++j) {
      const auto at = std::ranges::find(column_[j], assignment_->column_of(j));
      x[j] = static_cast<State>(at - column_[j].begin());
      value += layout_.score(scores, j, x[j]);
    }
    own = 0;
    return value;
  }

  static constexpr State kTaken = ~State{0};

  bool clash_ = false;
  std::vector<std::vector<State>> column_;  // per variable and state left: the state itself
  std::optional<Assignment> assignment_;
};

}  // namespace

void Layout::add(State size) {
  sizes.push_back(size);
  offsets.push_back(offsets.back() + (size > 2 ? size : 1));
}

double Layout::score(std::span<const double> scores, std::span<const State> x) const {
  double sum = 0;
  for (std::size_t j = 0; j < sizes.size(); ++j) sum += score(scores, j, x[j]);
  return sum;
}

std::unique_ptr<Oracle> make_oracle(const FactorGraph& graph, FactorId c, Left left,
                                    TableStore& tables) {
  const Potential& potential = graph.potential(c);
  if (const auto* p = dynamic_cast<const Count*>(&potential)) {
    return std::make_unique<CountOracle>(*p, left);
  }
  if (const auto* p = dynamic_cast<const MaxRankOne*>(&potential)) {
    return std::make_unique<MaxRankOneOracle>(*p, left);
  }
  if (const auto* p = dynamic_cast<const Sparse*>(&potential)) {
    return std::make_unique<ListOracle>(*p, left);
  }
  if (dynamic_cast<const AllDifferent*>(&potential) != nullptr) {
    return std::make_unique<AllDifferentOracle>(left);
  }
  return table_oracle(graph, c, left, tables);
}

}  // namespace fgnn::admm
