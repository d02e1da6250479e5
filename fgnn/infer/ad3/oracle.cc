#include "fgnn/infer/ad3/oracle.h"

#include <utility>
#include <vector>

namespace fgnn::admm {
namespace {

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
  Layout layout(left);
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

}  // namespace

std::unique_ptr<Oracle> make_oracle(const FactorGraph& graph, FactorId c, Left left,
                                    TableStore& tables) {
  auto own = graph.potential(c).oracle(left);
  return own != nullptr ? std::move(own) : table_oracle(graph, c, left, tables);
}

}  // namespace fgnn::admm
