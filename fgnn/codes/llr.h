// Log-likelihood ratios of the bits, log P(y | 1) / P(y | 0): positive where a one is likelier.
//
//   sigma     2 y / σ²: burst noise is not known of. The paper's baselines.
//   mixture   the true density, (1 - η) N(y; ±1, σ²) + η N(y; ±1, σ² + σb²)
//   marginal  the same averaged over σb = 0, 1, 2, 3, 4, 5: it is known that there may be bursts,
//             but not how strong they are
//
// Channels without bursts have one ratio, whatever is asked for: rayleigh 2 y / σ², bsc
// ± log((1 - flip) / flip), bec 0 where erased and ± kCertain elsewhere.
#pragma once

#include <span>

#include "fgnn/codes/channel.h"
#include "fgnn/core/words.h"

namespace fgnn::codes {

enum class LlrModel { sigma, mixture, marginal };

const Words<LlrModel>& words_of(LlrModel);

inline constexpr float kCertain = 30;  // a probability of 1e-13 that it is the other bit

void log_ratios(const Channel& channel, LlrModel model, std::span<const float> observed,
                std::span<float> llr);

}  // namespace fgnn::codes
