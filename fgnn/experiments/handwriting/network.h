// The networks of the handwriting experiments, and how they are trained.
#pragma once

#include <cstdint>
#include <string>

#include "fgnn/network/description.h"

namespace fgnn::handwriting {

struct HandwritingNetwork {
  std::string kind = "fgnn";   // fgnn, product (its factors multiply), crf or mpnn
  std::size_t order = 3;       // of the factors; 0: every letter alone
  std::size_t rank = 1024;     // width of the factors
  std::size_t features = 512;  // of a letter
};

// Whether networks of this kind have factors of an order and a rank.
bool has_orders(const std::string& kind);

// Without its schema, which is the task's. Throws Error(usage) for another kind.
network::Description handwriting_network(const HandwritingNetwork& network);

// Options of training (train/options.h) as JSON, for a fold of so many words.
std::string handwriting_training(const HandwritingNetwork& network, std::uint64_t words,
                                 double epochs);
inline constexpr double kHandwritingEpochs = 20;

}  // namespace fgnn::handwriting
