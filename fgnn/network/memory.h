// Arrays that are needed for a while, one after another: what one gives back another takes. Nothing
// is set to zero, and nothing returns to the system between runs.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "fgnn/kernels/aligned.h"

namespace fgnn::network {

template <class T>
class Memory {
 public:
  // At least n numbers, on a cache line; never null.
  T* take(std::size_t n) {
    Block* best = nullptr;
    Block* largest_free = nullptr;
    for (Block& b : blocks_) {
      if (b.taken) continue;
      if (b.size >= n && (best == nullptr || b.size < best->size)) best = &b;
      if (largest_free == nullptr || b.size > largest_free->size) largest_free = &b;
    }
    if (best == nullptr) {
      // A free block that is too small grows, so that batches of all sizes leave no litter behind.
      best = largest_free != nullptr ? largest_free : &blocks_.emplace_back();
      best->data.reset();
      best->data.reset(static_cast<T*>(
          ::operator new((n + 1) * sizeof(T), std::align_val_t(kernels::kCacheLine))));
      best->size = n;
    }
    best->taken = true;
    return best->data.get();
  }

  void give_back(const T* data) {
    for (Block& b : blocks_) {
      if (b.data.get() == data) b.taken = false;
    }
  }

  void give_back_all() {
    for (Block& b : blocks_) b.taken = false;
  }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t(kernels::kCacheLine)); }
  };
  struct Block {
    std::unique_ptr<T, Free> data;
    std::size_t size = 0;
    bool taken = false;
  };
  std::vector<Block> blocks_;
};

}  // namespace fgnn::network
