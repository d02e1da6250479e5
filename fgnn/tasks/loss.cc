#include "fgnn/tasks/loss.h"

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/tasks/chain.h"

namespace fgnn::tasks {
namespace {

// Cross-entropy of one row: log sum exp x - sum_k q_k x_k, whose gradient is softmax(x) - q.
class CrossEntropy final : public LossRule {
 public:
  std::string_view name() const override { return "cross-entropy"; }
  bool of_classes() const override { return true; }

  void graph(const GraphOutput& g, Metrics& metrics, std::span<double> gradient) const override {
    const bool soft = !gradient.empty() && !g.targets.empty();
    double rows = 0, correct = 0;
    for (std::size_t r = 0; r < g.rows(); ++r) {
      const auto x = g.row(r);
      const auto slopes = gradient.empty() ? gradient : gradient.subspan(r * g.width, g.width);
      if (!soft && g.classes[r] < 0) {
        std::fill(slopes.begin(), slopes.end(), 0.0);
        continue;
      }
      const auto top = std::max_element(x.begin(), x.end());
      double sum = 0;
      for (const double v : x) sum += std::exp(v - *top);
      const double log_sum = std::log(sum) + *top;
      for (std::size_t k = 0; k < slopes.size(); ++k) slopes[k] = std::exp(x[k] - log_sum);
      if (soft) {
        for (std::size_t k = 0; k < g.width; ++k) {
          const double q = g.targets[r * g.width + k];
          metrics.loss += q * (log_sum - x[k]);
          slopes[k] -= q;
        }
      } else {
        const auto wanted = static_cast<std::size_t>(g.classes[r]);
        metrics.loss += log_sum - x[wanted];
        if (!slopes.empty()) slopes[wanted] -= 1;
      }
      rows += 1;
      correct += !g.classes.empty() && top - x.begin() == g.classes[r];
    }
    if (rows > 0) metrics.add_graph(correct, rows);
  }
};

// Losses of numbers: the mean over a row of f(x, wanted).
class OfNumbers : public LossRule {
 public:
  void graph(const GraphOutput& g, Metrics& metrics, std::span<double> gradient) const override {
    const double each = 1 / static_cast<double>(g.width);
    double correct = 0;
    for (std::size_t r = 0; r < g.rows(); ++r) {
      bool all = counts_correct();
      for (std::size_t k = 0; k < g.width; ++k) {
        const std::size_t i = r * g.width + k;
        const double x = g.output[i], wanted = g.targets[i];
        double slope = 0;
        metrics.loss += each * value(x, wanted, slope);
        metrics.absolute += each * std::abs(x - wanted);
        if (!gradient.empty()) gradient[i] = each * slope;
        all = all && (x > 0) == (wanted > 0.5);
      }
      correct += all;
    }
    if (g.rows() > 0) metrics.add_graph(correct, static_cast<double>(g.rows()));
  }

 protected:
  constexpr OfNumbers() = default;
  virtual double value(double x, double wanted, double& slope) const = 0;
};

class BinaryCrossEntropy final : public OfNumbers {
 public:
  std::string_view name() const override { return "binary-cross-entropy"; }
  bool counts_correct() const override { return true; }

 private:
  double value(double x, double wanted, double& slope) const override {
    const double small = std::exp(-std::abs(x));
    slope = (x > 0 ? 1 : small) / (1 + small) - wanted;
    return std::max(x, 0.0) - x * wanted + std::log1p(small);
  }
};

class L1 final : public OfNumbers {
 public:
  std::string_view name() const override { return "l1"; }

 private:
  double value(double x, double wanted, double& slope) const override {
    slope = x > wanted ? 1 : x < wanted ? -1 : 0;
    return std::abs(x - wanted);
  }
};

class L2 final : public OfNumbers {
 public:
  std::string_view name() const override { return "l2"; }

 private:
  double value(double x, double wanted, double& slope) const override {
    slope = 2 * (x - wanted);
    return (x - wanted) * (x - wanted);
  }
};

// A chain is one graph: its log-likelihood, and every variable's likeliest state by its marginal.
class Chain final : public LossRule {
 public:
  std::string_view name() const override { return "chain"; }
  bool of_classes() const override { return true; }
  bool leaves_open() const override { return false; }
  std::size_t classes(std::size_t width) const override { return ChainRows::of({}, width).states; }

  void graph(const GraphOutput& g, Metrics& metrics, std::span<double> gradient) const override {
    if (g.rows() == 0) return;
    const std::vector<float> output(g.output.begin(), g.output.end());
    std::vector<float> slopes(gradient.size());
    std::vector<double> marginals;
    const auto rows = ChainRows::of(output, g.width);
    metrics.loss -= chain_log_likelihood(rows, g.classes, slopes, &marginals);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = -slopes[i];
    double correct = 0;
    for (std::size_t i = 0; i < g.rows(); ++i) {
      const auto row = marginals.begin() + static_cast<std::ptrdiff_t>(i * rows.states);
      const auto top = std::max_element(row, row + static_cast<std::ptrdiff_t>(rows.states));
      correct += top - row == g.classes[i];
    }
    metrics.add_graph(correct, static_cast<double>(g.rows()));
  }
};

// Made by the compiler, so that tasks made before main may use them.
constinit const CrossEntropy cross_entropy_rule;
constinit const BinaryCrossEntropy binary_cross_entropy_rule;
constinit const L1 l1_rule;
constinit const L2 l2_rule;
constinit const Chain chain_rule;

}  // namespace

constinit const Loss Loss::cross_entropy{cross_entropy_rule};
constinit const Loss Loss::binary_cross_entropy{binary_cross_entropy_rule};
constinit const Loss Loss::l1{l1_rule};
constinit const Loss Loss::l2{l2_rule};
constinit const Loss Loss::chain{chain_rule};

Loss loss(std::string_view text) {
  for (const Loss l :
       {Loss::cross_entropy, Loss::binary_cross_entropy, Loss::l1, Loss::l2, Loss::chain}) {
    if (text == name(l)) return l;
  }
  throw Error(ErrorCode::usage, std::string(text), "is not a loss",
              "cross-entropy, binary-cross-entropy, l1, l2 or chain");
}

}  // namespace fgnn::tasks
