#include "fgnn/network/learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fgnn/kernels/norm.h"
#include "fgnn/network/run.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/gradient.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"
#include "tests/reference/sample_networks.h"

namespace fgnn::network {
namespace {

using testing::expect_error;
using testing::expect_gradient;
using testing::random_batch;
using testing::random_features;
using testing::random_model;
using testing::random_structure;
using testing::same_numbers;

// Networks for graphs of one size: that of the graphs below.
constexpr std::size_t kSize = 7;
bool is_for_one_size(const std::string& network) {
  return network.find("GraphConv") != std::string::npos ||
         network.find("position") != std::string::npos;
}

// Items and options that the twin in PyTorch does not know.
const std::vector<std::string>& more_networks() {
  static const std::vector<std::string> all{
      "2*FGNN(6, to_factor=max, to_variable=sum, factor=4) - Out(2)",
      "2*FGNN(6, to_factor=product, to_variable=mean+max, factor=9, m=5, activation=tanh) - Out(2)",
      "2*FGNN(6, q=mixture, mix=table, bases=3) - Out(2)",
      "2*FGNN(6, q=mixture, bases=3, q_hidden=5, aggregate=sum) - Out(2)",
      "2*FGNN(6, q=mlp, q_hidden=5, aggregate=mean, m=5+4) - Out(2)",
      "2*FGNN(6, edges=yes) - Out(2)",
      "2*FGNN(6, edges=yes, m=5+4, q=mixture, bases=3, order=together) - Out(2)",
      "FC(6) - 3@MPNN(6, q_hidden=5, root=yes, q_bias=yes, aggregate=mean, received=tanh) - Out(2)",
      "2*MPNN(6, q_hidden=5, direction=forward) - Out(2)",
      "2*MPNN(6, q_hidden=5, direction=symmetric, aggregate=mean) - Out(2)",
      "FC(6) - Cat[FGNN(6)] - Set2Set(3) - FC(5) - Out(2)",
      "FC(6) - Unit() - Times(3) - Out(2)",
      "FC(6, relation=pair, columns=1) - 2*FGNN(6, relation=budget+pair) - FGNN(6, relation=pair) "
      "- "
      "Out(2)",
      "FC(6, relation=none) - Pool(sum+mean+max, moments=4, first=1) - Cat[FC(3)] - Out(2)",
      "Factors(5, aggregate=product, first=1) - Factors(4, relation=pair) - FGNN(6) - Out(2)",
      "Factors(5, relation=pair, positions=2) - FGNN(6) - Out(2)",
      "FC(6, relation=none) - 2*Pairs(6, relation=pair, q=diagonal, bases=4, norm=layer, "
      "updated=identity) - FGNN(6, relation=budget, to_factor=max+mean) - Out(2)",
      "2*Pairs(6, relation=pair, q=mixture, bases=3, q_hidden=5) - Out(2)",
      "FGNN(6, relation=pair, rank=5, aggregate=product, activation=tanh) - Out(2)",
      "GraphConv(6) - GraphConv(4, norm=none, activation=tanh) - Out(2)",
      "Res[2*[GraphConv(6, norm=position, activation=tanh)] - GraphConv(2, norm=none)] - Out(2)",
      "2*FGNN(6, norm=position, activation=tanh) - Pool(mean) - FC(3, norm=position) - Out(2)",
  };
  return all;
}

std::vector<std::string> networks() {
  auto all = testing::network_texts();
  all.insert(all.end(), more_networks().begin(), more_networks().end());
  return all;
}

Model model_of(const std::string& network) {
  Description d = Description::parse(R"({"network": ")" + network + "\"}", "test");
  d.schema = testing::pair_and_budget();
  if (is_for_one_size(network)) d.schema.variables = kSize;
  return random_model(std::move(d));
}

bool suits(const Batch& batch, const Model& model) {
  const auto offset = batch.structure->variable_offset();
  for (std::size_t g = 0; model.program.variables > 0 && g + 1 < offset.size(); ++g) {
    if (offset[g + 1] - offset[g] != model.program.variables) return false;
  }
  return testing::suits(batch, model);
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& p : presets()) names.push_back(p.name);
  return names;
}

class EachPreset : public ::testing::TestWithParam<std::string> {
 protected:
  Model model() const { return random_model(describe(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Learner, EachPreset, ::testing::ValuesIn(preset_names()),
                         [](const auto& given) {
                           std::string name = given.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class EachNetwork : public ::testing::TestWithParam<std::string> {
 protected:
  Model model() const { return model_of(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Learner, EachNetwork, ::testing::ValuesIn(networks()));

TEST_P(EachPreset, GradientEqualsDifferences) {
  Rng rng(3);
  // Moments of very few rows, layer upon layer, would be too steep for differences.
  const Batch graphs[] = {random_features(rng, random_structure(rng, 7, 6, 4)),
                          random_features(rng, random_structure(rng, 5, 5, 4))};
  const Batch joined = Batch::of(graphs), copies = random_features(rng, graphs[1].structure, 2);
  expect_gradient(model(), {&joined}, true, 20);
  expect_gradient(model(), {&copies, &graphs[0]}, false, 20);
}

TEST_P(EachNetwork, GradientEqualsDifferences) {
  const auto all = testing::sample_batches();
  for (const Batch& batch : all) {
    if (suits(batch, model())) expect_gradient(model(), {&batch}, true);
  }
  expect_gradient(model(), {&all[suits(all[1], model()) ? 1 : 0]}, false);
}

template <class T>
std::vector<double> outputs(Learner<T>& learner, std::vector<const Batch*> parts,
                            const LearnOptions& options) {
  std::vector<std::vector<double>> by_part(parts.size());
  learner.forward(parts, options, [&](std::size_t p, std::span<const T> output) {
    by_part[p].assign(output.begin(), output.end());
  });
  std::vector<double> all;
  for (const auto& part : by_part) all.insert(all.end(), part.begin(), part.end());
  return all;
}

void expect_the_runners_output(const Model& model) {
  LearnOptions evaluation;
  evaluation.training = false;
  for (const Batch& batch : testing::sample_batches()) {
    if (!suits(batch, model)) continue;
    Learner<float> floats(model);
    Learner<double> doubles(model);
    Runner<float> runner(model);
    Runner<double> double_runner(model);
    EXPECT_TRUE(same_numbers(outputs(floats, {&batch}, evaluation), runner.run(batch), 0));
    EXPECT_TRUE(same_numbers(outputs(doubles, {&batch}, evaluation), double_runner.run(batch), 0));
  }
}

TEST_P(EachPreset, EvaluationEqualsTheRunner) { expect_the_runners_output(model()); }
TEST_P(EachNetwork, EvaluationEqualsTheRunner) { expect_the_runners_output(model()); }

// The loss is the sum of all outputs.
template <class T>
std::vector<double> gradient(Learner<T>& learner, const std::vector<const Batch*>& parts,
                             const LearnOptions& options = {}) {
  learner.step(parts, options, [](std::size_t, std::span<const T>, std::span<T> slopes) {
    std::fill(slopes.begin(), slopes.end(), T(1));
  });
  return {learner.gradient().begin(), learner.gradient().end()};
}

double largest_of(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double x : numbers) largest = std::max(largest, std::abs(x));
  return largest;
}

TEST_P(EachNetwork, PartsAreTheWholeUpToRounding) {
  Rng rng(4);
  const auto structure = random_structure(rng, kSize, 10, 3);
  std::vector<Batch> graphs;
  for (int i = 0; i < 6; ++i) graphs.push_back(random_features(rng, structure));
  const Batch whole = Batch::of(graphs), two = Batch::of(std::span(graphs).subspan(0, 2)),
              rest = Batch::of(std::span(graphs).subspan(2));
  Learner<double> at_once(model()), by_parts(model());
  EXPECT_TRUE(
      same_numbers(outputs(by_parts, {&two, &rest}, {}), outputs(at_once, {&whole}, {}), 1e-9));
  const auto want = gradient(at_once, {&whole});
  EXPECT_TRUE(same_numbers(gradient(by_parts, {&two, &rest}), want,
                           1e-9 * std::max(1.0, largest_of(want))));
  Model first = model(), second = model();
  at_once.store(first);
  by_parts.store(second);
  for (std::size_t i = 0; i < first.weights.size(); ++i) {
    EXPECT_TRUE(same_numbers(second.weights[i], first.weights[i], 1e-12));
  }
}

TEST_P(EachPreset, TheSameBitsOnAnyNumberOfThreads) {
  Rng rng(4);
  std::vector<Batch> parts;
  for (int i = 0; i < 7; ++i) {
    parts.push_back(random_features(rng, random_structure(rng, 6 + i, 9, 2), 1 + i % 3));
  }
  std::vector<const Batch*> pointers;
  for (const auto& p : parts) pointers.push_back(&p);
  Learner<float> one(model()), three(model());
  LearnOptions options;
  for (int step = 0; step < 2; ++step) {
    options.threads = 1;
    const auto want = gradient(one, pointers, options);
    options.threads = 3;
    EXPECT_EQ(gradient(three, pointers, options), want);
  }
}

// ---- the learner itself ----

TEST(Learner, EveryStepHasItsOwnGradient) {
  Rng rng(5);
  const Batch batch = random_batch(rng), other = random_batch(rng);
  Learner<double> learner(random_model("FGNN(6, norm=layer) - Out(2)"));
  const auto once = gradient(learner, {&batch});
  EXPECT_NE(gradient(learner, {&other}), once);
  EXPECT_EQ(gradient(learner, {&batch}), once);
}

TEST(Learner, WeightsAreOneFlatArray) {
  const Model model = random_model("FC(6) - FGNN(6) - Out(2)");
  Learner<double> learner(model);
  EXPECT_EQ(static_cast<std::int64_t>(learner.weights().size()),
            model.program.flat_offsets().back());
  EXPECT_GE(learner.weights().size(), model.program.trained_numbers());
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    const bool trained = model.program.parameters[i].trained;
    EXPECT_EQ(learner.offsets()[i] < 0, !trained);
    const auto own = learner.parameter(static_cast<int>(i));
    EXPECT_TRUE(same_numbers(own, model.weights[i], 0));
    if (trained) {
      EXPECT_EQ(own.data(), learner.weights().data() + learner.offsets()[i]);
    }
  }
}

TEST(Learner, WeightsGoBackIntoTheModel) {
  Rng rng(6);
  const Batch batch = random_batch(rng);
  const Model model = random_model("FC(6) - FGNN(6) - Out(2)");
  Learner<float> learner(model);
  Model stored = random_model("FC(6) - FGNN(6) - Out(2)", "{}", 7);
  EXPECT_NE(stored.weights, model.weights);
  learner.store(stored);
  EXPECT_EQ(stored.weights, model.weights);
  outputs(learner, {&batch}, {});  // running moments too
  learner.store(stored);
  EXPECT_NE(stored.weights, model.weights);
  Learner<float> other(random_model("FC(6) - FGNN(6) - Out(2)", "{}", 8));
  other.load(stored);
  Model again = stored;
  other.store(again);
  EXPECT_EQ(again.weights, stored.weights);
}

// FC(3) on variables: moments of x W over all rows of the batch, the variance unbiased.
TEST(Learner, RunningMomentsFollowPyTorchsFormula) {
  Rng rng(7);
  const Model model = random_model("FC(3)");
  Learner<double> learner(model);
  const Batch batch = random_features(rng, random_structure(rng, 7, 8, 2), 3);
  const auto index = [&](const std::string& name) {
    for (std::size_t i = 0; i < model.program.parameters.size(); ++i) {
      if (model.program.parameters[i].name == name) return static_cast<int>(i);
    }
    throw std::runtime_error(name);
  };
  const auto mean = learner.parameter(index("0.variable.norm.mean"));
  const auto variance = learner.parameter(index("0.variable.norm.variance"));
  const auto weight = learner.parameter(index("0.variable.linear.weight"));
  std::vector<double> want_mean, want_variance;
  for (std::size_t j = 0; j < 3; ++j) {
    std::vector<double> y;
    double sum = 0, squares = 0;
    for (std::size_t r = 0; r < 21; ++r) {
      y.push_back(batch.variable[2 * r] * weight[j] + batch.variable[2 * r + 1] * weight[3 + j]);
      sum += y.back() / 21;
    }
    for (const double v : y) squares += (v - sum) * (v - sum) / 20;
    want_mean.push_back(0.8 * mean[j] + 0.2 * sum);
    want_variance.push_back(0.8 * variance[j] + 0.2 * squares);
  }
  LearnOptions options;
  options.momentum = 0.2;
  options.training = false;
  const std::vector<double> before(mean.begin(), mean.end());
  outputs(learner, {&batch}, options);
  EXPECT_TRUE(same_numbers(mean, before, 0));  // evaluation changes nothing
  options.training = true;
  outputs(learner, {&batch}, options);
  EXPECT_TRUE(same_numbers(mean, want_mean, 1e-12));
  EXPECT_TRUE(same_numbers(variance, want_variance, 1e-12));
}

TEST(Learner, SumsOverProcessesAreUsed) {
  Rng rng(11);
  const auto structure = random_structure(rng, 9, 10, 3);
  const Batch first = random_features(rng, structure), second = random_features(rng, structure);
  const Batch graphs[] = {first, second};
  const Batch whole = Batch::of(graphs);
  const Model model = random_model("FC(6) - 2*FGNN(6) - Out(2)");
  Learner<double> at_once(model), other(model), half(model);
  const auto want = gradient(at_once, {&whole});
  // What the other process hands in, meeting by meeting, is known from a run with both parts.
  std::vector<std::vector<double>> totals;
  LearnOptions options;
  options.sum = [&](std::span<double> values) {
    totals.emplace_back(values.begin(), values.end());
  };
  gradient(other, {&first, &second}, options);
  std::size_t meeting = 0;
  options.sum = [&](std::span<double> values) {
    ASSERT_EQ(values.size(), totals[meeting].size());
    std::copy(totals[meeting].begin(), totals[meeting].end(), values.begin());
    ++meeting;
  };
  auto sum = gradient(half, {&first}, options);
  EXPECT_EQ(meeting, totals.size());
  EXPECT_EQ(totals.size(), 2u * 5);  // forwards and backwards: FC, and two for each layer
  meeting = 0;
  Learner<double> rest(model);
  const auto more = gradient(rest, {&second}, options);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  EXPECT_TRUE(same_numbers(sum, want, 1e-9 * std::max(1.0, largest_of(want))));
}

TEST(Learner, SaysWhichPartOfTheGradientIsComplete) {
  Rng rng(12);
  const Batch batch = random_batch(rng);
  const Model model = random_model("FC(6) - 3@FGNN(6) - Out(2)");  // weights used three times
  Learner<double> learner(model);
  std::vector<int> told(learner.weights().size());
  std::vector<double> then(told.size());
  LearnOptions options;
  options.complete = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      ++told[i];
      then[i] = learner.gradient()[i];
    }
  };
  const auto whole = gradient(learner, {&batch}, options);
  EXPECT_EQ(then, whole);
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    const auto begin = learner.offsets()[i];
    for (std::size_t k = 0; begin >= 0 && k < model.weights[i].size(); ++k) {
      EXPECT_EQ(told[static_cast<std::size_t>(begin) + k], 1);
    }
  }
}

TEST(Learner, GraphsMayHaveNoFactorsOfAType) {
  Rng rng(8);
  const Batch batch = random_features(rng, random_structure(rng, kSize, 4, 0), 2);
  const Batch bare = random_features(rng, random_structure(rng, kSize, 0, 0));
  const Batch bare_copies = random_features(rng, bare.structure, 2);
  for (const auto& network : networks()) {
    SCOPED_TRACE(network);
    for (const Batch* b : {&batch, &bare, &bare_copies}) {
      Learner<double> learner(model_of(network));
      const auto g = gradient(learner, {b});
      for (const double x : g) ASSERT_TRUE(std::isfinite(x));
      EXPECT_LT(largest_of(g), 1e6);
    }
  }
}

TEST(Learner, NetworksMayHaveNoParameters) {
  Rng rng(9);
  const Model model = random_model("Pool(mean)");
  ASSERT_TRUE(model.program.parameters.empty());
  const Batch batch = random_features(rng, random_structure(rng, 5, 4, 1), 2);
  Learner<double> learner(model);
  Runner<double> runner(model);
  EXPECT_TRUE(same_numbers(outputs(learner, {&batch}, {}), runner.run(batch), 1e-12));
  EXPECT_TRUE(gradient(learner, {&batch}).empty());
}

TEST(Learner, ChecksTheFeatures) {
  Rng rng(10);
  Batch b = random_batch(rng);
  b.variable.pop_back();
  Learner<float> learner(random_model("FC(3)"));
  expect_error(ErrorCode::usage, "variable features", [&] { gradient(learner, {&b}); });
}

}  // namespace
}  // namespace fgnn::network
