#include "fgnn/codes/simulate.h"

#include <algorithm>
#include <bit>
#include <mutex>

#include "fgnn/codes/noise.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/thread_time.h"
#include "fgnn/core/timing.h"

namespace fgnn::codes {
namespace {

// Frames that are generated and decoded together: enough to keep the lanes of a decoder full, few
// enough for the cache and, with long codes, the memory.
std::uint64_t batch(std::uint32_t length) {
  return std::clamp<std::uint64_t>((std::uint64_t{1} << 18) / std::max(length, 1u), 16, 2048);
}

// Channels of the same kind and strength have the same noise, whatever else is simulated.
std::uint64_t cell_of(const Channel& channel) {
  std::uint64_t hash = has_sigma(channel.kind) ? 1 : 2 + static_cast<std::uint64_t>(channel.kind);
  for (double value : {has_sigma(channel.kind) ? channel.sigma : channel.flip,
                       channel.kind == ChannelKind::burst ? channel.burst_sigma : 0.0}) {
    hash = scramble(hash ^ std::bit_cast<std::uint64_t>(value)) + kGolden;
  }
  return hash;
}

struct Batch {
  std::uint64_t first = 0, count = 0;
  std::vector<std::uint8_t> messages, words;
  std::vector<float> observed, llr;
  Decoded decoded;
};

void generate(const Code& code, const Channel& channel, const SimulationOptions& options,
              std::uint64_t cell, Batch& b) {
  const std::size_t n = code.encoder.length(), k = code.encoder.dimension();
  b.messages.assign(b.count * k, 0);
  b.words.assign(b.count * n, 0);
  b.observed.resize(b.count * n);
  for (std::uint64_t f = 0; f < b.count; ++f) {
    const FrameId id{options.seed, cell, b.first + f};
    const std::span<std::uint8_t> message(b.messages.data() + f * k, k);
    const std::span<std::uint8_t> word(b.words.data() + f * n, n);
    if (!options.zero_words) {
      random_bits(id, message);
      code.encoder.encode(message, word);
    }
    const auto observed = std::span(b.observed).subspan(f * n, n);
    transmit(channel, id, word, observed);
    // In the middle between the bits, which is a ratio of 0 on every channel.
    for (const std::uint32_t c : code.punctured) observed[c] = 0;
  }
}

ErrorCounts count_errors(const Code& code, const Batch& b) {
  const std::size_t n = code.encoder.length(), k = code.encoder.dimension();
  ErrorCounts counts;
  counts.frames = b.count;
  for (std::uint64_t f = 0; f < b.count; ++f) {
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < k; ++i) {
      wrong += b.decoded.bits[f * n + code.encoder.information()[i]] != b.messages[f * k + i];
    }
    counts.bit_errors += wrong;
    counts.squared_bit_errors += wrong * wrong;
    counts.frame_errors += wrong > 0;
    counts.undetected += wrong > 0 && b.decoded.valid[f] != 0;
    counts.iterations += b.decoded.iterations[f];
  }
  return counts;
}

void sum_over(cluster::Group& group, ErrorCounts& c) {
  std::uint64_t numbers[] = {c.frames,     c.frame_errors, c.bit_errors, c.squared_bit_errors,
                             c.undetected, c.iterations};
  group.sum(std::span(numbers));
  group.sum(std::span(&c.decode_seconds, 1));
  c.frames = numbers[0];
  c.frame_errors = numbers[1];
  c.bit_errors = numbers[2];
  c.squared_bit_errors = numbers[3];
  c.undetected = numbers[4];
  c.iterations = numbers[5];
}

double words_left(std::span<const ErrorCounts> counts, const SimulationOptions& options,
                  std::uint32_t length) {
  double words = 0;
  for (const ErrorCounts& c : counts) {
    if (!finished(c, options, length)) words += static_cast<double>(options.max_frames - c.frames);
  }
  return words;
}

}  // namespace

std::uint64_t round_end(std::uint64_t frames, std::uint32_t length) {
  const std::uint64_t unit = batch(length);
  std::uint64_t end = unit;
  // Ends grow by half: 1, 2, 3, 4, 6, 9, … units, and by at most 32 of them.
  while (end <= frames) end += std::clamp<std::uint64_t>(end / unit / 2, 1, 32) * unit;
  return end;
}

std::uint64_t simulation_bytes(const Code& code, const SimulationOptions& options) {
  const std::uint64_t n = code.encoder.length(), ones = code.checks.num_ones();
  const std::uint64_t frames = std::min(batch(code.encoder.length()), options.max_frames);
  // Message, word, observation, ratio and decision of a bit. Decoders keep a lane per word.
  constexpr std::uint64_t kPerBit = 16, kLanes = 16 * sizeof(float);
  const std::uint64_t per_thread = frames * n * kPerBit + kLanes * 4 * (n + ones);
  const int threads = options.threads > 0 ? options.threads : default_threads();
  const std::uint64_t most = (options.max_frames + 15) / 16;  // pieces of a round
  return per_thread * std::min<std::uint64_t>(static_cast<std::uint64_t>(threads), most);
}

bool finished(const ErrorCounts& counts, const SimulationOptions& options, std::uint32_t length) {
  if (counts.frames >= options.max_frames) return true;
  const bool boundary = counts.frames > 0 && round_end(counts.frames - 1, length) == counts.frames;
  return boundary && options.target_errors > 0 && counts.frame_errors >= options.target_errors;
}

bool simulate(const Code& code, const Channel& channel,
              std::span<const std::unique_ptr<Decoder>> decoders, const SimulationOptions& options,
              std::span<ErrorCounts> counts, cluster::Group& group) {
  channel.validate();
  for (const auto& decoder : decoders) decoder->check(channel, code.punctured.size());
  const std::uint32_t n = code.encoder.length();
  const std::uint64_t cell = cell_of(channel);
  const auto ended = [&] {
    return options.control.stop.stop_requested() || options.deadline.expired();
  };
  Stage stage(options.control, options.label, words_left(counts, options, n));
  while (true) {
    // Decoders that are furthest behind go next, all that stand at the same frame together.
    std::uint64_t begin = UINT64_MAX;
    for (const ErrorCounts& c : counts) {
      if (!finished(c, options, n)) begin = std::min(begin, c.frames);
    }
    if (begin == UINT64_MAX) return true;
    std::vector<std::size_t> active;
    std::uint64_t end = std::min(round_end(begin, n), options.max_frames);
    for (std::size_t d = 0; d < counts.size(); ++d) {
      if (finished(counts[d], options, n)) continue;
      if (counts[d].frames == begin) {
        active.push_back(d);
      } else {
        end = std::min(end, counts[d].frames);
      }
    }
    const Stopwatch watch;
    std::mutex mutex;
    std::vector<ErrorCounts> round(counts.size());
    const cluster::Share mine = cluster::share(end - begin, group);
    parallel_for(options.threads, mine.size(), 16, [&](std::size_t from, std::size_t to) {
      Batch b;
      const std::uint64_t start = begin + mine.begin, last = start + to;
      for (b.first = start + from; b.first < last; b.first += b.count) {
        if (ended()) return;
        b.count = std::min(batch(n), last - b.first);
        generate(code, channel, options, cell, b);
        b.llr.resize(b.observed.size());
        for (std::size_t d : active) {
          log_ratios(channel, decoders[d]->llr(), b.observed, b.llr);
          const ThreadStopwatch decoding;
          decoders[d]->decode({b.count, b.llr, b.observed, channel}, b.decoded);
          const double seconds = decoding.seconds();
          ErrorCounts part = count_errors(code, b);
          part.decode_seconds = seconds;
          const std::lock_guard lock(mutex);
          round[d].add(part);
        }
      }
    });
    // Then no rank counts the round, which may not be whole.
    if (group.any(ended())) return false;
    for (std::size_t d : active) {
      sum_over(group, round[d]);
      round[d].seconds = watch.seconds();
      counts[d].add(round[d]);
    }
    stage.advance(static_cast<double>((end - begin) * active.size()));
  }
}

}  // namespace fgnn::codes
