#include "fgnn/infer/minibucket/pass.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "fgnn/infer/exact/numbers.h"
#include "fgnn/infer/minibucket/reader.h"

namespace fgnn::minibucket {
namespace {

// The axes of a source in places, ascending, each with its offsets.
std::vector<std::pair<Place, const std::size_t*>> axes_of(const Restated& model,
                                                          const Scheme& scheme,
                                                          const exact::Source& source) {
  std::vector<std::pair<Place, const std::size_t*>> axes;
  for (const auto& axis : source.axes) {
    axes.emplace_back(scheme.place[axis.variable], &model.problem.offsets[axis.offsets]);
  }
  std::ranges::sort(axes);
  return axes;
}

// ( sum_x f(x, .)^(1/w) )^w over the first axis, which has `count` states; w = 0: the extreme.
std::vector<double> power_sum(const std::vector<double>& joint, std::size_t count, double weight,
                              bool minimum) {
  const std::size_t n = joint.size() / count;
  std::vector<double> out(joint.begin(), joint.begin() + static_cast<std::ptrdiff_t>(n));
  if (weight == 0) {
    for (std::size_t x = 1; x < count; ++x) {
      const double* in = &joint[x * n];
      for (std::size_t i = 0; i < n; ++i) {
        out[i] = minimum ? std::min(out[i], in[i]) : std::max(out[i], in[i]);
      }
    }
    return out;
  }
  const double power = 1 / weight;
  std::vector<double> high(n), sum(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) high[i] = power * joint[i];
  for (std::size_t x = 1; x < count; ++x) {
    for (std::size_t i = 0; i < n; ++i) high[i] = std::max(high[i], power * joint[x * n + i]);
  }
  for (std::size_t x = 0; x < count; ++x) {
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isfinite(high[i])) sum[i] += std::exp(power * joint[x * n + i] - high[i]);
    }
  }
  // All forbidden; or, with a negative weight, one of them.
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = std::isfinite(high[i]) ? weight * (high[i] + std::log(sum[i])) : kForbidden;
  }
  return out;
}

void add(const Reader& reader, const std::vector<double>& values, std::vector<double>& joint) {
  reader.each([&](std::size_t i, std::size_t j) { joint[i] += values[j]; });
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (double v : values) {
    if (v > kForbidden) largest = std::max(largest, std::abs(v));
  }
  return largest;
}

bool forbids(const std::vector<double>& values) {
  return std::ranges::find(values, kForbidden) != values.end();
}

}  // namespace

std::uint64_t function_bytes(const Restated& model, const Scheme& scheme) {
  std::uint64_t total = 0;
  for (const auto& source : model.problem.sources) {
    std::uint64_t entries = 1;
    for (const auto& axis : source.axes) entries *= scheme.states[scheme.place[axis.variable]];
    total += sizeof(Function) + sizeof(double) * entries + sizeof(Place) * source.axes.size();
  }
  return total;
}

std::uint64_t pass_bytes(const Scheme& scheme) {
  std::uint64_t messages = 0, most = 0;
  for (Place p = 0; p < scheme.order.size(); ++p) {
    std::uint64_t here = 0;
    for (std::uint32_t part = scheme.first[p]; part < scheme.first[p + 1]; ++part) {
      here += scheme.parts[part].entries;
      messages += scheme.parts[part].message_entries + 16;
      // A shift is no larger than the smallest of the parts.
      if (scheme.parts_of(p) > 1) messages += scheme.parts[part].entries;
    }
    most = std::max(most, here);
  }
  return sizeof(double) * (messages + 4 * most);
}

std::vector<Function> functions(const Restated& model, const Scheme& scheme, Budget& budget) {
  exact::Numbers numbers(model.kept, model.problem);
  budget.take(numbers.bytes());
  numbers.make(budget);
  TimeCheck time(budget.deadline());
  std::vector<Function> all(model.problem.sources.size());
  for (std::uint32_t s = 0; s < all.size(); ++s) {
    const auto& source = model.problem.sources[s];
    const auto axes = axes_of(model, scheme, source);
    std::vector<State> sizes, at(axes.size(), 0);
    for (const auto& [place, offsets] : axes) {
      all[s].scope.push_back(place);
      sizes.push_back(scheme.states[place]);
    }
    do {
      if (time.late(1 + axes.size())) budget.check_time();
      std::size_t entry = source.base;
      for (std::size_t i = 0; i < axes.size(); ++i) entry += axes[i].second[at[i]];
      all[s].values.push_back(numbers.at(s, entry));
    } while (next_configuration(sizes, at));
  }
  return all;
}

Pass::Pass(const Scheme& scheme, const std::vector<Function>& functions, PassOptions options,
           const Budget& budget)
    : scheme_(scheme),
      functions_(functions),
      options_(std::move(options)),
      messages_(scheme.parts.size()),
      shifts_(scheme.parts.size()),
      weights_(scheme.parts.size(), 0.0) {
  for (const Function& f : functions_) {
    if (f.scope.empty()) total_ += f.values[0];
    scale_ += largest_of(f.values);
  }
  for (Place p = 0; p < scheme_.order.size(); ++p) eliminate(p, budget);
}

void Pass::join(std::uint32_t part, std::vector<double>& joint) const {
  const Part& mine = scheme_.parts[part];
  joint.assign(mine.entries, 0.0);
  for (std::uint32_t f : mine.functions) {
    add(Reader(mine.scope, functions_[f].scope, scheme_.states), functions_[f].values, joint);
  }
  for (std::uint32_t m : mine.messages) {
    const std::span<const Place> scope = scheme_.parts[m].scope;
    add(Reader(mine.scope, scope.subspan(1), scheme_.states), messages_[m], joint);
  }
  if (!shifts_[part].scope.empty()) {
    add(Reader(mine.scope, shifts_[part].scope, scheme_.states), shifts_[part].values, joint);
  }
}

// A part that forbids something has the positive weight of a lower bound: under a negative one
// everything it touches is lost.
void Pass::weigh(Place p) {
  const std::uint32_t begin = scheme_.first[p], end = scheme_.first[p + 1];
  const double share = 1.0 / (end - begin);
  if (options_.bound == Bound::max) return;
  if (options_.bound == Bound::above) {
    for (std::uint32_t r = begin; r < end; ++r) {
      weights_[r] = options_.weighted ? share : r == begin ? 1.0 : 0.0;
    }
    return;
  }
  std::uint32_t positive = begin;
  for (std::uint32_t r = end; r-- > begin;) {
    if (forbids(joints_[r - begin])) positive = r;
  }
  const double others = options_.weighted && end - begin > 1 ? -share : 0.0;
  for (std::uint32_t r = begin; r < end; ++r) {
    weights_[r] = r == positive ? 1 - others * (end - begin - 1) : others;
  }
}

// What a part says of the shared axes: the others summed out under its weight, in units that make
// parts of all weights comparable.
std::vector<double> Pass::profile(std::uint32_t part, const std::vector<double>& joint,
                                  const std::vector<Place>& shared) const {
  const Reader reader(scheme_.parts[part].scope, shared, scheme_.states);
  const double power = weights_[part] == 0 ? 1 : 1 / weights_[part];
  std::size_t entries = 1;
  for (Place p : shared) entries *= scheme_.states[p];
  std::vector<double> high(entries, kForbidden);
  reader.each([&](std::size_t i, std::size_t j) { high[j] = std::max(high[j], power * joint[i]); });
  if (weights_[part] == 0) return high;
  std::vector<double> sum(entries, 0.0);
  reader.each([&](std::size_t i, std::size_t j) {
    if (std::isfinite(high[j])) sum[j] += std::exp(power * joint[i] - high[j]);
  });
  for (std::size_t j = 0; j < entries; ++j) {
    if (std::isfinite(high[j])) high[j] += std::log(sum[j]);
  }
  return high;
}

void Pass::level_shared(const std::vector<Place>& shared, Place p) {
  const std::uint32_t begin = scheme_.first[p], end = scheme_.first[p + 1];
  const bool maxima = options_.bound == Bound::max;
  std::vector<std::vector<double>> profiles;
  for (std::uint32_t r = begin; r < end; ++r) {
    profiles.push_back(profile(r, joints_[r - begin], shared));
    shifts_[r] = {shared, std::vector<double>(profiles.back().size(), 0.0)};
  }
  const double share = 1.0 / (end - begin);
  for (std::size_t j = 0; j < profiles[0].size(); ++j) {
    double mean = 0;
    bool finite = true;
    for (std::uint32_t r = begin; r < end; ++r) {
      finite &= std::isfinite(profiles[r - begin][j]);
      mean += (maxima ? share : weights_[r]) * profiles[r - begin][j];
    }
    for (std::uint32_t r = begin; r < end; ++r) {
      const double weight = maxima ? 1.0 : weights_[r];
      double shift = finite ? weight * (mean - profiles[r - begin][j]) : 0;
      // One part forbids it, so all may: the upper bound loses nothing.
      if (!finite && options_.bound != Bound::below) shift = kForbidden;
      shifts_[r].values[j] = shift;
    }
  }
}

void Pass::level(Place p, const Budget& budget) {
  const std::uint32_t begin = scheme_.first[p], end = scheme_.first[p + 1];
  std::vector<Place> shared = scheme_.parts[begin].scope, both;
  for (std::uint32_t r = begin + 1; r < end; ++r) {
    both.clear();
    std::ranges::set_intersection(shared, scheme_.parts[r].scope, std::back_inserter(both));
    shared = both;
  }
  // Sums and maxima do not compare: where only one part has a sum there is nothing to level.
  const bool zero = std::any_of(weights_.begin() + begin, weights_.begin() + end,
                                [](double w) { return w == 0; });
  if (zero && options_.bound != Bound::max) return;
  level_shared(shared, p);
  for (std::uint32_t r = begin; r < end; ++r) {
    budget.check_time();
    add(Reader(scheme_.parts[r].scope, shared, scheme_.states), shifts_[r].values,
        joints_[r - begin]);
  }
}

std::vector<double> Pass::reduced(std::uint32_t part, const std::vector<double>& joint) const {
  const std::size_t count = scheme_.states[scheme_.parts[part].scope.front()];
  return power_sum(joint, count, weights_[part], options_.bound == Bound::below);
}

// Whether a lower bound is better off with one state: always, or where a minimum is zero.
bool Pass::must_hold(Place p, const std::vector<std::vector<double>>& sent) const {
  if (options_.bound != Bound::below || options_.held.empty() || sent.size() < 2) return false;
  if (options_.held[p] == kNone) return false;
  if (options_.always_hold) return true;
  for (std::uint32_t r = scheme_.first[p]; r < scheme_.first[p + 1]; ++r) {
    if (weights_[r] <= 0 && forbids(sent[r - scheme_.first[p]])) return true;
  }
  return false;
}

void Pass::eliminate(Place p, const Budget& budget) {
  const std::uint32_t begin = scheme_.first[p], end = scheme_.first[p + 1];
  joints_.resize(end - begin);
  for (std::uint32_t r = begin; r < end; ++r) {
    budget.check_time();
    join(r, joints_[r - begin]);
  }
  weigh(p);
  if (options_.shift && end - begin > 1) level(p, budget);
  std::vector<std::vector<double>> sent;
  for (std::uint32_t r = begin; r < end; ++r) sent.push_back(reduced(r, joints_[r - begin]));
  const bool hold = must_hold(p, sent);
  for (std::uint32_t r = begin; r < end; ++r) {
    budget.check_time();
    auto& message = sent[r - begin];
    if (hold) {
      const auto from = joints_[r - begin].begin() +
                        static_cast<std::ptrdiff_t>(options_.held[p] * message.size());
      message.assign(from, from + static_cast<std::ptrdiff_t>(message.size()));
    }
    largest_ = std::max(largest_, largest_of(message));
    if (scheme_.parts[r].receiver == kNone) total_ += message[0];
    messages_[r] = std::move(message);
  }
}

std::vector<double> Pass::marginals(const Budget& budget) const {
  std::vector<std::size_t> offset{0};
  for (State s : scheme_.states) offset.push_back(offset.back() + s);
  std::vector<double> result(offset.back(), 0.0), joint;
  std::vector<std::vector<double>> arrived(scheme_.parts.size());  // derivatives by messages
  for (std::uint32_t r = static_cast<std::uint32_t>(scheme_.parts.size()); r-- > 0;) {
    budget.check_time();
    const Part& part = scheme_.parts[r];
    if (part.receiver == kNone) arrived[r] = {1.0};
    join(r, joint);
    const Place p = part.scope.front();
    const std::size_t n = part.message_entries, count = scheme_.states[p];
    for (std::size_t i = 0; i < n; ++i) {
      const double m = messages_[r][i];
      bool taken = false;
      for (std::size_t x = 0; x < count; ++x) {
        double& f = joint[x * n + i];
        if (m == kForbidden || arrived[r][i] == 0) {
          f = 0;
        } else if (weights_[r] == 0) {  // the first that is best
          const bool best = !taken && f == m;
          taken |= best;
          f = best ? arrived[r][i] : 0;
        } else {
          f = arrived[r][i] * std::exp((f - m) / weights_[r]);
        }
        result[offset[p] + x] += (weights_[r] == 0 ? 0 : weights_[r]) * f;
      }
    }
    arrived[r] = {};
    for (std::uint32_t m : part.messages) {
      const Part& sender = scheme_.parts[m];
      arrived[m].assign(sender.message_entries, 0.0);
      const std::span<const Place> scope = sender.scope;
      Reader(part.scope, scope.subspan(1), scheme_.states).each([&](std::size_t i, std::size_t j) {
        arrived[m][j] += joint[i];
      });
    }
  }
  return result;
}

}  // namespace fgnn::minibucket
