// Bit error rates of the FGNN decoder that the paper's authors published, as decoded from its
// figure: panels σb = 0, 2 and 5. They are of the paper's own code.
#pragma once

#include <cstdint>
#include <optional>

namespace fgnn::ldpc {

// codes::fingerprint of 96.3.963 with the paper's three ones (fgnn code convert --paper).
inline constexpr std::uint64_t kPaperCode = 0x1c1b5480b4ef9a3b;

std::optional<double> published_fgnn_ber(double burst_sigma, double snr_db);

}  // namespace fgnn::ldpc
