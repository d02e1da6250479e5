// The messages of a block of edges, forwards and backwards: kernels/message.h. Included once per
// instruction set, after hwy/highway.h.
#if defined(FGNN_KERNELS_MESSAGE_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FGNN_KERNELS_MESSAGE_BLOCK_INL_H_
#undef FGNN_KERNELS_MESSAGE_BLOCK_INL_H_
#else
#define FGNN_KERNELS_MESSAGE_BLOCK_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/gemm.h"
#include "fgnn/kernels/message_aggregate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

constexpr std::size_t kBlockRows = 512;   // rows of a buffer, where blocks are small
constexpr std::size_t kMixtureRows = 64;  // rows times bases times hidden stay in the cache

// A block in some copies: the part of the work that is done at one go.
struct Unit {
  const Incidence::Block* block;
  std::size_t first_copy, copies;
};

std::vector<Unit> units(const Incidence& edges, std::size_t copies) {
  std::vector<Unit> result;
  for (const auto& block : edges.blocks()) {
    const std::size_t size = std::max<std::size_t>(1, block.last_position - block.first_position);
    // Copies share a unit only where a template is one block: elsewhere blocks are large enough.
    const std::size_t together =
        edges.blocks().size() == 1 ? std::clamp<std::size_t>(kBlockRows / size, 1, copies) : 1;
    for (std::size_t c = 0; c < copies; c += together) {
      result.push_back({&block, c, std::min(together, copies - c)});
    }
  }
  return result;
}

// Kept from call to call: allocating them anew would cost page faults.
template <class T>
struct Buffers {
  AlignedVector<T> h, y, dy, dh, mixed;
  std::vector<std::size_t> row_kind;
  static Buffers& mine() {
    thread_local Buffers buffers;
    return buffers;
  }
};

template <class T>
class Worker {
 public:
  Worker(const MessageInput<T>& in, const MessageOptions& options)
      : in_(in),
        o_(options),
        e_(*in.edges),
        written_(e_.kinds() + 1),
        target_(options, in.mask != nullptr) {}

  void forward(const Unit& unit, T* out, ArgMax* where) {
    load(unit);
    multiply(unit);
    each_target(unit, [&](std::size_t row) {
      target_.reduce(y_.data(), out + row * o_.columns(), where, row);
    });
  }

  void backward(const Unit& unit, const T* out, const ArgMax& where, const T* out_gradient,
                const T* transposed, const MessageGradient<T>& gradient, T* edge_gradient) {
    load(unit);
    if (target_.needs_messages()) multiply(unit);
    dy_.resize(rows(unit) * o_.out);
    if (in_.mask != nullptr) std::fill(dy_.begin(), dy_.end(), T(0));  // nobody visits what is out
    each_target(unit, [&](std::size_t row) {
      target_.spread(y_.data(), out + row * o_.columns(), out_gradient + row * o_.columns(), where,
                     row, dy_.data());
    });
    multiply_back(unit, transposed, gradient);
    if (o_.activation != Activation::relu) {
      times_slope(o_.activation, h_.data(), dh_.data(), rows(unit) * o_.hidden);
    }
    if (gradient.target == nullptr && gradient.source == nullptr) return;
    each_target(unit, [&](std::size_t row) { collect(row, gradient, edge_gradient); });
  }

  // Whether the backward pass has seen edges of this kind.
  bool written(std::size_t kind) const { return written_[kind] != 0; }

 private:
  std::size_t rows(const Unit& u) const {
    return (u.block->last_position - u.block->first_position) * u.copies;
  }

  // h = act(target + source), by kind.
  void load(const Unit& unit) {
    const std::size_t width = o_.hidden;
    const bool relu = in_.target != nullptr && o_.activation == Activation::relu;
    h_.resize(rows(unit) * width);
    T* h = h_.data();
    for (const auto& run : e_.runs(*unit.block)) {
      for (std::size_t c = 0; c < unit.copies; ++c) {
        const std::size_t copy = unit.first_copy + c;
        const T* source = in_.source + copy * e_.sources() * width;
        const T* target =
            in_.target == nullptr ? nullptr : in_.target + copy * e_.targets() * width;
        for (Index i = run.begin; i < run.end; ++i, h += width) {
          const Index p = e_.ordered(i);
          const T* s = source + e_.source(p) * width;
          if (target == nullptr) {
            std::copy_n(s, width, h);
          } else if (relu) {
            add_relu(target + e_.target(p) * width, s, h, width);
          } else {
            add_rows(target + e_.target(p) * width, s, h, width);
          }
        }
      }
    }
    if (!relu) activate(o_.activation, h_.data(), h_.size());
  }

  // Calls f(kind, first row, end row) on the runs of the unit's buffer.
  template <class F>
  void each_run(const Unit& unit, F f) const {
    for (const auto& run : e_.runs(*unit.block)) {
      const Index base = unit.block->first_position;
      f(run.kind, (run.begin - base) * unit.copies, (run.end - base) * unit.copies);
    }
  }

  // y = h Q.
  void multiply(const Unit& unit) {
    const std::size_t n = rows(unit), H = o_.hidden, O = o_.out;
    y_.resize(n * O);
    if (in_.matrices == nullptr) {
      y_ = h_;
    } else if (in_.bases == 0) {
      each_run(unit, [&](Index kind, std::size_t begin, std::size_t end) {
        gemm(end - begin, O, H, &h_[begin * H], H, 1, in_.matrices + kind * H * O, O,
             &y_[begin * O], O, false);
      });
    } else {
      kinds_of_rows(unit);
      for (std::size_t begin = 0; begin < n; begin += kMixtureRows) {
        const std::size_t end = std::min(n, begin + kMixtureRows);
        mix(begin, end);
        gemm(end - begin, O, in_.bases * H, mixed_.data(), in_.bases * H, 1, in_.matrices, O,
             &y_[begin * O], O, false);
      }
    }
  }

  void kinds_of_rows(const Unit& unit) {
    row_kind_.resize(rows(unit));
    each_run(unit, [&](Index kind, std::size_t begin, std::size_t end) {
      const std::size_t length = (end - begin) / unit.copies;
      for (std::size_t r = begin; r < end; ++r) {
        const std::size_t copy = unit.first_copy + (r - begin) / length;
        row_kind_[r] = kind + (in_.per_copy ? copy * e_.kinds() : 0);
      }
    });
  }

  // Rows c_e (x) h_e: a mixture of matrices is one product with them stacked.
  void mix(std::size_t begin, std::size_t end) {
    const std::size_t H = o_.hidden, B = in_.bases;
    mixed_.resize(kMixtureRows * B * H);
    T* m = mixed_.data();
    for (std::size_t r = begin; r < end; ++r) {
      const T* c = in_.coefficients + row_kind_[r] * B;
      for (std::size_t b = 0; b < B; ++b, m += H) {
        for (std::size_t j = 0; j < H; ++j) m[j] = c[b] * h_[r * H + j];
      }
    }
  }

  // Calls f(row among all targets) with target_ set to the target's edges.
  template <class F>
  void each_target(const Unit& unit, F f) {
    for (std::size_t c = 0; c < unit.copies; ++c) {
      const std::size_t copy = unit.first_copy + c;
      const std::uint8_t* mask = in_.mask == nullptr ? nullptr : in_.mask + copy * e_.edges();
      for (std::size_t t = unit.block->first_target; t < unit.block->last_target; ++t) {
        auto& slots = target_.slots();
        slots.clear();
        for (Index p = e_.offset(t); p < e_.offset(t + 1); ++p) {
          if (mask != nullptr && mask[e_.edge(p)] == 0) continue;
          slots.push_back({e_.row(p, unit.copies, c), p - e_.offset(t), p});
        }
        f(copy * e_.targets() + t);
      }
    }
  }

  // dh = dy Q^T, and the gradient of Q.
  void multiply_back(const Unit& unit, const T* transposed, const MessageGradient<T>& gradient) {
    const std::size_t n = rows(unit), H = o_.hidden, O = o_.out;
    dh_.resize(n * H);
    if (in_.matrices == nullptr) {
      dh_ = dy_;
    } else if (in_.bases == 0) {
      each_run(unit, [&](Index kind, std::size_t begin, std::size_t end) {
        if (gradient.matrices != nullptr) {
          gemm(H, O, end - begin, &h_[begin * H], 1, H, &dy_[begin * O], O,
               gradient.matrices + kind * H * O, O, written_[kind] != 0);
          written_[kind] = 1;
        }
        gemm(end - begin, H, O, &dy_[begin * O], O, 1, transposed + kind * H * O, H,
             &dh_[begin * H], H, false);
      });
    } else {
      kinds_of_rows(unit);
      for (std::size_t begin = 0; begin < n; begin += kMixtureRows) {
        mixture_back(begin, std::min(n, begin + kMixtureRows), transposed, gradient);
      }
    }
  }

  void mixture_back(std::size_t begin, std::size_t end, const T* transposed,
                    const MessageGradient<T>& gradient) {
    const std::size_t H = o_.hidden, O = o_.out, B = in_.bases, n = end - begin;
    if (gradient.matrices != nullptr) {
      mix(begin, end);
      gemm(B * H, O, n, mixed_.data(), 1, B * H, &dy_[begin * O], O, gradient.matrices, O,
           written_[0] != 0);
      written_[0] = 1;
    }
    mixed_.resize(kMixtureRows * B * H);
    gemm(n, B * H, O, &dy_[begin * O], O, 1, transposed, B * H, mixed_.data(), B * H, false);
    for (std::size_t r = begin; r < end; ++r) {
      const T* dm = &mixed_[(r - begin) * B * H];
      const T* c = in_.coefficients + row_kind_[r] * B;
      T* dh = &dh_[r * H];
      std::fill_n(dh, H, T(0));
      for (std::size_t b = 0; b < B; ++b, dm += H) {
        T dot = 0;
        for (std::size_t j = 0; j < H; ++j) {
          dh[j] += c[b] * dm[j];
          dot += dm[j] * h_[r * H + j];
        }
        if (gradient.coefficients != nullptr) gradient.coefficients[row_kind_[r] * B + b] += dot;
      }
    }
  }

  // Edge gradients to their target and their sources, or, where blocks share sources, to a buffer
  // by position.
  void collect(std::size_t row, const MessageGradient<T>& gradient, T* edge_gradient) {
    const std::size_t H = o_.hidden, copy = row / e_.targets();
    T* sum = gradient.target == nullptr ? nullptr : gradient.target + row * H;
    if (sum != nullptr) std::fill_n(sum, H, T(0));
    for (const Slot& s : target_.slots()) {
      T* source = nullptr;
      if (edge_gradient != nullptr) {
        source = edge_gradient + (copy * e_.edges() + s.position) * H;
      } else if (gradient.source != nullptr) {
        source = gradient.source + (copy * e_.sources() + e_.source(s.position)) * H;
      }
      const T* gate = o_.activation == Activation::relu ? &h_[s.row * H] : nullptr;
      add_gated(&dh_[s.row * H], gate, sum, source, H);
    }
  }

  const MessageInput<T>& in_;
  const MessageOptions& o_;
  const Incidence& e_;
  std::vector<std::uint8_t> written_;  // by kind: whether its gradient holds something yet
  Buffers<T>& b_ = Buffers<T>::mine();
  AlignedVector<T>&h_ = b_.h, &y_ = b_.y, &dy_ = b_.dy, &dh_ = b_.dh, &mixed_ = b_.mixed;
  std::vector<std::size_t>& row_kind_ = b_.row_kind;
  Aggregation<T> target_;
};

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
