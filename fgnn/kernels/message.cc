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
#include "fgnn/kernels/message_block-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

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
