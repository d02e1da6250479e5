// How an engine adds messages up to beliefs.
#include <limits>

#include "fgnn/core/parallel.h"
#include "fgnn/infer/bp/engine.h"

namespace fgnn::bp {
namespace {

constexpr std::size_t kVariableGrain = 4096;     // fewer variables are not worth a thread
constexpr std::size_t kSplitMessages = 1 << 15;  // fewer are added up on one thread

}  // namespace

template <class T>
void Engine<T>::refresh(VariableId v) {
  const T none = -std::numeric_limits<T>::infinity();
  const auto edges = graph_.edges(v);
  const std::size_t first =
      edges.empty() ? 0 : static_cast<std::size_t>(edges.data() - graph_.edges(0).data());
  bool open = false;
  for (State x = 0; x < graph_.states(v); ++x) {
    const std::size_t at = graph_.state_offset(v) + x;
    T sum = 0, closed = 0;
    const auto add = [&](T value) { value == none ? closed += 1 : sum += value; };
    add(unary_[at]);
    for (std::size_t k = first; k < first + edges.size(); ++k) {
      add(messages_[edge_start_[k] + x * edge_stride_[k]]);
    }
    belief_[at] = sum;
    if (any_forbidden_) blocked_[at] = closed;
    open |= closed == 0;
  }
  if (!open) dead_variable_.store(v, std::memory_order_relaxed);
}

template <class T>
void Engine<T>::refresh_around(FactorId c) {
  for (VariableId v : graph_.scope(c)) refresh(v);
}

// Adds up all messages in the order in which they stand in memory: the beliefs, which are read and
// written at random, are much smaller than the messages and stay in the cache. Each thread adds its
// share of every group to sums of its own.
template <class T>
void Engine<T>::refresh_all() {
  const std::size_t states = belief_.size();
  const bool split = threads_ > 1 && messages_.size() >= kSplitMessages;
  const std::size_t shares = split ? static_cast<std::size_t>(threads_) : 1;
  sums_.resize(shares);
  parallel_for(static_cast<int>(shares), shares, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t share = begin; share < end; ++share) {
      auto& sum = sums_[share].belief;
      auto& closed = sums_[share].blocked;
      sum.assign(states, T(0));
      closed.assign(any_forbidden_ ? states : 0, T(0));
      for (const Group<T>& g : groups_) {
        add_messages(g, g.size() * share / shares, g.size() * (share + 1) / shares, sum, closed);
      }
    }
  });
  parallel_for(threads_, graph_.num_variables(), kVariableGrain,
               [&](std::size_t begin, std::size_t end) {
                 combine_sums(static_cast<VariableId>(begin), static_cast<VariableId>(end));
               });
}

template <class T>
void Engine<T>::add_messages(const Group<T>& g, std::size_t begin, std::size_t end,
                             std::vector<T>& sum, std::vector<T>& closed) const {
  const T none = -std::numeric_limits<T>::infinity();
  const std::size_t stride = g.slot_stride(), arity = g.arity();
  const std::size_t next_factor = g.lanes() ? 1 : arity, next_position = g.lanes() ? g.size() : 1;
  for (std::size_t f = begin; f < end; ++f) {
    for (std::size_t j = 0; j < arity; ++j) {
      const T* m = &messages_[g.at(f, g.slot[j])];
      const std::size_t first = g.variable[f * next_factor + j * next_position];
      const State states = g.shape[j];
      if (!any_forbidden_) {
        if (states == 2) {  // by far the most common, and worth more than a loop
          sum[first] += m[0];
          sum[first + 1] += m[stride];
        } else {
          for (State x = 0; x < states; ++x) sum[first + x] += m[x * stride];
        }
        continue;
      }
      for (State x = 0; x < states; ++x) {
        m[x * stride] == none ? closed[first + x] += 1 : sum[first + x] += m[x * stride];
      }
    }
  }
}

template <class T>
void Engine<T>::combine_sums(VariableId begin, VariableId end) {
  const std::size_t from = graph_.state_offset(begin);
  const std::size_t to =
      end == begin ? from : graph_.state_offset(end - 1) + graph_.states(end - 1);
  if (!any_forbidden_) {
    for (std::size_t i = from; i < to; ++i) {
      T sum = unary_[i];
      for (const auto& share : sums_) sum += share.belief[i];
      belief_[i] = sum;
    }
    return;
  }
  const T none = -std::numeric_limits<T>::infinity();
  for (VariableId v = begin; v < end; ++v) {
    bool open = false;
    for (State x = 0; x < graph_.states(v); ++x) {
      const std::size_t i = graph_.state_offset(v) + x;
      T sum = unary_[i] == none ? T(0) : unary_[i], closed = unary_[i] == none ? T(1) : T(0);
      for (const auto& share : sums_) {
        sum += share.belief[i];
        closed += share.blocked[i];
      }
      belief_[i] = sum;
      blocked_[i] = closed;
      open |= closed == 0;
    }
    if (!open) dead_variable_.store(v, std::memory_order_relaxed);
  }
}

template void Engine<float>::refresh(VariableId);
template void Engine<double>::refresh(VariableId);
template void Engine<float>::refresh_around(FactorId);
template void Engine<double>::refresh_around(FactorId);
template void Engine<float>::refresh_all();
template void Engine<double>::refresh_all();

}  // namespace fgnn::bp
