// Every decoder by name: the one list that `fgnn ber`, `fgnn list decoders` and tests read. A new
// decoder is one entry in decoders.cc, or in another program a call of add_decoder; decoders from
// files, such as trained ones, come from sources. Any thread may add and ask.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/codes/bp_options.h"
#include "fgnn/codes/decoder.h"
#include "fgnn/codes/osd.h"
#include "fgnn/codes/parity_matrix.h"
#include "fgnn/core/settings.h"

namespace fgnn::codes {

// What may be set, over all decoders.
struct DecoderOptions {
  BpDecoderOptions bp;
  OsdOptions osd;
  LlrModel llr = LlrModel::sigma;
};

const SettingList<DecoderOptions>& decoder_settings();

struct DecoderInfo {
  std::string name, description, cost;
  std::vector<std::string> settings;  // names of those it takes
  DecoderOptions defaults;
  std::function<std::unique_ptr<Decoder>(const SparseParityMatrix&, const DecoderOptions&)> make;
};

// Those known by now, in the order in which they were added.
std::vector<DecoderInfo> decoders();

// One more. Throws Error(usage) when there is one of that name, or the name holds a colon or comma.
void add_decoder(DecoderInfo info);

// Decoders of "prefix:TEXT", where the text is the source's own, such as a file with settings
// after it.
using DecoderSource =
    std::function<std::unique_ptr<Decoder>(const SparseParityMatrix& checks, const std::string&)>;
void add_decoder_source(std::string prefix, DecoderSource source);

// "sum-product:iterations=20,llr=marginal". Throws Error(usage) for unknown names and settings,
// with the nearest known one.
std::unique_ptr<Decoder> make_decoder(const SparseParityMatrix& checks, std::string_view text);

// Belief propagation in lanes.
std::unique_ptr<Decoder> make_bp_decoder(const SparseParityMatrix& checks,
                                         const BpDecoderOptions& options, LlrModel llr);

}  // namespace fgnn::codes
