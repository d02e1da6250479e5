// What becomes of the messages into one target: kernels/message.h. Included once per instruction
// set, after hwy/highway.h.
#if defined(FGNN_KERNELS_MESSAGE_AGGREGATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_KERNELS_MESSAGE_AGGREGATE_INL_H_
#undef FGNN_KERNELS_MESSAGE_AGGREGATE_INL_H_
#else
#define FGNN_KERNELS_MESSAGE_AGGREGATE_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fgnn/kernels/message.h"
#include "fgnn/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

// An edge into a target.
struct Slot {
  std::size_t row;     // in the buffers of messages
  std::uint32_t slot;  // among the target's edges
  Index position;      // among all
};

template <class T>
class Aggregation {
 public:
  Aggregation(const MessageOptions& options, bool masked) : o_(options), masked_(masked) {}

  // The edges into the target that the calls below are about.
  std::vector<Slot>& slots() { return slots_; }

  // Whether gradients need the messages again.
  bool needs_messages() const { return o_.has(Aggregate::logsumexp) || o_.has(Aggregate::product); }

  // The target's outputs, from the messages y; `row` is the target's among all.
  void reduce(const T* y, T* out, ArgMax* where, std::size_t row) {
    point_at(y);
    const std::size_t O = o_.out, n = slots_.size();
    for (const Aggregate a : o_.aggregates) {
      const auto at = [&](std::size_t j) {
        return [this, j](std::size_t s) { return pointers_[s][j]; };
      };
      switch (a) {
        case Aggregate::max:
          if (where == nullptr || where->wide.empty()) {
            std::uint8_t* slot = where == nullptr ? nullptr : &where->narrow[row * O];
            max_rows(pointers_.data(), n, O, out, slot);
            // A masked slot shifts those behind it.
            if (slot != nullptr && masked_ && n > 0) {
              for (std::size_t j = 0; j < O; ++j) {
                slot[j] = static_cast<std::uint8_t>(slots_[slot[j]].slot);
              }
            }
          } else {
            wide_max(out, &where->wide[row * O]);
          }
          break;
        case Aggregate::sum:
        case Aggregate::mean:
          sum_rows(pointers_.data(), n, O, out);
          if (a == Aggregate::mean && n > 1) {
            for (std::size_t j = 0; j < O; ++j) out[j] /= static_cast<T>(n);
          }
          break;
        case Aggregate::logsumexp:
          for (std::size_t j = 0; j < O; ++j) {
            out[j] = log_sum_exp(n, static_cast<T>(o_.temperature), at(j));
          }
          break;
        case Aggregate::product:
          for (std::size_t j = 0; j < O; ++j) out[j] = product<T>(n, at(j)).value();
          break;
      }
      out += O;
    }
  }

  // The gradients dy of the target's messages, from that of its outputs.
  void spread(const T* y, const T* out, const T* gradient, const ArgMax& where, std::size_t row,
              T* all_dy) {
    const std::size_t O = o_.out, n = slots_.size();
    if (needs_messages()) point_at(y);
    bool first = true;
    for (const Aggregate a : o_.aggregates) {
      for (std::size_t s = 0; s < n; ++s) {
        T* dy = all_dy + slots_[s].row * O;
        const bool direct = a == Aggregate::max && where.wide.empty();
        if (first && !direct) std::fill_n(dy, O, T(0));
        switch (a) {
          case Aggregate::max:
            if (direct) {
              add_where(&where.narrow[row * O], slots_[s].slot, gradient, dy, O, !first);
            } else {
              for (std::size_t j = 0; j < O; ++j) {
                if (where.wide[row * O + j] == slots_[s].slot) dy[j] += gradient[j];
              }
            }
            break;
          case Aggregate::sum:
            add_row(gradient, dy, O);
            break;
          case Aggregate::mean:
            for (std::size_t j = 0; j < O; ++j) dy[j] += gradient[j] / static_cast<T>(n);
            break;
          case Aggregate::logsumexp:
            for (std::size_t j = 0; j < O; ++j) {
              const T message = pointers_[s][j];
              dy[j] += gradient[j] * std::exp((message - out[j]) / static_cast<T>(o_.temperature));
            }
            break;
          case Aggregate::product:
            break;
        }
      }
      if (a == Aggregate::product) {
        for (std::size_t j = 0; j < O; ++j) {
          const auto all = product<T>(n, [&](std::size_t s) { return pointers_[s][j]; });
          for (std::size_t s = 0; s < n; ++s) {
            all_dy[slots_[s].row * O + j] += gradient[j] * all.without(pointers_[s][j]);
          }
        }
      }
      first = false;
      out += O;
      gradient += O;
    }
  }

 private:
  void point_at(const T* y) {
    pointers_.clear();
    for (const Slot& s : slots_) pointers_.push_back(y + s.row * o_.out);
  }

  void wide_max(T* out, std::uint32_t* slot) {
    for (std::size_t j = 0; j < o_.out; ++j) {
      std::size_t best = 0;
      for (std::size_t s = 1; s < slots_.size(); ++s) {
        const T y = pointers_[s][j];
        if (y > pointers_[best][j] || y != y) best = s;
      }
      out[j] = slots_.empty() ? T(0) : pointers_[best][j];
      slot[j] = slots_.empty() ? 0 : slots_[best].slot;
    }
  }

  const MessageOptions& o_;
  bool masked_;
  std::vector<Slot> slots_;
  std::vector<const T*> pointers_;
};

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
