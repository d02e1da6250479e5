#include "fgnn/kernels/message.h"

#include <algorithm>
#include <cstring>

#include "fgnn/core/parallel.h"
#include "fgnn/core/simd.h"
#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/gemm.h"
#include "fgnn/kernels/pieces.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/kernels/message.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "fgnn/kernels/rows-inl.h"
// clang-format on

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
  std::vector<const T*> pointers;
  static Buffers& mine() {
    thread_local Buffers buffers;
    return buffers;
  }
};

template <class T>
class Worker {
 public:
  Worker(const MessageInput<T>& in, const MessageOptions& options)
      : in_(in), o_(options), e_(*in.edges), written_(e_.kinds() + 1) {}

  void forward(const Unit& unit, T* out, ArgMax* where) {
    load(unit);
    multiply(unit);
    each_target(unit, [&](std::size_t row) { reduce(out + row * o_.columns(), where, row); });
  }

  void backward(const Unit& unit, const T* out, const ArgMax& where, const T* out_gradient,
                const T* transposed, const MessageGradient<T>& gradient, T* edge_gradient) {
    load(unit);
    if (needs_messages()) multiply(unit);
    dy_.resize(rows(unit) * o_.out);
    if (in_.mask != nullptr) std::fill(dy_.begin(), dy_.end(), T(0));  // nobody visits what is out
    each_target(unit, [&](std::size_t row) {
      spread(out + row * o_.columns(), out_gradient + row * o_.columns(), where, row);
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
  struct Slot {
    std::size_t row;     // in the buffers
    std::uint32_t slot;  // among the target's edges
    Index position;      // among all
  };

  // Whether the backward pass needs y again.
  bool needs_messages() const { return o_.has(Aggregate::logsumexp) || o_.has(Aggregate::product); }

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

  // Calls f(row among all targets) with slots_ set to the target's edges.
  template <class F>
  void each_target(const Unit& unit, F f) {
    for (std::size_t c = 0; c < unit.copies; ++c) {
      const std::size_t copy = unit.first_copy + c;
      const std::uint8_t* mask = in_.mask == nullptr ? nullptr : in_.mask + copy * e_.edges();
      for (std::size_t t = unit.block->first_target; t < unit.block->last_target; ++t) {
        slots_.clear();
        for (Index p = e_.offset(t); p < e_.offset(t + 1); ++p) {
          if (mask != nullptr && mask[e_.edge(p)] == 0) continue;
          slots_.push_back({e_.row(p, unit.copies, c), p - e_.offset(t), p});
        }
        f(copy * e_.targets() + t);
      }
    }
  }

  void rows_of_slots(const AlignedVector<T>& buffer) {
    pointers_.clear();
    for (const Slot& s : slots_) pointers_.push_back(buffer.data() + s.row * o_.out);
  }

  void reduce(T* out, ArgMax* where, std::size_t row) {
    rows_of_slots(y_);
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
            if (slot != nullptr && in_.mask != nullptr && n > 0) {
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

  // dy of a target's edges, from the gradient of its outputs.
  void spread(const T* out, const T* gradient, const ArgMax& where, std::size_t row) {
    const std::size_t O = o_.out, n = slots_.size();
    if (needs_messages()) rows_of_slots(y_);
    bool first = true;
    for (const Aggregate a : o_.aggregates) {
      for (std::size_t s = 0; s < n; ++s) {
        T* dy = &dy_[slots_[s].row * O];
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
              const T y = pointers_[s][j];
              dy[j] += gradient[j] * std::exp((y - out[j]) / static_cast<T>(o_.temperature));
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
            dy_[slots_[s].row * O + j] += gradient[j] * all.without(pointers_[s][j]);
          }
        }
      }
      first = false;
      out += O;
      gradient += O;
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
    for (const Slot& s : slots_) {
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
  std::vector<const T*>& pointers_ = b_.pointers;
  std::vector<Slot> slots_;
};

// Calls body(worker, piece, unit) on contiguous pieces of the units, one per thread, and
// done(worker, piece) behind each piece.
template <class T, class Body, class Done>
void over_units(const MessageInput<T>& in, const MessageOptions& options,
                const std::vector<Unit>& all, int threads, Body body, Done done) {
  over_pieces(all.size(), 1, threads, [&](std::size_t piece, std::size_t begin, std::size_t end) {
    Worker<T> worker(in, options);
    for (std::size_t u = begin; u < end; ++u) body(worker, piece, all[u]);
    done(worker, piece);
  });
}

// Partial sums of the pieces behind the first, added in their order.
template <class T>
void add_pieces(const AlignedVector<T>& parts, std::size_t size, T* sum) {
  for (std::size_t i = 0; i < parts.size(); i += size) add_row(&parts[i], sum, size);
}

template <class T>
void forward(const MessageInput<T>& in, const MessageOptions& options, T* out, ArgMax* where,
             int threads) {
  if (where != nullptr && options.has(Aggregate::max)) {
    const std::size_t size = in.copies * in.edges->targets() * options.out;
    const bool narrow = in.edges->largest_degree() <= 255;
    where->narrow.resize(narrow ? size : 0);
    where->wide.resize(narrow ? 0 : size);
  }
  over_units(
      in, options, units(*in.edges, in.copies), threads,
      [&](Worker<T>& worker, std::size_t, const Unit& unit) { worker.forward(unit, out, where); },
      [](Worker<T>&, std::size_t) {});
}

template <class T>
void backward(const MessageInput<T>& in, const T* transposed, const MessageOptions& options,
              const T* out, const ArgMax& where, const T* out_gradient,
              const MessageGradient<T>& gradient, int threads) {
  const Incidence& e = *in.edges;
  const std::size_t H = options.hidden, O = options.out;
  const std::size_t tables = in.matrices == nullptr ? 0 : in.bases == 0 ? e.kinds() : in.bases;
  const auto all = units(e, in.copies);
  const std::size_t matrices = gradient.matrices == nullptr ? 0 : tables * H * O;
  const std::size_t coefficients =
      gradient.coefficients == nullptr ? 0 : e.kinds() * in.bases * (in.per_copy ? in.copies : 1);
  AlignedVector<T> matrix_parts(matrices * (std::max(threads, 1) - 1));
  AlignedVector<T> coefficient_parts(coefficients * (std::max(threads, 1) - 1));
  // A piece writes its matrices where it sees edges of their kind; a single kind, of a mixture's
  // stack, or all of a table's.
  const std::size_t of_kind = in.bases > 0 ? matrices : H * O;
  const auto own_matrices = [&](std::size_t piece) {
    return piece == 0 ? gradient.matrices : &matrix_parts[(piece - 1) * matrices];
  };
  std::fill_n(gradient.coefficients, coefficients, T(0));
  if (gradient.source != nullptr) {
    std::fill_n(gradient.source, in.copies * e.sources() * H, T(0));
  }
  AlignedVector<T> by_edge(!e.closed() && gradient.source != nullptr ? in.copies * e.edges() * H
                                                                     : 0);
  over_units(
      in, options, all, threads,
      [&](Worker<T>& worker, std::size_t piece, const Unit& unit) {
        MessageGradient<T> mine = gradient;
        if (matrices > 0) mine.matrices = own_matrices(piece);
        if (piece > 0 && coefficients > 0) {
          mine.coefficients = &coefficient_parts[(piece - 1) * coefficients];
        }
        worker.backward(unit, out, where, out_gradient, transposed, mine,
                        by_edge.empty() ? nullptr : by_edge.data());
      },
      [&](Worker<T>& worker, std::size_t piece) {
        for (std::size_t k = 0; k * of_kind < matrices; ++k) {
          if (!worker.written(k)) {
            std::fill_n(own_matrices(piece) + k * of_kind, of_kind, T(0));
          }
        }
      });
  if (matrices > 0) add_pieces(matrix_parts, matrices, gradient.matrices);
  if (coefficients > 0) add_pieces(coefficient_parts, coefficients, gradient.coefficients);
  if (by_edge.empty()) return;
  parallel_for(threads, in.copies * e.sources(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const std::size_t copy = s / e.sources();
      for (const Index p : e.leaving(s % e.sources())) {
        add_row(&by_edge[(copy * e.edges() + p) * H], gradient.source + s * H, H);
      }
    }
  });
}

// Highway exports functions, not templates.
void ForwardFloat(const MessageInput<float>& in, const MessageOptions& options, float* out,
                  ArgMax* where, int threads) {
  forward(in, options, out, where, threads);
}
void ForwardDouble(const MessageInput<double>& in, const MessageOptions& options, double* out,
                   ArgMax* where, int threads) {
  forward(in, options, out, where, threads);
}
void BackwardFloat(const MessageInput<float>& in, const float* transposed,
                   const MessageOptions& options, const float* out, const ArgMax& where,
                   const float* out_gradient, const MessageGradient<float>& gradient, int threads) {
  backward(in, transposed, options, out, where, out_gradient, gradient, threads);
}
void BackwardDouble(const MessageInput<double>& in, const double* transposed,
                    const MessageOptions& options, const double* out, const ArgMax& where,
                    const double* out_gradient, const MessageGradient<double>& gradient,
                    int threads) {
  backward(in, transposed, options, out, where, out_gradient, gradient, threads);
}

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::kernels {

HWY_EXPORT(ForwardFloat);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);

template <class T>
void message_transpose(const T* matrices, std::size_t tables, bool mixture,
                       const MessageOptions& options, T* transposed) {
  const std::size_t H = options.hidden, O = options.out;
  // A mixture's as one stack, out x (bases hidden).
  if (mixture) return transpose(matrices, tables * H, O, transposed);
  for (std::size_t k = 0; k < tables; ++k) {
    transpose(matrices + k * H * O, H, O, transposed + k * H * O);
  }
}
template void message_transpose<float>(const float*, std::size_t, bool, const MessageOptions&,
                                       float*);
template void message_transpose<double>(const double*, std::size_t, bool, const MessageOptions&,
                                        double*);

bool MessageOptions::has(Aggregate a) const {
  return std::find(aggregates.begin(), aggregates.end(), a) != aggregates.end();
}

template <>
void message_forward<float>(const MessageInput<float>& in, const MessageOptions& options,
                            float* out, ArgMax* where, int threads) {
  HWY_DYNAMIC_DISPATCH(ForwardFloat)(in, options, out, where, threads);
}
template <>
void message_forward<double>(const MessageInput<double>& in, const MessageOptions& options,
                             double* out, ArgMax* where, int threads) {
  HWY_DYNAMIC_DISPATCH(ForwardDouble)(in, options, out, where, threads);
}
template <>
void message_backward<float>(const MessageInput<float>& in, const float* transposed,
                             const MessageOptions& options, const float* out, const ArgMax& where,
                             const float* out_gradient, const MessageGradient<float>& gradient,
                             int threads) {
  HWY_DYNAMIC_DISPATCH(BackwardFloat)
  (in, transposed, options, out, where, out_gradient, gradient, threads);
}
template <>
void message_backward<double>(const MessageInput<double>& in, const double* transposed,
                              const MessageOptions& options, const double* out, const ArgMax& where,
                              const double* out_gradient, const MessageGradient<double>& gradient,
                              int threads) {
  HWY_DYNAMIC_DISPATCH(BackwardDouble)
  (in, transposed, options, out, where, out_gradient, gradient, threads);
}

}  // namespace fgnn::kernels
#endif
