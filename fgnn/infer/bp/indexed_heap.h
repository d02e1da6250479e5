// A queue of 0 .. n-1 by keys that change: the largest first, the lower number among equals. One
// entry each, so memory stays linear however often keys change; a change costs log n.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace fgnn::bp {

class IndexedHeap {
 public:
  // All keys are 0 at first.
  explicit IndexedHeap(std::size_t n) : key_(n, 0.0), heap_(n), place_(n) {
    std::iota(heap_.begin(), heap_.end(), std::uint32_t{0});
    std::iota(place_.begin(), place_.end(), std::size_t{0});
  }

  std::uint32_t top() const { return heap_.front(); }
  double top_key() const { return heap_.empty() ? 0.0 : key_[heap_.front()]; }

  void set(std::uint32_t id, double key) {
    key_[id] = key;
    rise(place_[id]);
    sink(place_[id]);
  }

 private:
  bool before(std::uint32_t a, std::uint32_t b) const {
    return key_[a] != key_[b] ? key_[a] > key_[b] : a < b;
  }
  void swap(std::size_t i, std::size_t j) {
    std::swap(heap_[i], heap_[j]);
    place_[heap_[i]] = i;
    place_[heap_[j]] = j;
  }
  void rise(std::size_t i) {
    for (; i > 0 && before(heap_[i], heap_[(i - 1) / 2]); i = (i - 1) / 2) swap(i, (i - 1) / 2);
  }
  void sink(std::size_t i) {
    while (true) {
      std::size_t best = i;
      for (const std::size_t child : {2 * i + 1, 2 * i + 2}) {
        if (child < heap_.size() && before(heap_[child], heap_[best])) best = child;
      }
      if (best == i) return;
      swap(i, best);
      i = best;
    }
  }

  std::vector<double> key_;
  std::vector<std::uint32_t> heap_;  // a binary heap of ids
  std::vector<std::size_t> place_;   // of each id in it
};

}  // namespace fgnn::bp
