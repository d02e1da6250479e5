// The machine of a potential that is a sum or a maximum of rank-1 terms: the term is the mode, and
// there are no states.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "fgnn/graph/potential.h"

namespace fgnn {

class Star final : public Machine {
 public:
  // `numbers` gives log w(z) for all z, then for each variable its logarithms, [x * terms + z]; it
  // is asked only when they are needed.
  Star(Shape shape, std::size_t terms, std::function<std::vector<double>()> numbers)
      : terms_(terms), numbers_(std::move(numbers)) {
    first_.push_back(terms);
    for (const State states : shape) first_.push_back(first_.back() + states * terms);
  }

  std::uint32_t modes() const override { return static_cast<std::uint32_t>(terms_); }
  std::size_t mode(std::size_t i, std::uint32_t z) const override { return first_[i] + z; }
  std::size_t reads(std::size_t, State x) const override { return x * terms_; }
  std::size_t entries() const override { return first_.back(); }
  std::vector<double> numbers() const override { return numbers_(); }

 private:
  std::size_t terms_;
  std::vector<std::size_t> first_;  // number of each variable, and the end
  std::function<std::vector<double>()> numbers_;
};

}  // namespace fgnn
