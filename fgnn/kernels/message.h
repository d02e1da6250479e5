// One direction of an FGNN layer (Zhang et al. 2023, Algorithm 1), fused:
//
//   out[t] = AGG over edges e into t of   h_e Q_e,     h_e = act(target[t] + source[s(e)])
//
// where target and source hold the two halves of M's first linear map, applied once per node
// (W [g_c, f_i] = W_g g_c + W_f f_i; the bias is part of either), and Q_e is
//   - the matrix of the edge's kind, of a table `matrices` (kinds x hidden x out), or
//   - sum_b coefficients[kind, b] matrices[b], a mixture of `bases` matrices, or
//   - the identity (no matrices).
//
// Work: 2 hidden out operations per edge (times `bases` for a mixture) forward, twice that
// backward. Memory: blocks of a few hundred edges live in the cache; nothing of size edges x width
// is stored, but in the backward pass of a graph larger than a block, whose blocks share sources.
// Several aggregators stand side by side in the columns of `out`. Deterministic for a given number
// of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fgnn/kernels/activation.h"
#include "fgnn/kernels/aggregate.h"
#include "fgnn/kernels/incidence.h"

namespace fgnn::kernels {

struct MessageOptions {
  std::size_t hidden = 0, out = 0;
  Activation activation = Activation::relu;
  std::vector<Aggregate> aggregates{Aggregate::max};
  double temperature = 1;  // of logsumexp

  std::size_t columns() const { return aggregates.size() * out; }
  bool has(Aggregate a) const;
};

template <class T>
struct MessageInput {
  const Incidence* edges = nullptr;
  std::size_t copies = 1;
  const T* target = nullptr;           // copies * targets x hidden; may be absent
  const T* source = nullptr;           // copies * sources x hidden
  const T* matrices = nullptr;         // kinds (or bases) x hidden x out; absent: identity
  const T* coefficients = nullptr;     // kinds x bases, for a mixture
  std::size_t bases = 0;               // 0: no mixture
  bool per_copy = false;               // coefficients differ by copy: copies * kinds x bases
  const std::uint8_t* mask = nullptr;  // copies * edges by edge number; 0 takes an edge out
};

// Slots of the maxima: one byte each up to degree 255, else four.
struct ArgMax {
  std::vector<std::uint8_t> narrow;
  std::vector<std::uint32_t> wide;
};

// out: copies * targets x options.columns(). `where` may be null when no backward pass follows.
template <class T>
void message_forward(const MessageInput<T>& in, const MessageOptions& options, T* out,
                     ArgMax* where, int threads);

template <class T>
struct MessageGradient {  // each may be null
  T* target = nullptr;
  T* source = nullptr;
  T* matrices = nullptr;
  T* coefficients = nullptr;
};

// The transposed matrices that a backward pass multiplies by, as many numbers as in.matrices has.
// Made once, they serve all batches until the matrices change. `tables` are kinds, or bases.
template <class T>
void message_transpose(const T* matrices, std::size_t tables, bool mixture,
                       const MessageOptions& options, T* transposed);

// Overwrites the gradients asked for; of the matrices, those of kinds that occur or may occur.
template <class T>
void message_backward(const MessageInput<T>& in, const T* transposed, const MessageOptions& options,
                      const T* out, const ArgMax& where, const T* out_gradient,
                      const MessageGradient<T>& gradient, int threads);

}  // namespace fgnn::kernels
