// Error rates by simulation: random messages, encoded, sent through the channel and decoded.
//
// Frame number f of a cell (a channel with its parameters) is the same for every decoder, thread
// count and batch size. A cell is over after `max_frames`, or at the first of fixed numbers of
// frames (round_end) at which `target_errors` frames were wrong, so that runs which are stopped and
// resumed end where one long run ends.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fgnn/cluster/group.h"
#include "fgnn/codes/channel.h"
#include "fgnn/codes/code.h"
#include "fgnn/codes/decoder.h"
#include "fgnn/codes/error_rates.h"
#include "fgnn/core/control.h"
#include "fgnn/core/timing.h"

namespace fgnn::codes {

struct SimulationOptions {
  std::uint64_t seed = 0;
  std::uint64_t max_frames = 10000;
  std::uint64_t target_errors = 0;  // frames; 0: max_frames are simulated
  bool zero_words = false;          // send the word of zeros instead of random ones
  int threads = 0;
  std::string label = "words";  // of the stage that the observer is told of
  Deadline deadline;            // rounds that it cuts short do not count
  Control control;  // told of every round by its frames, summed over decoders; may ask to stop
};

// The smallest round boundary above `frames`; rounds grow with the frames done and shrink with the
// length of the code.
std::uint64_t round_end(std::uint64_t frames, std::uint32_t length);

// Whether a cell that has these counts is over.
bool finished(const ErrorCounts& counts, const SimulationOptions& options, std::uint32_t length);

// Memory of the words that are simulated at a time, and of the decoders' messages, about.
std::uint64_t simulation_bytes(const Code& code, const SimulationOptions& options);

// Simulates what is left of a cell: `counts` has an entry per decoder, zero or from an earlier run,
// and is brought up to date. The ranks of a group share out the frames of each round; all get the
// same counts, which are those of a single process. False when it was asked to stop or the time is
// over: the counts are those of whole rounds, and another call goes on from there.
bool simulate(const Code& code, const Channel& channel,
              std::span<const std::unique_ptr<Decoder>> decoders, const SimulationOptions& options,
              std::span<ErrorCounts> counts, cluster::Group& group = cluster::alone());

}  // namespace fgnn::codes
