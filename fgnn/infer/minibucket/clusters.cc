#include "fgnn/infer/minibucket/clusters.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fgnn/core/log_math.h"
#include "fgnn/infer/minibucket/reader.h"

namespace fgnn::minibucket {

std::uint64_t Clusters::bytes(const Scheme& scheme) {
  std::uint64_t numbers = 2 * scheme.largest;
  for (const Part& part : scheme.parts) {
    numbers += part.entries + 2 * part.message_entries + 2 * scheme.states[part.scope[0]] + 32;
  }
  return sizeof(double) * numbers;
}

Clusters::Clusters(const Scheme& scheme, const std::vector<Function>& functions,
                   const Budget& budget)
    : scheme_(scheme), own_(scheme.parts.size()), at_(scheme.parts.size()) {
  for (std::uint32_t r = 0; r < scheme.parts.size(); ++r) {
    budget.check_time();
    const Part& part = scheme.parts[r];
    own_[r].assign(part.entries, 0.0);
    for (std::uint32_t f : part.functions) {
      Reader(part.scope, functions[f].scope, scheme.states).each([&](std::size_t i, std::size_t j) {
        own_[r][i] += functions[f].values[j];
      });
    }
    if (part.receiver != kNone) {
      arcs_.push_back({r, part.receiver, {part.scope.begin() + 1, part.scope.end()}, {}, {}});
    }
  }
  for (Place p = 0; p < scheme.order.size(); ++p) {
    for (std::uint32_t r = scheme.first[p]; r + 1 < scheme.first[p + 1]; ++r) {
      arcs_.push_back({r, r + 1, {p}, {}, {}});
    }
  }
  for (std::uint32_t a = 0; a < arcs_.size(); ++a) {
    std::size_t entries = 1;
    for (Place p : arcs_[a].scope) entries *= scheme.states[p];
    arcs_[a].up.assign(entries, 0.0);
    arcs_[a].down.assign(entries, 0.0);
    at_[arcs_[a].early].push_back(a);
    at_[arcs_[a].late].push_back(a);
  }
}

std::uint64_t Clusters::work(std::uint32_t cluster) const {
  return 8 * scheme_.parts[cluster].entries * (1 + at_[cluster].size());
}

void Clusters::join(std::uint32_t cluster) {
  joint_ = own_[cluster];
  for (std::uint32_t a : at_[cluster]) {
    const auto& in = arcs_[a].early == cluster ? arcs_[a].down : arcs_[a].up;
    Reader(scheme_.parts[cluster].scope, arcs_[a].scope, scheme_.states)
        .each([&](std::size_t i, std::size_t j) { joint_[i] += in[j]; });
  }
}

// log-sum-exp of the belief over all other axes.
std::vector<double> Clusters::projected(std::uint32_t cluster,
                                        const std::vector<Place>& scope) const {
  std::size_t entries = 1;
  for (Place p : scope) entries *= scheme_.states[p];
  const Reader reader(scheme_.parts[cluster].scope, scope, scheme_.states);
  std::vector<double> high(entries, kForbidden), sum(entries, 0.0);
  reader.each([&](std::size_t i, std::size_t j) { high[j] = std::max(high[j], joint_[i]); });
  reader.each([&](std::size_t i, std::size_t j) {
    if (high[j] > kForbidden) sum[j] += std::exp(joint_[i] - high[j]);
  });
  for (std::size_t j = 0; j < entries; ++j) {
    if (high[j] > kForbidden) high[j] += std::log(sum[j]);
  }
  return high;
}

// The belief without what came along the arc. What one side forbids is forbidden for good: support
// only shrinks.
void Clusters::send(std::uint32_t cluster, Arc& arc, double damping) {
  const bool up = arc.early == cluster;
  const auto& in = up ? arc.down : arc.up;
  auto& out = up ? arc.up : arc.down;
  std::vector<double> sent = projected(cluster, arc.scope);
  double high = kForbidden;
  for (std::size_t j = 0; j < sent.size(); ++j) {
    if (sent[j] > kForbidden) high = std::max(high, sent[j] -= in[j]);
  }
  contradicted_ |= high == kForbidden;
  for (std::size_t j = 0; j < sent.size() && !contradicted_; ++j) {
    if (sent[j] == kForbidden || out[j] == kForbidden) {
      change_ = out[j] == kForbidden ? change_ : kInfinity;
      out[j] = kForbidden;
      continue;
    }
    const double wanted = sent[j] - high;
    change_ = std::max(change_, std::abs(wanted - out[j]));
    out[j] = damping * out[j] + (1 - damping) * wanted;
  }
}

bool Clusters::propagate(double damping, const Deadline& deadline) {
  change_ = 0;
  TimeCheck time(deadline);
  const auto count = static_cast<std::uint32_t>(own_.size());
  for (std::uint32_t step = 0; step < 2 * count && !contradicted_; ++step) {
    const bool up = step < count;
    const std::uint32_t r = up ? step : 2 * count - 1 - step;
    if (time.late(work(r))) return false;
    join(r);
    for (std::uint32_t a : at_[r]) {
      if ((arcs_[a].early == r) == up) send(r, arcs_[a], damping);
    }
  }
  return true;
}

double Clusters::log_partition() {
  double total = 0;
  for (std::uint32_t r = 0; r < own_.size(); ++r) {
    join(r);
    total += log_sum_exp(joint_);
  }
  std::vector<double> both;
  for (const Arc& arc : arcs_) {
    both = arc.up;
    for (std::size_t j = 0; j < both.size(); ++j) both[j] += arc.down[j];
    total -= log_sum_exp(both);
  }
  return total;
}

std::vector<double> Clusters::marginals() {
  std::vector<double> all;
  for (Place p = 0; p < scheme_.order.size(); ++p) {
    join(scheme_.first[p]);
    std::vector<double> own = projected(scheme_.first[p], {p});
    normalize_exp(own);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace fgnn::minibucket
