// Updating the messages of a group of factors: from beliefs and old messages to new messages.
//
// For each factor: the messages into it are n = belief - message, shifted to maximum 0 per variable
// (and exponentiated in the sum algebra); the kernel computes all outgoing messages in one pass;
// they go back to logarithms, are shifted to maximum 0, and damped.
//
// The sum algebra works on linear numbers. Where those could lose a state (incoming messages spread
// over hundreds of orders of magnitude), the factor is redone with logarithms (Algebra::log_sum).
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "fgnn/infer/bp/group.h"

namespace fgnn::bp {

inline constexpr std::size_t kNone = ~std::size_t{0};

template <class T>
struct Update {
  const Group<T>* group = nullptr;
  std::size_t begin = 0, end = 0;  // factors of the group
  // Sums of all finite messages and unaries per state; and, where anything is forbidden, how many
  // terms forbid each state (null when nothing is).
  const T* belief = nullptr;
  const T* blocked = nullptr;
  const T* messages = nullptr;  // old, all groups
  T* out = nullptr;             // new, same places; may be the same array
  T damping = 0;
  T limit = std::numeric_limits<T>::max();  // finite messages below -limit become -limit
  double* residual = nullptr;               // per factor from begin, where wanted
  double* log_z = nullptr;                  // per factor from begin, where wanted (sum algebras)
};

struct UpdateResult {
  double residual = 0;                // largest change of a message
  std::size_t contradiction = kNone;  // a factor of the group that forbids everything
  bool cut = false;                   // a message reached the limit
};

// Scratch memory of one thread.
template <class T>
using Workspace = std::vector<T>;

template <class T>
UpdateResult update(const Update<T>& args, Workspace<T>& workspace);

// The bare kernel of factor f in a group of Algebra::max: out[s] is the best score of the factor
// with slot s chosen, without in[s] itself. `in` and `out` hold width() logarithms.
void best_scores(const Group<double>& group, std::size_t f, const double* in, double* out,
                 Workspace<double>& workspace);

}  // namespace fgnn::bp
