// Walks along the joint states of a scope and tells which entry of a smaller table each one reads.
// The trailing axes are a block whose entries are worked out once; the others are stepped through.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/infer/minibucket/model.h"

namespace fgnn::minibucket {

class Reader {
 public:
  // `part` is a subset of `scope`; `states` is by place.
  Reader(std::span<const Place> scope, std::span<const Place> part, std::span<const State> states) {
    std::vector<std::size_t> strides(scope.size(), 0);
    std::size_t stride = 1;
    for (std::size_t j = part.size(), i = scope.size(); j-- > 0;) {
      while (scope[--i] != part[j]) {
      }
      strides[i] = stride;
      stride *= states[part[j]];
    }
    block_.assign(1, 0);
    std::size_t axis = scope.size();
    while (axis > 0 && block_.size() * states[scope[axis - 1]] <= kBlock) {
      --axis;
      const std::size_t before = block_.size(), count = states[scope[axis]];
      block_.resize(before * count);
      for (std::size_t x = 1; x < count; ++x) {
        for (std::size_t k = 0; k < before; ++k) {
          block_[x * before + k] = block_[k] + static_cast<std::uint32_t>(x * strides[axis]);
        }
      }
    }
    for (std::size_t i = 0; i < axis; ++i) {
      sizes_.push_back(states[scope[i]]);
      strides_.push_back(strides[i]);
    }
  }

  // visit(joint state, entry), joint states in order.
  template <class Visit>
  void each(Visit visit) const {
    std::vector<std::size_t> at(sizes_.size(), 0);
    std::size_t base = 0, joint = 0;
    while (true) {
      for (const std::uint32_t step : block_) visit(joint++, base + step);
      std::size_t i = sizes_.size();
      while (i > 0) {
        --i;
        base += strides_[i];
        if (++at[i] < sizes_[i]) break;
        base -= strides_[i] * sizes_[i];
        at[i] = 0;
        if (i == 0) return;
      }
      if (sizes_.empty()) return;
    }
  }

 private:
  static constexpr std::size_t kBlock = 1024;
  std::vector<std::uint32_t> block_;
  std::vector<std::size_t> sizes_, strides_;
};

}  // namespace fgnn::minibucket
