// The tree of an elimination: the bucket of each variable, by its place in the order, hands its
// message to that of the first variable of its separator. Buckets are filled depth first, so that
// few messages are alive at a time: a bucket's message is written while those of its children are
// read, and these are over then. Messages at even depth stand on one stack, those at odd depth on
// another, which leaves no gaps; the two grow towards each other.
//
// Children come in the order that needs least memory: those first that need most beyond what they
// leave (Liu 1986).
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/infer/exact/problem.h"

namespace fgnn::exact {

struct Tree {
  static constexpr std::uint32_t kNone = ~0u;
  struct Node {
    std::vector<std::uint32_t> separator;  // places in the order, ascending
    std::vector<std::uint32_t> sources;    // that are read here first
    std::vector<std::uint32_t> children;   // in the order in which they are filled
    double entries = 1;                    // joint states of the separator
    double top = 0;                        // below its message, on its stack
    bool odd = false;                      // which stack
  };

  std::vector<Node> nodes;                   // in order of elimination
  std::vector<std::uint32_t> schedule;       // in which they are filled
  std::vector<std::uint32_t> roots;          // those with an empty separator
  std::vector<std::uint32_t> loose_sources;  // sources without variables
  double kept_entries = 0;                   // of all messages
  double live_entries = 0;                   // most of those alive at a time
  double choice_bytes = 0;                   // the best state for each entry of each message

  std::uint32_t parent(std::uint32_t node) const {
    return nodes[node].separator.empty() ? kNone : nodes[node].separator[0];
  }
};

// Bytes of one choice among so many states.
inline std::size_t choice_width(State states) { return states <= 256 ? 1 : sizeof(State); }

Tree make_tree(const Problem& problem, const std::vector<Id>& order, const Budget& budget);

}  // namespace fgnn::exact
