#include "fgnn/experiments/handwriting/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/words.h"

namespace fgnn::handwriting {

bool has_orders(const std::string& kind) { return kind == "fgnn" || kind == "product"; }

network::Description handwriting_network(const HandwritingNetwork& n) {
  const std::string letters = fmt::format(
      "Image(16, 8) - Conv(32) - Conv(64, pool=2) - Conv(128, pool=2) - Dropout(0.3) - FC({})",
      n.features);
  std::string context;
  if (has_orders(n.kind) && n.order > 0) {
    // Letters that are not seen teach the factors to know them by their neighbours.
    context = fmt::format("Dropout(0.2, rows=yes) - 3*FGNN({}, rank={}) - Dropout(0.3) - Out(26)",
                          n.features, n.rank);
  } else if (has_orders(n.kind)) {
    context = "Dropout(0.3) - Out(26)";
  } else if (n.kind == "crf") {
    context = "Dropout(0.3) - Chain(26)";
  } else if (n.kind == "mpnn") {
    context = "FC(64) - Dropout(0.2, rows=yes) - 3*MPNN(64) - Dropout(0.3) - Out(26)";
  } else {
    refuse_word(n.kind, "a network", std::vector<std::string>{"fgnn", "product", "crf", "mpnn"});
  }
  network::Description d;
  d.network = letters + " - " + context;
  d.defaults = {{"aggregate", n.kind == "product" ? "product" : "sum"}, {"norm", "batch"}};
  return d;
}

std::string handwriting_training(const HandwritingNetwork& n, std::uint64_t words, double epochs) {
  // Factors have many weights, which more words at a time share the way through the cache of; a
  // letter network alone is better off with more steps.
  const std::uint64_t batch = has_orders(n.kind) && n.order > 0 ? 32 : 16;
  const std::uint64_t epoch = std::max<std::uint64_t>(1, words / batch);
  const double wanted =
      std::round(epochs * static_cast<double>(words) / static_cast<double>(batch));
  constexpr double kMostSteps = 1e12;
  if (!(wanted <= kMostSteps)) throw Error(ErrorCode::usage, "epochs", "are too many");
  const auto steps = static_cast<std::uint64_t>(std::max(1.0, wanted));
  // Checkpoints are large.
  constexpr std::uint64_t kEpochsBetween = 5, kSecondsBetween = 300;
  return fmt::format(
      R"({{"batch": {}, "steps": {}, "interval": {}, "rate": 0.002, "warmup": {}, "average": 0.98,
           "checkpoint_seconds": {}}})",
      batch, steps, kEpochsBetween * epoch, epoch, kSecondsBetween);
}

}  // namespace fgnn::handwriting
