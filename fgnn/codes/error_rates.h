// Errors counted, and what they say about the rates behind them.
#pragma once

#include <cstdint>

namespace fgnn::codes {

struct Interval {
  double low = 0, high = 0;
};

// 95 % interval of a probability after `hits` of `trials` (Wilson 1927): sensible also for no hits.
Interval wilson(std::uint64_t hits, std::uint64_t trials);

// Errors are counted over the bits of the message; a frame is wrong when one of them is.
struct ErrorCounts {
  std::uint64_t frames = 0, frame_errors = 0, bit_errors = 0;
  std::uint64_t squared_bit_errors = 0;  // sum over frames of (bit errors of the frame)²
  std::uint64_t undetected = 0;          // wrong frames whose checks all hold
  std::uint64_t iterations = 0;
  double decode_seconds = 0;  // processor time of the decoder alone
  double seconds = 0;         // of the simulation, all decoders of the cell together

  void add(const ErrorCounts& other);

  double fer() const { return frames ? double(frame_errors) / double(frames) : 0; }
  double ber(std::uint64_t message_bits) const;
  double mean_iterations() const { return frames ? double(iterations) / double(frames) : 0; }
  double codewords_per_second() const {
    return decode_seconds > 0 ? double(frames) / decode_seconds : 0;
  }

  // Standard deviation of the mean number of wrong bits in a frame.
  double bit_deviation() const;
  Interval fer_interval() const { return wilson(frame_errors, frames); }
  // Bits of one frame are wrong together: the interval is that of a mean over frames. Where fewer
  // than ten frames were wrong, its upper end is the one of the frame errors scaled to bits.
  Interval ber_interval(std::uint64_t message_bits) const;
};

}  // namespace fgnn::codes
