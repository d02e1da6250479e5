// What a network sees of a word as it came from the channel, and what its answers mean.
//
// Seen as bits (the default; what compiled sum-product needs): the answer is the bit that was sent.
//   variable features   -L/2, L/2 with L the log-likelihood ratio, log P(1) / P(0); y / σ / 4; the
//                       mean burst strength that the word suggests / 5
//   "check"             even parity of its bits; one kind of edge, no features
//
// Seen as flips: relative to the bitwise decisions, as syndrome decoders do. Words of a linear code
// differ by words of it and the channel is symmetric, so this takes away what was sent and leaves
// only what went wrong: the answer is whether the decision is to be turned round.
//   variable features   |L| / 4; |y| / σ / 4; the burst strength / 5
//   "check"             one feature: 1 where the decisions break the check, else -1
//
// Either way there may also be what other decoders think of each bit, log P(1) / P(0) / 8 (as
// flips: times the sign of L), no larger than 2: sum-product after every number of iterations in
// `beliefs`, and the list of ordered statistics of every order in `lists`. And with `positions` one
// column a bit and one a check that is 1 there: a network that knows its code.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fgnn/codes/decoder.h"
#include "fgnn/codes/parity_matrix.h"
#include "fgnn/core/settings.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/description.h"

namespace fgnn::learned {

// The checks of a code as a network sees them.
std::shared_ptr<const network::Structure> check_structure(const SparseParityMatrix& checks);

struct ReceivedOptions {
  // llr=sigma: L knows of no bursts. llr=word: it judges their strength by the word
  // (codes/burst_level.h).
  bool sigma_ratios = false;
  bool flips = false;
  std::vector<std::uint32_t> beliefs, lists;
  bool positions = false;

  // From those of its settings that are there. Throws Error(usage) naming the setting.
  static ReceivedOptions of(const std::map<std::string, std::string>& settings);
};
const SettingList<ReceivedOptions>& received_settings();

class ReceivedView {
 public:
  ReceivedView(const SparseParityMatrix& checks, ReceivedOptions options);

  const ReceivedOptions& options() const { return options_; }
  network::Schema schema() const;

  struct Words {
    network::Batch batch;
    std::vector<std::uint8_t> reference;  // answers are relative to these: the bit is answer xor it
  };
  // Words one after the other. Safe to call from several threads.
  Words look(const codes::Channel& channel, std::span<const float> observed) const;

 private:
  ReceivedOptions options_;
  SparseParityMatrix checks_;
  std::shared_ptr<const network::Structure> structure_;  // one for all words
  std::vector<std::unique_ptr<codes::Decoder>> others_;  // whose opinions are features
};

}  // namespace fgnn::learned
