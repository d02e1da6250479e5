#include "fgnn/experiments/motion/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/words.h"
#include "fgnn/experiments/motion/graphs.h"

namespace fgnn::motion {
namespace {

constexpr std::uint64_t kBatch = 16;

std::string factor_layer(std::size_t width, std::size_t out, bool last) {
  return fmt::format(
      "Factors({0}, positions={1}) - FGNN({2}, factor={0}, m={0}, q=mixture, mix=table, bases=16, "
      "to_factor=max, to_variable=sum, update=no, residual=no{3})",
      width, kMostNodes, out, last ? ", norm=none, updated=identity" : "");
}

}  // namespace

const std::vector<std::string>& network_names() {
  static const std::vector<std::string> all{"gcn", "fgnn", "gcn-small", "fgnn-small"};
  return all;
}

network::Description network_of(const NetworkOptions& o) {
  if (std::ranges::find(network_names(), o.network) == network_names().end()) {
    refuse_word(o.network, "a network", network_names());
  }
  const bool small = o.network.ends_with("-small"), factors = o.network.starts_with("fgnn");
  const std::size_t width = small ? 64 : 256, blocks = small ? 6 : 12;
  const std::string drop = fmt::format("Dropout({})", o.dropout);
  const std::string layer = fmt::format("GraphConv({}) - {}", width, drop);
  std::string text = fmt::format("Res[{} - {}*Res[2*[{}]]", layer, blocks - factors, layer);
  if (factors) {
    text += fmt::format(" - Res[{} - {} - {}] - {}]", layer, factor_layer(width, width, false),
                        drop, factor_layer(width, o.coefficients, true));
  } else {
    text += fmt::format(" - GraphConv({}, norm=none, activation=identity)]", o.coefficients);
  }
  network::Description d;
  d.network = text;
  d.defaults = {{"norm", "position"}, {"activation", "tanh"}};
  return d;
}

std::string training_of(std::uint64_t training, std::uint64_t validation, double epochs) {
  const std::uint64_t epoch = std::max<std::uint64_t>(1, training / kBatch);
  const double wanted = std::round(epochs * static_cast<double>(epoch));
  constexpr double kMostSteps = 1e12;
  if (!(wanted <= kMostSteps)) throw Error(ErrorCode::usage, "epochs", "are too many");
  return fmt::format(
      R"({{"batch": {}, "steps": {}, "interval": {}, "validation": {}, "rate": 0.0005,
           "schedule": "step", "factor": 0.96, "every": 2, "warmup": 0, "clip": 1,
           "checkpoint_seconds": 300}})",
      kBatch, static_cast<std::uint64_t>(std::max(1.0, wanted)), epoch, validation);
}

}  // namespace fgnn::motion
