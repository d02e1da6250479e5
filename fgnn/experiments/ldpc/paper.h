// Bit error rates of the FGNN decoder that the paper's authors published, as decoded from its
// figure: panels σb = 0, 2 and 5. They are of the paper's own code.
#pragma once

#include <optional>

namespace fgnn::ldpc {

// codes::fingerprint of 96.3.963 with the paper's three ones (fgnn code convert --paper).
inline constexpr const char* kPaperCode = "0e728c3dc0d6ad62";

std::optional<double> published_fgnn_ber(double burst_sigma, double snr_db);

}  // namespace fgnn::ldpc
