// Lists of offsets, kept one after another, equal ones once: they recur in every bucket of a
// regular graph.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "fgnn/core/scramble.h"

namespace fgnn::exact {

template <class Number>
class OffsetPool {
 public:
  // Appends to `all`, whose present entries are part of the pool only if they were added by it.
  explicit OffsetPool(std::vector<Number>& all) : all_(all) {}

  // Where the list stands.
  std::uint32_t add(std::span<const Number> list) {
    std::uint64_t hash = list.size();
    for (Number number : list) hash = scramble(hash ^ static_cast<std::uint64_t>(number)) + kGolden;
    const auto [from, to] = places_.equal_range(hash);
    for (auto place = from; place != to; ++place) {
      if (equal(list, place->second)) return place->second;
    }
    const auto at = static_cast<std::uint32_t>(all_.size());
    places_.emplace(hash, at);
    all_.insert(all_.end(), list.begin(), list.end());
    return at;
  }

 private:
  bool equal(std::span<const Number> list, std::uint32_t at) const {
    if (all_.size() - at < list.size()) return false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (all_[at + i] != list[i]) return false;
    }
    return true;
  }

  std::vector<Number>& all_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> places_;  // by hash
};

}  // namespace fgnn::exact
