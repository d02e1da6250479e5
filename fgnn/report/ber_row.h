// One measured cell of `fgnn ber`: a decoder on a channel, as a line of a table, of CSV or of JSON.
#pragma once

#include <string>
#include <vector>

#include "fgnn/codes/channel.h"
#include "fgnn/codes/code.h"
#include "fgnn/codes/error_rates.h"
#include "fgnn/report/json.h"

namespace fgnn::report {

// What all rows of a run share.
struct BerRun {
  const codes::Code* code = nullptr;
  codes::SnrScale scale = codes::SnrScale::snr;  // on which the ratios were given
  std::uint64_t seed = 0;
  bool zero_words = false;
};

struct BerRow {
  std::string decoder;
  codes::Channel channel;
  codes::ErrorCounts counts;
  std::string identity;  // of the decoder's weights, if it has any
};

// The conventions of the numbers below, a '#' in front of each line.
std::string ber_preamble(const BerRun& run, codes::ChannelKind kind, double burst_probability);

// Lines of a table whose columns stay aligned while rows come in one by one.
class BerTable {
 public:
  BerTable(const BerRun& run, codes::ChannelKind kind, const std::vector<std::string>& decoders);
  std::string header() const;
  std::string line(const BerRow& row) const;

 private:
  BerRun run_;
  codes::ChannelKind kind_;
  std::size_t decoder_width_;
};

std::string ber_csv_header();
std::string ber_csv(const BerRun& run, const BerRow& row);

// The members that scripts rely on; docs/ldpc.md explains them.
Json ber_json(const BerRun& run, const BerRow& row);

// How every such object begins, as text.
inline constexpr const char* kBerJsonBegins = "{\"code\":";

// What makes two cells the same measurement, from such JSON; a log that has it need not be measured
// again.
std::string ber_key(const Json& cell);
codes::ErrorCounts ber_counts(const Json& cell);

}  // namespace fgnn::report
