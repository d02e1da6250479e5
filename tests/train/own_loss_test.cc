// Tasks that bring a loss and measures of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/reference/differences.h"
#include "tests/reference/numbers.h"
#include "tests/reference/scratch.h"
#include "tests/train/runs.h"

namespace fgnn::train {
namespace {

using tasks::GraphOutput;
using tasks::Labelled;
using tasks::Loss;
using tasks::LossRule;
using tasks::MemoryTask;
using tasks::Metrics;
using tasks::Stream;
using testing::normal_numbers;

// A graph's outputs are the scores of a square matrix, row by row, of any size; every column is to
// choose the row that is marked by a target of 1.
class Matching final : public LossRule {
 public:
  std::string_view name() const override { return "matching"; }
  bool counts_correct() const override { return true; }

  void graph(const GraphOutput& g, Metrics& metrics, std::span<double> gradient) const override {
    const auto n = static_cast<std::size_t>(std::lround(std::sqrt(g.rows())));
    double right = 0;
    for (std::size_t column = 0; column < n; ++column) {
      double sum = 0, wanted = 0;
      std::size_t best = column;
      for (std::size_t i = column; i < n * n; i += n) {
        sum += std::exp(g.output[i]);
        wanted += g.targets[i] * g.output[i];
        if (g.output[i] > g.output[best]) best = i;
      }
      for (std::size_t i = column; !gradient.empty() && i < n * n; i += n) {
        gradient[i] = std::exp(g.output[i]) / sum - g.targets[i];
      }
      metrics.loss += std::log(sum) - wanted;
      metrics.add_named("confidence", "%", 100 * std::exp(wanted) / sum, 1);
      right += g.targets[best] == 1;
    }
    metrics.add_graph(right, static_cast<double>(n));
  }
};

// Positions are trained in units of their own; errors count in millimetres along skewed axes.
class Positions final : public LossRule {
 public:
  std::string_view name() const override { return "positions"; }
  double merit(const Metrics& m) const override { return -m.named.at(0).value(); }

  void graph(const GraphOutput& g, Metrics& metrics, std::span<double> gradient) const override {
    for (std::size_t r = 0; r < g.rows(); ++r) {
      const double x = g.output[2 * r] - g.targets[2 * r],
                   y = g.output[2 * r + 1] - g.targets[2 * r + 1];
      const double along = 3 * x + y, across = 0.5 * y;
      const double squares = along * along + across * across;
      metrics.loss += squares;
      metrics.add_named("distance", "mm", std::sqrt(squares), 1);
      metrics.add_named("across", "mm", std::abs(across), 1);
      if (gradient.empty()) continue;
      gradient[2 * r] = 2 * along * 3;
      gradient[2 * r + 1] = 2 * along + across;
    }
    metrics.add_graph(0, static_cast<double>(g.rows()));
  }
};

const Matching matching;
const Positions positions;
const network::Schema two_numbers{2, {}};

network::Batch variables(std::size_t n, std::vector<double> features) {
  return {std::make_shared<const network::Structure>(n, std::vector<network::Relation>{}),
          1,
          std::move(features),
          {}};
}

// Matrices of 2 x 2 to 5 x 5; where rows and columns belong together the first feature is smaller.
std::vector<Labelled> matrices(std::size_t count) {
  Rng rng(1);
  std::vector<Labelled> all;
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t n = 2 + g % 4;
    std::vector<std::size_t> row(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = i;
    rng.shuffle(row);
    Labelled l{variables(n * n, normal_numbers<double>(rng, 2 * n * n)), {}, {}};
    l.targets.resize(n * n);
    for (std::size_t column = 0; column < n; ++column) {
      const std::size_t i = row[column] * n + column;
      l.targets[i] = 1;
      l.batch.variable[2 * i] -= 3;
    }
    all.push_back(std::move(l));
  }
  return all;
}

std::vector<Labelled> points(std::size_t count) {
  Rng rng(2);
  std::vector<Labelled> all;
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t n = 1 + g % 3;
    Labelled l{variables(n, normal_numbers<double>(rng, 2 * n)), {}, {}};
    for (std::size_t i = 0; i < n; ++i) {
      const double a = l.batch.variable[2 * i], b = l.batch.variable[2 * i + 1];
      l.targets.push_back(static_cast<float>(a * b));
      l.targets.push_back(static_cast<float>(a + 1));
    }
    all.push_back(std::move(l));
  }
  return all;
}

struct Case {
  const char* name;
  const LossRule* rule;
  std::vector<Labelled> graphs;
  const char* network;

  MemoryTask task() const { return {two_numbers, Loss(*rule), graphs, graphs}; }
};

class OwnLoss : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    All, OwnLoss,
    ::testing::Values(Case{"matching", &matching, matrices(24), "FC(8) - Out(1)"},
                      Case{"positions", &positions, points(24), "2*FC(16) - Out(2)"}),
    [](const auto& test) { return std::string(test.param.name); });

TrainOptions options() {
  TrainOptions o;
  o.steps = 90;
  o.batch = 10;
  o.interval = 30;
  o.validation = 24;
  o.rate = 0.02;
  o.warmup = 0;
  o.threads = 1;
  return o;
}

TEST_P(OwnLoss, GradientEqualsDifferences) {
  Rng rng(3);
  for (const Labelled& l : GetParam().graphs) {
    auto output = normal_numbers<double>(rng, l.targets.size());
    const std::size_t width = l.targets.size() / l.batch.structure->variables();
    const auto value = [&] {
      Metrics m;
      GetParam().rule->graph({output, width, {}, l.targets}, m, {});
      return m.loss;
    };
    std::vector<double> gradient(output.size());
    Metrics m;
    GetParam().rule->graph({output, width, {}, l.targets}, m, gradient);
    EXPECT_EQ(m.loss, value());
    testing::expect_gradient(output, gradient, value, "output", rng);
  }
}

// The model that training starts from.
network::Model untrained(const Case& c) {
  auto description = testing::small_network(c.network);
  description.schema = two_numbers;
  return {description, options().seed};
}

TEST_P(OwnLoss, IsTrainedAndLogsItsMeasures) {
  const testing::Scratch scratch;
  const MemoryTask task = GetParam().task();
  const auto network = testing::small_network(GetParam().network);
  const auto before = tasks::evaluate(untrained(GetParam()), task, Stream::validation, 24, 24, 1);
  const auto t = testing::trained(task, network, options(), {scratch.path()});
  EXPECT_LT(t.of("validation_loss").back(), 0.6 * before.mean_loss());
  const auto& after = t.report.validation.named;
  ASSERT_EQ(after.size(), before.named.size());
  const auto lines = testing::metrics(scratch.path());
  for (std::size_t k = 0; k < after.size(); ++k) {
    const std::string name = "validation_" + after[k].name;
    const auto logged = t.of(name);
    for (std::size_t i = 0; i < logged.size(); ++i) {
      EXPECT_EQ(lines.at(i).at(name).get<double>(), logged[i]);
    }
    EXPECT_GT(std::ranges::count(logged, after[k].value()), 0) << name;  // that of the best
    if (after[k].unit == "mm") {
      EXPECT_LT(after[k].value(), 0.8 * before.named[k].value()) << name;
    } else {
      EXPECT_GT(after[k].value(), 1.2 * before.named[k].value()) << name;
    }
  }
}

TEST_P(OwnLoss, IsTheSameOnAnyNumberOfThreads) {
  const MemoryTask task = GetParam().task();
  const auto network = testing::small_network(GetParam().network);
  auto o = options();
  const auto one = testing::trained(task, network, o);
  o.threads = 3;
  const auto three = testing::trained(task, network, o);
  EXPECT_EQ(three.weights(), one.weights());
  for (std::size_t i = 0; i < one.report.validation.named.size(); ++i) {
    EXPECT_EQ(three.report.validation.named.at(i).sum, one.report.validation.named[i].sum);
  }
}

TEST_P(OwnLoss, MeasuresAddUpOverParts) {
  const MemoryTask task = GetParam().task();
  const network::Model model = untrained(GetParam());
  const auto whole = tasks::evaluate(model, task, Stream::validation, 24, 24, 1);
  double weight = 0;
  for (const auto& l : GetParam().graphs) {
    const auto rows = static_cast<double>(l.batch.structure->variables());
    weight += GetParam().rule == &matching ? std::sqrt(rows) : rows;
  }
  EXPECT_EQ(whole.rows, weight);
  ASSERT_FALSE(whole.named.empty());
  for (const std::size_t batch : {1, 5}) {
    const auto parts = tasks::evaluate(model, task, Stream::validation, 24, batch, 2);
    ASSERT_EQ(parts.named.size(), whole.named.size());
    for (std::size_t i = 0; i < whole.named.size(); ++i) {
      EXPECT_EQ(parts.named[i].name, whole.named[i].name);
      EXPECT_EQ(parts.named[i].unit, whole.named[i].unit);
      EXPECT_EQ(parts.named[i].weight, weight);
      EXPECT_NEAR(parts.named[i].sum, whole.named[i].sum, 1e-5 * whole.named[i].sum);
    }
  }
}

}  // namespace
}  // namespace fgnn::train
