#include "fgnn/experiments/motion/loss.h"

#include <fmt/format.h>

#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/experiments/motion/evaluate.h"
#include "fgnn/experiments/motion/windows.h"

namespace fgnn::motion {

double MotionLoss::wanted(std::span<const float> targets, std::size_t node,
                          std::size_t frame) const {
  const std::size_t n = dct_.frames();
  if (body_.form() == Form::position) return targets[node * n + frame];
  return targets[(node * n + frame) * 3 + body_.axis(node)];
}

double MotionLoss::angle_loss(const std::vector<double>& frames, std::span<const float> targets,
                              std::vector<double>& slopes) const {
  const std::size_t n = dct_.frames();
  const double share = 1 / static_cast<double>(n);
  double loss = 0;
  for (std::size_t node = 0; node < body_.nodes(); ++node) {
    for (std::size_t f = 0; f < n; ++f) {
      const double error = frames[node * n + f] - wanted(targets, node, f);
      loss += share * std::abs(error);
      slopes[node * n + f] = error > 0 ? share : error < 0 ? -share : 0;
    }
  }
  return loss;
}

double MotionLoss::position_loss(const std::vector<double>& frames, std::span<const float> targets,
                                 std::vector<double>& slopes) const {
  const std::size_t n = dct_.frames();
  const double share = 1 / static_cast<double>(n * body_.limbs().size());
  double loss = 0;
  for (const Limb& limb : body_.limbs()) {
    for (std::size_t f = 0; f < n; ++f) {
      Vector error{};
      for (std::size_t k = 0; k < 3; ++k) {
        error[k] = frames[(limb.first + k) * n + f] - wanted(targets, limb.first + k, f);
      }
      const double d = length(error);
      loss += share * d;
      for (std::size_t k = 0; k < 3; ++k) {
        slopes[(limb.first + k) * n + f] = d > 0 ? share * error[k] / d : 0;
      }
    }
  }
  return loss;
}

void MotionLoss::measure(const std::vector<double>& frames, std::span<const float> targets,
                         tasks::Metrics& metrics) const {
  const std::size_t n = dct_.frames(), nodes = body_.nodes();
  std::vector<double> predicted(nodes), truth;
  for (std::size_t h = 0; h < horizons_within(n - kObserved); ++h) {
    const std::size_t f = kObserved + kHorizons[h].frame - 1;
    truth.clear();
    for (std::size_t node = 0; node < nodes; ++node) predicted[node] = frames[node * n + f];
    if (body_.form() == Form::angle) {
      for (const Limb& limb : body_.limbs()) {
        for (std::size_t k = 0; k < 3; ++k) truth.push_back(targets[(limb.first * n + f) * 3 + k]);
      }
    } else {
      for (std::size_t node = 0; node < nodes; ++node) truth.push_back(wanted(targets, node, f));
    }
    metrics.add_named(fmt::format("{} ms", kHorizons[h].milliseconds), unit_of(body_.form()),
                      body_.error(predicted, truth), 1);
  }
}

void MotionLoss::graph(const tasks::GraphOutput& g, tasks::Metrics& metrics,
                       std::span<double> gradient) const {
  if (g.width != dct_.kept() || g.rows() != body_.nodes()) {
    throw Error(ErrorCode::usage, "the network",
                fmt::format("says {} numbers of {} nodes where {} coefficients of {} are wanted",
                            g.width, g.rows(), dct_.kept(), body_.nodes()),
                fmt::format("end it with width {}", dct_.kept()));
  }
  const std::size_t n = dct_.frames();
  std::vector<double> frames(g.rows() * n), slopes(frames.size());
  for (std::size_t r = 0; r < g.rows(); ++r) {
    dct_.backwards(g.row(r), std::span(frames).subspan(r * n, n));
  }
  metrics.loss += body_.form() == Form::angle ? angle_loss(frames, g.targets, slopes)
                                              : position_loss(frames, g.targets, slopes);
  metrics.rows += 1;
  metrics.graphs += 1;
  if (gradient.empty()) return measure(frames, g.targets, metrics);
  // Turning back is D^T, so that the gradient goes through D.
  for (std::size_t r = 0; r < g.rows(); ++r) {
    dct_.forwards(std::span(slopes).subspan(r * n, n), gradient.subspan(r * g.width, g.width));
  }
}

double MotionLoss::merit(const tasks::Metrics& m) const {
  double sum = 0;
  for (const auto& named : m.named) sum += named.value();
  return m.named.empty() ? -m.mean_loss() : -sum / static_cast<double>(m.named.size());
}

std::vector<float> targets_of(const Body& body, const std::vector<std::span<const double>>& truth) {
  std::vector<float> targets;
  for (std::size_t node = 0; node < body.nodes(); ++node) {
    for (const auto& row : truth) {
      if (body.form() == Form::position) {
        targets.push_back(static_cast<float>(row[node]));
        continue;
      }
      for (const double v : row.subspan(3 * body.limb_of(node), 3)) {
        targets.push_back(static_cast<float>(v));
      }
    }
  }
  return targets;
}

}  // namespace fgnn::motion
