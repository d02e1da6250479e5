#include "fgnn/infer/costs/store.h"

#include <algorithm>

namespace fgnn::costs {

Store::Store(const Network& network) { read(network, nullptr); }

Store::Store(const Network& network, const std::vector<char>& part) { read(network, &part); }

void Store::read(const Network& network, const std::vector<char>* part) {
  const auto mine = [&](Id v) { return part == nullptr || (*part)[v]; };
  numbers_.push_back(part == nullptr ? network.base() : 0.0);
  first_.push_back(0);
  for (Id v = 0; v < network.size(); ++v) {
    const std::size_t count = mine(v) ? network.unary(v).size() : 0;
    for (std::uint32_t x = 0; x < count; ++x) {
      numbers_.push_back(network.unary(v)[x]);
      left_.push_back(x);
    }
    count_.push_back(static_cast<std::uint32_t>(count));
    first_.push_back(static_cast<std::uint32_t>(left_.size()));
  }
  stamp_.assign(numbers_.size(), 0);
  where_ = left_;
  size_ = count_;
  places_.resize(network.size());
  std::vector<std::uint32_t> sizes;
  for (const Function& function : network.functions()) {
    if (!mine(function.scope.front())) continue;
    sizes.clear();
    for (Id v : function.scope) sizes.push_back(size_[v]);
    add_function(function.scope, sizes, function.values.data());
  }
  original_ = tables_.size();
}

std::uint32_t Store::add_function(std::span<const Id> scope, std::span<const std::uint32_t> sizes,
                                  const double* values) {
  const auto f = static_cast<std::uint32_t>(tables_.size());
  const auto first = static_cast<std::uint32_t>(axes_.size());
  tables_.push_back({first, static_cast<std::uint32_t>(scope.size()), values});
  gone_.push_back(0);
  axes_.resize(first + scope.size());
  std::uint32_t stride = 1;
  for (auto j = static_cast<std::uint32_t>(scope.size()); j-- > 0;) {
    axes_[first + j] = {scope[j], stride, static_cast<std::uint32_t>(numbers_.size())};
    places_[scope[j]].push_back({f, j});
    numbers_.resize(numbers_.size() + size_[scope[j]], 0.0);
    stamp_.resize(numbers_.size(), now_);
    stride *= sizes[j];
  }
  return f;
}

void Store::drop_functions(std::size_t left) {
  while (tables_.size() > left) {
    const Table& table = tables_.back();
    for (const Axis& axis : axes(static_cast<std::uint32_t>(tables_.size() - 1))) {
      places_[axis.variable].pop_back();
    }
    numbers_.resize(axes_.back().shift);  // the first that it was given
    stamp_.resize(numbers_.size());
    axes_.resize(table.first_axis);
    tables_.pop_back();
    gone_.pop_back();
  }
}

void Store::least_of_pair(std::uint32_t f, std::size_t i, AxisSet with,
                          std::vector<double>& out) const {
  const auto axes = this->axes(f);
  const Axis &mine = axes[i], &other = axes[1 - i];
  const auto rows = left(mine.variable), columns = left(other.variable);
  const double* values = tables_[f].values;
  const double* shift = &numbers_[other.shift];
  const double* unary = &numbers_[1 + first_[other.variable]];
  const bool with_unary = (with >> (1 - i) & 1) != 0;
  out.assign(rows.size(), kInfinity);
  for (const std::uint32_t x : columns) {
    const double weight = shift[x] + (with_unary ? unary[x] : 0.0);
    const double* column = values + std::size_t{x} * other.stride;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      out[k] = std::min(out[k], column[std::size_t{rows[k]} * mine.stride] + weight);
    }
  }
  for (std::size_t k = 0; k < rows.size(); ++k) out[k] += numbers_[mine.shift + rows[k]];
}

void Store::least(std::uint32_t f, std::size_t i, AxisSet with, std::vector<double>& out) const {
  const auto axes = this->axes(f);
  if (axes.size() == 2) return least_of_pair(f, i, with, out);
  const double* values = tables_[f].values;
  // Weights and offsets of the states left, axis after axis, without those of axis i.
  std::size_t outer = 1, total = 0;
  const std::size_t inner = i + 1 == axes.size() ? axes.size() - 2 : axes.size() - 1;
  for (const Axis& axis : axes) total += count_[axis.variable];
  weights_.resize(total);
  offsets_.resize(total);
  std::size_t at = 0, inner_at = 0;
  for (std::size_t j = 0; j < axes.size(); ++j) {
    if (j == i) continue;
    const Axis& axis = axes[j];
    if (j == inner)
      inner_at = at;
    else
      outer *= count_[axis.variable];
    const bool with_unary = (with >> j & 1) != 0;
    for (std::uint32_t x : left(axis.variable)) {
      weights_[at] = numbers_[axis.shift + x] + (with_unary ? unary(axis.variable, x) : 0.0);
      offsets_[at++] = std::size_t{x} * axis.stride;
    }
  }
  const auto mine = left(axes[i].variable);
  const std::size_t inner_count = count_[axes[inner].variable];
  const double* weight = &weights_[inner_at];
  const std::size_t* offset = &offsets_[inner_at];
  out.assign(mine.size(), kInfinity);
  for (std::size_t n = 0; n < outer; ++n) {
    double sum = 0;
    std::size_t base = 0, rest = n, list = 0;
    for (std::size_t j = 0; j < axes.size(); ++j) {
      if (j == i) continue;
      const std::size_t count = count_[axes[j].variable];
      if (j != inner) {
        sum += weights_[list + rest % count];
        base += offsets_[list + rest % count];
        rest /= count;
      }
      list += count;
    }
    for (std::size_t k = 0; k < mine.size(); ++k) {
      const double* row = values + base + std::size_t{mine[k]} * axes[i].stride;
      double best = kInfinity;
      for (std::size_t b = 0; b < inner_count; ++b) {
        best = std::min(best, row[offset[b]] + weight[b]);
      }
      out[k] = std::min(out[k], best + sum);
    }
  }
  for (std::size_t k = 0; k < mine.size(); ++k) out[k] += numbers_[axes[i].shift + mine[k]];
}

double Store::at(std::uint32_t f, std::span<const std::uint32_t> states) const {
  std::size_t place = 0;
  double shifts = 0;
  for (const Axis& axis : axes(f)) {
    const std::uint32_t x = states[axis.variable];
    place += std::size_t{x} * axis.stride;
    shifts += numbers_[axis.shift + x];
  }
  return tables_[f].values[place] + shifts;
}

void Store::change(std::size_t at, double by) {
  if (stamp_[at] != now_) {
    stamp_[at] = now_;
    old_numbers_.emplace_back(static_cast<std::uint32_t>(at), numbers_[at]);
  }
  numbers_[at] += by;
}

void Store::set_count(Id v, std::uint32_t count) {
  old_counts_.emplace_back(v, count_[v]);
  count_[v] = count;
}

void Store::project(std::uint32_t f, std::size_t i, std::span<const double> amount) {
  const Axis& axis = axes(f)[i];
  const auto mine = left(axis.variable);
  for (std::size_t k = 0; k < mine.size(); ++k) {
    if (amount[k] == 0 || amount[k] == kInfinity) continue;
    change(1 + first_[axis.variable] + mine[k], amount[k]);
    change(axis.shift + mine[k], -amount[k]);
  }
}

void Store::extend(std::uint32_t f, std::size_t i, double share) {
  const Axis& axis = axes(f)[i];
  for (std::uint32_t x : left(axis.variable)) {
    const double amount = share * unary(axis.variable, x);
    if (amount == 0) continue;
    change(1 + first_[axis.variable] + x, -amount);
    change(axis.shift + x, amount);
  }
}

double Store::lift(Id v) {
  double least = kInfinity;
  for (std::uint32_t x : left(v)) least = std::min(least, unary(v, x));
  if (!(least > 0)) return 0;  // below zero by rounding: as it is
  change(0, least);
  for (std::uint32_t x : left(v)) change(1 + first_[v] + x, -least);
  return least;
}

void Store::remove(Id v, std::uint32_t x) {
  const std::uint32_t last = count_[v] - 1, place = where_[first_[v] + x];
  const std::uint32_t other = left_[first_[v] + last];
  std::swap(left_[first_[v] + last], left_[first_[v] + place]);
  where_[first_[v] + x] = last;
  where_[first_[v] + other] = place;
  set_count(v, last);
}

void Store::assign(Id v, std::uint32_t x) {
  const std::uint32_t place = where_[first_[v] + x];
  const std::uint32_t other = left_[first_[v]];
  std::swap(left_[first_[v]], left_[first_[v] + place]);
  where_[first_[v] + x] = 0;
  where_[first_[v] + other] = place;
  set_count(v, 1);
}

std::uint32_t Store::eliminate(Id v, std::span<const Id> around) {
  // A table over all states: those that are not left are never read.
  std::vector<std::uint32_t> sizes;
  std::size_t entries = 1;
  for (Id u : around) entries *= sizes.emplace_back(size_[u]);
  const std::size_t at = tables_.size() - original_;
  if (at == joined_.size()) joined_.emplace_back();
  joined_[at].assign(entries, kInfinity);
  std::vector<std::uint32_t> alive;
  for (const Place& place : places_[v]) {
    if (!gone_[place.function]) alive.push_back(place.function);
  }
  std::vector<std::uint32_t> digits(around.size(), 0);
  scratch_.resize(size());
  for (const std::uint32_t f : alive) {
    for (const Axis& axis : axes(f)) scratch_[axis.variable] = left(axis.variable).front();
  }
  bool more = true;
  while (more) {
    std::size_t entry = 0;
    for (std::size_t i = 0; i < around.size(); ++i) {
      scratch_[around[i]] = left(around[i])[digits[i]];
      entry = entry * sizes[i] + scratch_[around[i]];
    }
    double best = kInfinity;
    for (std::uint32_t x : left(v)) {
      scratch_[v] = x;
      double cost = unary(v, x);
      for (const std::uint32_t f : alive) cost += this->at(f, scratch_);
      best = std::min(best, cost);
    }
    joined_[at][entry] = best;
    more = false;
    for (std::size_t i = around.size(); i-- > 0 && !more;) {
      more = ++digits[i] < count_[around[i]];
      if (!more) digits[i] = 0;
    }
  }
  eliminated_.push_back({v, count_[v], old_functions_.size()});
  for (const std::uint32_t f : alive) {
    gone_[f] = 1;
    old_functions_.push_back(f);
  }
  set_count(v, 0);
  if (around.size() == 1) {
    for (std::uint32_t x : left(around[0])) add(around[0], x, joined_[at][x]);
    return kNoFunction;
  }
  return add_function(around, sizes, joined_[at].data());
}

void Store::complete(std::vector<std::uint32_t>& states) const {
  std::size_t end = old_functions_.size();
  for (std::size_t i = eliminated_.size(); i-- > 0;) {
    const auto& [v, count, first] = eliminated_[i];
    double best = kInfinity;
    std::uint32_t chosen = left_[first_[v]];
    for (std::uint32_t k = 0; k < count; ++k) {
      states[v] = left_[first_[v] + k];
      double cost = unary(v, states[v]);
      for (std::size_t j = first; j < end; ++j) cost += at(old_functions_[j], states);
      if (cost < best) {
        best = cost;
        chosen = states[v];
      }
    }
    states[v] = chosen;
    end = first;
  }
}

Store::Mark Store::mark() {
  ++now_;
  return {old_numbers_.size(), old_counts_.size(), old_functions_.size(), eliminated_.size(),
          tables_.size()};
}

void Store::undo(Mark mark) {
  while (old_numbers_.size() > mark.numbers) {
    numbers_[old_numbers_.back().first] = old_numbers_.back().second;
    old_numbers_.pop_back();
  }
  while (old_counts_.size() > mark.counts) {
    count_[old_counts_.back().first] = old_counts_.back().second;
    old_counts_.pop_back();
  }
  while (old_functions_.size() > mark.gone) {
    gone_[old_functions_.back()] = 0;
    old_functions_.pop_back();
  }
  eliminated_.resize(mark.eliminated);
  drop_functions(mark.tables);
  ++now_;
}

void Store::forget() {
  old_numbers_.clear();
  old_counts_.clear();
  ++now_;
}

}  // namespace fgnn::costs
