// Walking through the joint states of some variables with the places of several tables alongside.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fgnn::costs {

// Joint states of axes with these sizes, last fastest; each tracked table has a stride per axis
// (0 where it does not have the axis) and its place is kept up to date.
class JointWalk {
 public:
  explicit JointWalk(std::vector<std::uint32_t> sizes)
      : sizes_(std::move(sizes)), digits_(sizes_.size(), 0) {}

  void track(std::vector<std::size_t> strides) {
    strides_.push_back(std::move(strides));
    at_.push_back(0);
  }
  std::size_t at(std::size_t table) const { return at_[table]; }
  std::uint32_t digit(std::size_t axis) const { return digits_[axis]; }

  bool next() {
    for (std::size_t i = sizes_.size(); i-- > 0;) {
      const bool wraps = ++digits_[i] == sizes_[i];
      for (std::size_t t = 0; t < at_.size(); ++t) {
        if (wraps)
          at_[t] -= (sizes_[i] - 1) * strides_[t][i];
        else
          at_[t] += strides_[t][i];
      }
      if (!wraps) return true;
      digits_[i] = 0;
    }
    return false;
  }

 private:
  std::vector<std::uint32_t> sizes_, digits_;
  std::vector<std::vector<std::size_t>> strides_;
  std::vector<std::size_t> at_;
};

// Strides over `axes` of a table over `scope` (last fastest), all of whose variables are among
// them.
inline std::vector<std::size_t> strides_within(std::span<const std::uint32_t> scope,
                                               std::span<const std::uint32_t> axes,
                                               std::span<const std::uint32_t> sizes) {
  std::vector<std::size_t> strides(axes.size(), 0);
  std::size_t stride = 1;
  for (std::size_t j = scope.size(); j-- > 0;) {
    strides[static_cast<std::size_t>(std::ranges::find(axes, scope[j]) - axes.begin())] = stride;
    stride *= sizes[scope[j]];
  }
  return strides;
}

}  // namespace fgnn::costs
