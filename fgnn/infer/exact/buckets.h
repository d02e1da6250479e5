// The compiled form of an elimination: one bucket per variable, with everything the passes need
// worked out beforehand.
//
// The axes of a message follow the order of elimination, earliest first. So in its bucket the
// variable to be eliminated is the slowest axis of every message, and reducing it is elementwise
// over the rest. The separator's trailing axes form a block of consecutive joint states, on which
// each input is a constant, a contiguous run, or a gather through a map that is the same for all
// blocks; the leading (outer) axes are stepped through like an odometer.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/infer/exact/problem.h"
#include "fgnn/infer/exact/tree.h"

namespace fgnn::exact {

struct Input {
  static constexpr std::uint32_t kAbsent = ~0u;
  // What a block of joint states is to the input: one number, a run of numbers, several runs, runs
  // of one number each, or anything.
  enum class Access : std::uint8_t { constant, contiguous, runs, repeats, gathered };

  bool message = false;  // from a bucket rather than a source
  Access access = Access::constant;
  std::uint32_t index = 0;  // of the bucket or source
  std::size_t base = 0;
  std::vector<std::uint32_t> offsets;  // per axis (the variable first, then the separator):
                                       // where its offsets by state stand in Buckets::offsets
  std::uint32_t map = 0;  // unless constant or contiguous: the block's map in Buckets::maps
  std::uint32_t run = 0;  // of runs and repeats: their length, a divisor of the block
};

struct Bucket {
  Id variable = 0;
  State states = 0;
  std::vector<Id> separator;
  std::vector<State> sizes;   // of the separator's axes
  std::size_t entries = 1;    // joint states of the separator
  std::size_t block = 1;      // joint states of its trailing axes
  std::size_t outer = 0;      // number of leading axes
  std::size_t kept = 0;       // where its message stands among all messages
  std::size_t live = 0;       // and where among those alive at a time
  std::size_t choices = 0;    // byte at which the best states for its entries begin
  std::vector<Input> inputs;  // constants first
};

struct Buckets {
  std::size_t variables = 0;    // of the problem; those that are conditioned on have no bucket
  std::vector<Bucket> buckets;  // in order of elimination
  std::vector<std::uint32_t> schedule;       // in which they are filled (tree.h)
  std::vector<std::uint32_t> roots;          // buckets with an empty separator
  std::vector<std::uint32_t> loose_sources;  // sources without variables
  std::vector<std::size_t> offsets;
  std::vector<std::int32_t> maps;
  std::size_t kept_entries = 0;  // doubles that all messages need
  std::size_t live_entries = 0;  // and those alive at a time
  std::size_t choice_bytes = 0;  // of the best states
};

// Takes the problem's offsets. What planning_bytes() could not know (the lists of wide buckets and
// the maps) is taken from the budget as it is needed.
Buckets make_buckets(Problem& problem, const std::vector<Id>& order, const Tree& tree, Hold& hold,
                     const Budget& budget);

}  // namespace fgnn::exact
