#include "fgnn/nn/module.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "fgnn/kernels/norm.h"
#include "fgnn/network/run.h"
#include "fgnn/train/loss.h"
#include "tests/reference/differences.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"

namespace fgnn::nn {
namespace {

using at::Tensor;
using network::Batch;
using network::Model;
using testing::expect_error;
using testing::random_batch;
using testing::random_features;
using testing::random_model;
using testing::random_structure;
using testing::same_numbers;

std::shared_ptr<const Batch> shared(Batch batch) {
  at::set_num_threads(1);
  return std::make_shared<const Batch>(std::move(batch));
}

std::vector<double> values(const Tensor& x) {
  const Tensor plain = x.detach().to(at::kDouble).contiguous();
  return {plain.data_ptr<double>(), plain.data_ptr<double>() + plain.numel()};
}

// Every aggregator, Q, number of layers of M, order, form, norm and activation, and both without
// the map after aggregation; pools, and the baselines' layers.
const std::vector<std::string>& networks() {
  static const std::vector<std::string> all{
      "FGNN(6, aggregate=max) - Out(2)",
      "FGNN(6, aggregate=sum) - Out(2)",
      "FGNN(6, aggregate=mean) - Out(2)",
      "FGNN(6, aggregate=logsumexp, temperature=0.5) - Out(2)",
      "FGNN(6, aggregate=product, activation=tanh) - Out(2)",
      "FGNN(6, aggregate=max+sum+mean+logsumexp+product, activation=tanh) - Out(2)",
      "FC(6) - 2*FGNN(6, q=table, order=together) - Out(2)",
      "FC(6) - 2*FGNN(6, q=mixture, bases=3, q_hidden=5, order=sequence) - Out(2)",
      "FC(6) - 2*FGNN(6, q=mlp, q_hidden=5) - Out(2)",
      "FC(6) - 2*FGNN(6, q=identity) - Out(2)",
      "2*FGNN(6, m=5+4) - Out(2)",
      "2*FGNN(6, m=5+4+3, activation=tanh, aggregate=sum) - Out(2)",
      "2*FGNN(6, m=5+6, q=identity, update=no) - Out(2)",
      "2*FGNN(6, rank=5, aggregate=sum) - Out(2)",
      "2*FGNN(6, rank=7, aggregate=product, activation=tanh, norm=layer) - Out(2)",
      "2*FGNN(6, rank=6, aggregate=max, norm=none, residual=no) - Out(2)",
      "Image(2, 1) - Conv(3) - Conv(4, size=5, pool=2) - FC(6) - FGNN(6, rank=4, aggregate=sum) - "
      "Out(2)",
      "Image(1, 2) - Conv(3, norm=none, activation=tanh) - Out(2)",
      "FC(6) - Chain(2)",
      "3*FGNN(6, form=message) - Out(2)",
      "3*FGNN(6, form=message, q=mixture, bases=3, aggregate=logsumexp, m=4) - Out(2)",
      "2*FGNN(6, form=message, aggregate=product, q=identity, activation=tanh) - Out(2)",
      "2*FGNN(6, form=message, aggregate=mean, norm=instance, activation=sigmoid) - Out(2)",
      "FC(6) - 3@[FC(6) - FGNN(6, norm=layer)] - Out(2)",
      "2*FGNN(6, norm=none) - Out(2)",
      "2*FGNN(6, norm=batch, residual=no) - Out(2)",
      "2*FGNN(6, norm=layer) - Out(2)",
      "2*FGNN(6, norm=instance) - Out(2)",
      "2*FGNN(6, update=no) - Out(2)",
      "2*FGNN(6, update=no, norm=none) - Out(2)",
      "2*FGNN(6, activation=relu) - Out(2)",
      "2*FGNN(6, activation=leaky) - Out(2)",
      "2*FGNN(6, activation=tanh) - Out(2)",
      "2*FGNN(6, activation=sigmoid) - Out(2)",
      "2*FGNN(6, activation=identity, norm=none) - Out(2)",
      "FC(6) - 3@FGNN(6) - Out(2)",
      "FC(6) - Res[FC(6) - FGNN(6) - FC(6)] - Out(2)",
      "FGNN(6) - Pool(max) - FC(5) - Out(2)",
      "FGNN(6) - Pool(logsumexp) - Out(2)",
      "FC(5) - Global(mean) - FC(6) - Pool(sum) - Out(2)",
      "2*MPNN(6, q_hidden=5) - Out(2)",
      "2*EdgeConv(6, k=3) - Global(max) - Out(2)",
  };
  return all;
}

// Copies of one structure, graphs of several sizes, edges masked, and edge features by graph.
std::vector<std::shared_ptr<const Batch>> batches() {
  Rng rng(1);
  std::vector<std::shared_ptr<const Batch>> all;
  all.push_back(shared(random_features(rng, random_structure(rng, 7, 8, 2), 3)));
  std::vector<Batch> graphs{random_batch(rng), random_batch(rng),
                            random_features(rng, random_structure(rng, 5, 4, 0))};
  all.push_back(shared(Batch::of(graphs)));
  Batch masked = *all[0];
  for (std::size_t r = 0; r < 2; ++r) {
    auto& mask = masked.relations[r].mask;
    mask.resize(masked.copies * masked.structure->relations()[r].edges());
    for (auto& m : mask) m = rng.below(4) != 0;
  }
  all.push_back(shared(masked));
  Batch one = testing::with_own_kinds(graphs[0]), two = one;
  for (auto& r : two.relations) {
    for (double& x : r.edge) x = rng.normal();
  }
  const Batch own[] = {one, two};
  all.push_back(shared(Batch::of(own)));
  return all;
}

bool needs_the_models_kinds(const Model& model) {  // a table has no row for kinds of a graph
  for (const auto& p : model.program.parameters) {
    if (p.name.ends_with(".q") || p.name.ends_with(".vf.scale")) return true;
  }
  return false;
}

// The gradient of a random linear function of the output, by all parameters.
void expect_gradient(const Model& model, const std::shared_ptr<const Batch>& batch, bool training,
                     std::size_t most = 40) {
  Module module(model, at::kDouble);
  module.context().training = training;
  Rng rng(2);
  const Tensor out = module.forward(batch);
  const auto numbers = testing::normal_numbers<double>(rng, static_cast<std::size_t>(out.numel()));
  const Tensor weight =
      at::from_blob(const_cast<double*>(numbers.data()), out.sizes(), at::kDouble).clone();
  at::mul(out, weight).sum().backward();
  const auto gradient = values(module.gradients());
  double squares = 0;
  for (const double g : gradient) squares += g * g;
  const double usual = std::sqrt(squares / static_cast<double>(gradient.size()));
  ASSERT_GT(usual, 0);

  const at::NoGradGuard no_gradients;
  double* const p = module.parameters().data_ptr<double>();
  const auto value = [&] { return at::mul(module.forward(batch), weight).sum().item<double>(); };
  std::size_t checked = 0;
  for (std::size_t k = 0; k < most; ++k) {
    const auto i = static_cast<std::size_t>(rng.below(gradient.size()));
    const double kept = p[i];
    const auto d = testing::difference([&](double by) { p[i] += by; }, value, 1e-6);
    p[i] = kept;
    const double tolerance = 1e-5 * std::max(std::abs(d.slope), usual);
    if (!d.smooth(2 * tolerance)) continue;
    ++checked;
    EXPECT_NEAR(gradient[i], d.slope, tolerance) << "number " << i;
  }
  EXPECT_GE(10 * checked, 8 * most);
}

class EachPreset : public ::testing::TestWithParam<std::string> {
 protected:
  Model model() const { return random_model(network::describe(GetParam())); }
};
std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& p : network::presets()) names.push_back(p.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Module, EachPreset, ::testing::ValuesIn(preset_names()),
                         [](const auto& given) {
                           std::string name = given.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EachPreset, GradientEqualsDifferences) {
  Rng rng(3);
  // Moments of very few rows, layer upon layer, would be too steep for differences.
  const Batch graphs[] = {random_features(rng, random_structure(rng, 7, 6, 4)),
                          random_features(rng, random_structure(rng, 5, 5, 4))};
  expect_gradient(model(), shared(Batch::of(graphs)), true, 20);
  expect_gradient(model(), shared(random_features(rng, graphs[1].structure, 2)), false, 20);
}

class EachNetwork : public ::testing::TestWithParam<std::string> {
 protected:
  Model model() const { return random_model(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Module, EachNetwork, ::testing::ValuesIn(networks()));

TEST_P(EachNetwork, GradientEqualsDifferences) {
  for (const auto& batch : batches()) {
    if (batch->structure->relations()[0].own_kinds && needs_the_models_kinds(model())) continue;
    expect_gradient(model(), batch, true);
  }
  expect_gradient(model(), batches()[1], false);
}

void expect_the_runners_output(const Model& model) {
  for (const auto& batch : batches()) {
    if (batch->structure->relations()[0].own_kinds && needs_the_models_kinds(model)) continue;
    Module floats(model), doubles(model, at::kDouble);
    floats.context().training = doubles.context().training = false;
    network::Runner<float> runner(model);
    network::Runner<double> double_runner(model);
    const at::NoGradGuard no_gradients;
    EXPECT_TRUE(same_numbers(values(floats.forward(batch)), runner.run(*batch), 1e-5));
    EXPECT_TRUE(same_numbers(values(doubles.forward(batch)), double_runner.run(*batch), 1e-10));
  }
}

TEST_P(EachPreset, EvaluationEqualsTheRunner) { expect_the_runners_output(model()); }
TEST_P(EachNetwork, EvaluationEqualsTheRunner) { expect_the_runners_output(model()); }

TEST_P(EachPreset, ThreadsAgreeUpToRoundingAndRepeatExactly) {
  Rng rng(4);
  const auto batch = shared(random_features(rng, random_structure(rng, 12, 14, 2), 6));
  const auto gradients = [&](int threads) {
    Module module(model());
    module.context().threads = threads;
    module.forward(batch).sum().backward();
    return values(module.gradients());
  };
  const auto one = gradients(1), two = gradients(2);
  double largest = 0;
  for (const double g : one) largest = std::max(largest, std::abs(g));
  EXPECT_EQ(gradients(1), one);
  EXPECT_EQ(gradients(2), two);
  EXPECT_TRUE(same_numbers(two, one, 1e-3 * std::max(1.0, largest)));
}

// ---- the module itself ----

TEST(Module, GradientsAddUpUntilTheyAreZeroed) {
  Rng rng(5);
  const auto batch = shared(random_batch(rng));
  Module module(random_model("FGNN(6, norm=layer) - Out(2)"), at::kDouble);
  module.forward(batch).sum().backward();
  const auto once = values(module.gradients());
  module.forward(batch).sum().backward();
  auto twice = once;
  for (double& g : twice) g *= 2;
  EXPECT_TRUE(same_numbers(values(module.gradients()), twice, 1e-12));
  module.zero_gradients();
  EXPECT_EQ(values(module.gradients()), std::vector<double>(once.size()));
  module.forward(batch).sum().backward();
  EXPECT_EQ(values(module.gradients()), once);
}

TEST(Module, ParametersAreTheFlatTensor) {
  const Model model = random_model("FC(6) - FGNN(6) - Out(2)");
  Module module(model);
  EXPECT_EQ(module.parameters().numel(), model.program.flat_offsets().back());
  EXPECT_GE(model.program.flat_offsets().back(),
            static_cast<std::int64_t>(model.program.trained_numbers()));
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    const auto& p = model.program.parameters[i];
    const Tensor& t = module.tensors()[i];
    EXPECT_EQ(t.sizes().vec(), p.shape);
    EXPECT_EQ(t.requires_grad(), p.trained);
    EXPECT_EQ(module.offsets()[i] < 0, !p.trained);
    EXPECT_TRUE(same_numbers(values(t), model.weights[i], 0));
    if (!p.trained) continue;
    EXPECT_TRUE(same_numbers(values(module.parameters().narrow(0, module.offsets()[i], t.numel())),
                             model.weights[i], 0));
  }
  module.parameters().fill_(3);
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    if (module.offsets()[i] >= 0) {
      EXPECT_EQ(module.tensors()[i].max().item<float>(), 3);
    }
  }
}

TEST(Module, WeightsGoBackIntoTheModel) {
  Rng rng(6);
  const Model model = random_model("FC(6) - FGNN(6) - Out(2)");
  Module module(model);
  Model stored = random_model("FC(6) - FGNN(6) - Out(2)", "{}", 7);
  EXPECT_NE(stored.weights, model.weights);
  module.store(stored);
  EXPECT_EQ(stored.weights, model.weights);
  // Running moments too.
  module.forward(shared(random_batch(rng)));
  module.store(stored);
  EXPECT_NE(stored.weights, model.weights);
  Module other(random_model("FC(6) - FGNN(6) - Out(2)", "{}", 8));
  other.load(stored);
  Model again = stored;
  other.store(again);
  EXPECT_EQ(again.weights, stored.weights);
}

// FC(3) on variables: moments of x W over all rows of the batch.
TEST(Module, RunningMomentsFollowPyTorchsFormula) {
  Rng rng(7);
  const Model model = random_model("FC(3)");
  Module module(model, at::kDouble);
  module.context().momentum = 0.2;
  const auto batch = shared(random_features(rng, random_structure(rng, 7, 8, 2), 3));
  const auto index = [&](const std::string& name) {
    for (std::size_t i = 0; i < model.program.parameters.size(); ++i) {
      if (model.program.parameters[i].name == name) return i;
    }
    throw std::runtime_error(name);
  };
  const std::size_t mean = index("0.variable.norm.mean"),
                    variance = index("0.variable.norm.variance"),
                    weight = index("0.variable.linear.weight");
  const Tensor y =
      at::matmul(features(batch->variable, 21, at::kDouble), module.tensors()[weight].detach());
  const Tensor want_mean = 0.8 * module.tensors()[mean].clone() + 0.2 * y.mean(at::IntArrayRef{0});
  const Tensor want_variance =
      0.8 * module.tensors()[variance].clone() + 0.2 * y.var(at::IntArrayRef{0}, true);
  const auto before = values(module.tensors()[mean]);
  {
    module.context().training = false;
    module.forward(batch);
    EXPECT_EQ(values(module.tensors()[mean]), before);  // evaluation changes nothing
  }
  module.context().training = true;
  module.forward(batch);
  EXPECT_TRUE(same_numbers(values(module.tensors()[mean]), values(want_mean), 1e-12));
  EXPECT_TRUE(same_numbers(values(module.tensors()[variance]), values(want_variance), 1e-12));
}

TEST(Module, GraphsMayHaveNoFactorsOfAType) {
  Rng rng(8);
  const auto batch = shared(random_features(rng, random_structure(rng, 5, 4, 0), 2));
  const auto bare = shared(random_features(rng, random_structure(rng, 5, 0, 0)));
  for (const auto& network : networks()) {
    SCOPED_TRACE(network);
    for (const auto& b : {batch, bare}) {
      Module module(random_model(network), at::kDouble);
      module.forward(b).sum().backward();
      for (const double g : values(module.gradients())) ASSERT_TRUE(std::isfinite(g));
    }
  }
}

TEST(Module, NetworksMayHaveNoParameters) {
  Rng rng(9);
  const Model model = random_model("Pool(mean)");
  ASSERT_TRUE(model.program.parameters.empty());
  const auto batch = shared(random_features(rng, random_structure(rng, 5, 4, 1), 2));
  Module module(model, at::kDouble);
  network::Runner<double> runner(model);
  EXPECT_TRUE(same_numbers(values(module.forward(batch)), runner.run(*batch), 1e-12));
}

TEST(Module, ChecksTheFeatures) {
  Rng rng(10);
  Batch b = random_batch(rng);
  b.variable.pop_back();
  Module module(random_model("FC(3)"));
  expect_error(ErrorCode::usage, "variable features", [&] { module.forward(shared(b)); });
}

TEST(CrossEntropy, LeavesClassesBelowZeroOut) {
  const Tensor logits = at::randn({4, 3}, at::kDouble);
  const std::vector<std::int64_t> classes{2, -1, 0, -1};
  const auto one = [&](std::int64_t row, std::int64_t c) {
    return (at::logsumexp(logits[row], {0}) - logits[row][c]).item<double>();
  };
  const auto loss = train::loss_of(logits, {{}, classes, {}}, tasks::Loss::cross_entropy);
  EXPECT_EQ(loss.rows, 2);
  EXPECT_NEAR(loss.sum.item<double>() / loss.rows, (one(0, 2) + one(2, 0)) / 2, 1e-12);
}

}  // namespace
}  // namespace fgnn::nn
