// The messages of kernels/message.h where they are added up and their matrices are mixtures, in the
// order that costs least:
//
//   out[t] = sum_e h_e (sum_b c[kind(e), b] W_b) = sum_b S_t[b] W_b,
//   S_t = sum_e c[kind(e)] (x) h_e
//
// over the edges e into t. All of it is linear, so that the sum over edges may come first, and the
// matrices after it, once per target: the matrix of an edge is never formed.
//
// Work: 2 bases hidden operations per edge and 2 bases hidden out per target, where mixing on edges
// takes the latter per edge. Memory: the outer products S of a few targets at a time.
#pragma once

#include "fgnn/kernels/message.h"

namespace fgnn::kernels {

// Whether messages can be had this way: one aggregator, sum or mean.
inline bool is_linear(const MessageOptions& options) {
  return options.aggregates.size() == 1 &&
         (options.aggregates[0] == Aggregate::sum || options.aggregates[0] == Aggregate::mean);
}

// The arguments are those of message_forward; `in` is a mixture.
template <class T>
void outer_forward(const MessageInput<T>& in, const MessageOptions& options, T* out, int threads);

// Overwrites the gradients asked for; `transposed` is what message_transpose makes of a mixture's
// matrices. On one thread: parts of a batch are learned side by side.
template <class T>
void outer_backward(const MessageInput<T>& in, const T* transposed, const MessageOptions& options,
                    const T* out_gradient, const MessageGradient<T>& gradient);

}  // namespace fgnn::kernels
