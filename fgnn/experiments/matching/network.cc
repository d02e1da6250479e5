#include "fgnn/experiments/matching/network.h"

#include <fmt/format.h>

namespace fgnn::matching {

std::string MatchingNetwork::text() const {
  // What comes to a point is small beside what it has, at the start: normed=sum.
  const std::string common = "norm=layer, normed=sum, updated=identity";
  std::string block = fmt::format("Pairs({}, relation=arc, q={}, aggregate=max, {})", width,
                                  mixture ? "mixture, bases=16" : "diagonal, bases=32", common);
  if (factors != "none") {
    block += fmt::format(" - FGNN({}, relation={}, to_factor=max+mean, to_variable=sum, {})", width,
                         factors, common);
  }
  // The temperature's root: scores are products of two rows.
  return fmt::format(
      "FC({0}, norm=layer, activation=identity, relation=none) - {1}*[{2}] - Dropout(0.1) - "
      "Out({3}) - Unit() - Times(3.86)",
      width, blocks, block, width + (nobody ? 1 : 0));
}

std::string zhang_lee_text(bool nobody) {
  const auto dense = [](int w) { return fmt::format("FC({}, relation=none)", w); };
  // Matrices of u = [x_i, x_i - x_j], mixed by arc: A x_i + B x_j for twice the width, then the
  // mixture; norm and ReLU behind the maximum.
  const auto messages = [](int w) {
    return fmt::format(
        "Pairs({}, relation=arc, q=mixture, bases=16, aggregate=max, activation=identity, "
        "updated=relu, update=no, residual=no)",
        w);
  };
  const auto residual = [&](int n, int m) {
    return fmt::format("Res[{} - {} - {}]", dense(m), messages(m), dense(n));
  };
  return fmt::format(
      "{} - {} - {} - {} - {} - {} - {} - Global(max) - {} - {} - {} - {} - Out({}) - Unit() - "
      "Times(1)",
      messages(64), dense(128), residual(128, 64), dense(128), messages(128), dense(256),
      residual(256, 128), dense(256), messages(256), dense(512), residual(512, 256),
      512 + (nobody ? 1 : 0));
}

}  // namespace fgnn::matching
