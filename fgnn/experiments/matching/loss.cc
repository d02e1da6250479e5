#include "fgnn/experiments/matching/loss.h"

#include <cmath>
#include <limits>

#include "fgnn/core/error.h"
#include "fgnn/experiments/matching/scores.h"

namespace fgnn::matching {
namespace {

constexpr std::int64_t kFirstAlone = -1, kSecondAlone = -2;

// Partners of both sides.
struct Wanted {
  std::vector<std::int32_t> of_first, of_second;
};

Wanted wanted_of(std::span<const std::int64_t> classes) {
  std::size_t first = 0;
  const auto rows = static_cast<std::int64_t>(classes.size());
  while (first < classes.size() &&
         (classes[first] == kFirstAlone || classes[first] > static_cast<std::int64_t>(first))) {
    ++first;
  }
  Wanted w;
  const auto side = static_cast<std::int64_t>(first);
  for (std::size_t r = 0; r < classes.size(); ++r) {
    const std::int64_t c = classes[r];
    const bool on_first = r < first;
    const bool fits = c < 0 ? c == (on_first ? kFirstAlone : kSecondAlone)
                            : (on_first ? c >= side && c < rows : c < side);
    if (!fits || (c >= 0 && classes[static_cast<std::size_t>(c)] != static_cast<std::int64_t>(r))) {
      throw Error(ErrorCode::usage, "labels", "are not those of a pair of point sets");
    }
    (on_first ? w.of_first : w.of_second)
        .push_back(c < 0 ? kNobody : static_cast<std::int32_t>(on_first ? c - side : c));
  }
  return w;
}

// Adds half the cross-entropy of lines of a matrix of shares, and half its slopes by the scores.
// Number k of line i is at i * line_step + k * step.
double lines(const std::vector<double>& log_share, const std::vector<double>& log_nobody,
             const std::vector<std::int32_t>& wanted, std::size_t length, std::size_t line_step,
             std::size_t step, std::vector<double>& slope, std::vector<double>& nobody_slope) {
  double loss = 0;
  const bool nobody = !log_nobody.empty();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == kNobody && !nobody) continue;
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t at = i * line_step + k * step;
      slope[at] += 0.5 * std::exp(log_share[at]);
    }
    if (nobody) nobody_slope[i] += 0.5 * std::exp(log_nobody[i]);
    if (wanted[i] == kNobody) {
      loss -= 0.5 * log_nobody[i];
      nobody_slope[i] -= 0.5;
    } else {
      const std::size_t at = i * line_step + static_cast<std::size_t>(wanted[i]) * step;
      loss -= 0.5 * log_share[at];
      slope[at] -= 0.5;
    }
  }
  return loss;
}

// From slopes by the scores to slopes by the rows (scores_of, backwards).
class Backwards {
 public:
  Backwards(const tasks::GraphOutput& g, std::size_t first, bool nobody, std::span<double> gradient)
      : g_(g), first_(first), nobody_(nobody), gradient_(gradient) {
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
  }
  void matches(const std::vector<double>& slope) {
    const std::size_t used = g_.width - nobody_, second = g_.rows() - first_;
    for (std::size_t i = 0; i < first_; ++i) {
      for (std::size_t j = 0; j < second; ++j) {
        const double d = slope[i * second + j];
        const auto y = g_.row(i), z = g_.row(first_ + j);
        double* dy = gradient_.data() + i * g_.width;
        double* dz = gradient_.data() + (first_ + j) * g_.width;
        for (std::size_t k = 0; k < used; ++k) dy[k] += d * z[k];
        for (std::size_t k = 0; k < used; ++k) dz[k] += d * y[k];
      }
    }
  }
  void alone(const std::vector<double>& slope, std::size_t first_row) {
    for (std::size_t i = 0; i < slope.size(); ++i) {
      const auto y = g_.row(first_row + i);
      double* dy = gradient_.data() + (first_row + i) * g_.width;
      double squares = 0;
      for (const double v : y) squares += v * v;
      if (squares == 0) continue;
      const double length = std::sqrt(squares), last = y[g_.width - 1];
      for (std::size_t k = 0; k < g_.width; ++k) dy[k] += slope[i] * last * y[k] / length;
      dy[g_.width - 1] += slope[i] * length;
    }
  }

 private:
  const tasks::GraphOutput& g_;
  std::size_t first_;
  bool nobody_;
  std::span<double> gradient_;
};

class MatchingLoss final : public tasks::LossRule {
 public:
  constexpr explicit MatchingLoss(bool nobody) : nobody_(nobody) {}

  std::string_view name() const override { return nobody_ ? "matching-or-nobody" : "matching"; }
  bool of_classes() const override { return true; }
  // Classes are rows, however many there are.
  std::size_t classes(std::size_t width) const override {
    if (width < 1u + nobody_) {
      throw Error(ErrorCode::usage, "loss=" + std::string(name()), "needs a wider output",
                  "end the network with Out(128) - Unit() - Times(4)");
    }
    return std::numeric_limits<std::int64_t>::max();
  }

  void graph(const tasks::GraphOutput& g, tasks::Metrics& metrics,
             std::span<double> gradient) const override {
    const Wanted wanted = wanted_of(g.classes);
    const Scores scores = scores_of(g.output, g.width, wanted.of_first.size(), nobody_);
    const LogShares shares = log_shares(scores);
    std::vector<double> slope(scores.match.size()), first_alone(scores.first_nobody.size()),
        second_alone(scores.second_nobody.size());
    metrics.loss += lines(shares.row, shares.row_nobody, wanted.of_first, scores.second,
                          scores.second, 1, slope, first_alone);
    metrics.loss += lines(shares.column, shares.column_nobody, wanted.of_second, scores.first, 1,
                          scores.second, slope, second_alone);
    if (!gradient.empty()) {
      Backwards back(g, scores.first, nobody_, gradient);
      back.matches(slope);
      back.alone(first_alone, 0);
      back.alone(second_alone, scores.first);
    }
    count(scores, wanted.of_first, metrics);
  }

 private:
  void count(const Scores& scores, const std::vector<std::int32_t>& wanted,
             tasks::Metrics& metrics) const {
    for (const double s : scores.match) {
      if (!std::isfinite(s)) return metrics.add_graph(0, static_cast<double>(wanted.size()));
    }
    const auto found = best_matching(scores, !nobody_).partner;
    double right = 0, all = 0, of_found = 0, alone = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      all += wanted[i] != kNobody;
      of_found += found[i] != kNobody;
      right += wanted[i] != kNobody && found[i] == wanted[i];
      alone += wanted[i] == kNobody && found[i] == kNobody;
    }
    if (nobody_) {
      metrics.add_graph(right + alone, static_cast<double>(wanted.size()));
      metrics.add_named("F1", "", 2 * right, of_found + all);
    } else {
      metrics.add_graph(right, all);
    }
  }

  bool nobody_;
};

constinit const MatchingLoss matching_loss(false), nobody_loss(true);

}  // namespace

constinit const tasks::Loss kMatchingLoss{matching_loss};
constinit const tasks::Loss kMatchingOrNobodyLoss{nobody_loss};

std::vector<std::int64_t> labels_of(const PointPair& pair) {
  const std::size_t first = pair.first.size();
  std::vector<std::int64_t> labels(first, kFirstAlone);
  labels.resize(first + pair.second.size(), kSecondAlone);
  for (std::size_t i = 0; i < first; ++i) {
    if (pair.partner[i] == kNobody) continue;
    const std::size_t j = first + static_cast<std::size_t>(pair.partner[i]);
    labels[i] = static_cast<std::int64_t>(j);
    labels[j] = static_cast<std::int64_t>(i);
  }
  return labels;
}

}  // namespace fgnn::matching
