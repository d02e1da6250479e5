#include "fgnn/nn/ops.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "fgnn/kernels/norm.h"
#include "tests/reference/expect_error.h"

namespace fgnn::nn {
namespace {

using at::Tensor;
using kernels::Activation;
using kernels::Aggregate;
using kernels::Index;
using network::NormKind;
using testing::expect_error;

Tensor numbers(std::vector<std::int64_t> shape, at::ScalarType type = at::kDouble) {
  at::set_num_threads(1);
  return at::randn(shape, at::TensorOptions(type));
}

// Edges of two targets and three sources, of two kinds.
const kernels::Incidence& edges() {
  static const Index target[] = {0, 0, 1, 1}, source[] = {0, 1, 1, 2}, kind[] = {0, 1, 0, 1};
  static const kernels::Incidence all(2, 3, 2, target, source, kind);
  return all;
}

MessageArguments arguments(std::size_t hidden, std::size_t out, std::size_t copies = 1) {
  return {&edges(), nullptr, copies, {hidden, out, Activation::relu, {Aggregate::max}, 1}};
}

template <class Call>
void expect_rejected(const char* operation, Call call) {
  expect_error(ErrorCode::usage, operation, call);
}

TEST(Ops, LinearRejectsMisshapenTensors) {
  const Context c;
  const auto f = Activation::relu;
  const Tensor x = numbers({5, 3}), w = numbers({3, 4}), b = numbers({4});
  EXPECT_NO_THROW(linear({x}, w, b, f, c));
  EXPECT_NO_THROW(linear({x}, w, {}, f, c));
  expect_rejected("linear: got a misshapen weight", [&] { linear({x, x}, w, b, f, c); });
  expect_rejected("linear: got a misshapen bias", [&] { linear({x}, w, numbers({3}), f, c); });
  expect_rejected("linear: got a misshapen bias", [&] { linear({x}, w, numbers({1, 4}), f, c); });
  expect_rejected("linear: got a tensor with the wrong rows", [&] {
    linear({x, numbers({4, 1})}, numbers({4, 4}), b, f, c);
  });
  expect_rejected("linear", [&] { linear({numbers({3})}, w, b, f, c); });
  expect_rejected("linear", [&] { linear({x}, numbers({12}), b, f, c); });
  expect_rejected("linear", [&] { linear({}, w, b, f, c); });
  expect_rejected("linear", [&] { linear({Tensor()}, w, b, f, c); });
  expect_rejected("linear", [&] { linear({x}, Tensor(), b, f, c); });
  expect_rejected("different types", [&] { linear({x}, w.to(at::kFloat), b, f, c); });
  expect_rejected("different types", [&] { linear({x}, w, b.to(at::kFloat), f, c); });
  expect_rejected("float or double",
                  [&] { linear({x.to(at::kLong)}, w.to(at::kLong), b.to(at::kLong), f, c); });
}

TEST(Ops, NormRejectsMisshapenTensors) {
  const Context c;
  const Tensor x = numbers({5, 3}), v = numbers({3}), wrong = numbers({4});
  const auto call = [&](NormKind kind, const Tensor& in, const Tensor& residual,
                        const Tensor& scale, const Tensor& shift, Tensor mean, Tensor variance,
                        std::vector<std::size_t> graphs = {}) {
    return [=] {
      norm(in, residual, scale, shift, mean, variance, {kind, Activation::relu, graphs}, c);
    };
  };
  EXPECT_NO_THROW(call(NormKind::batch, x, x, v, v, at::zeros_like(v), at::ones_like(v))());
  EXPECT_NO_THROW(call(NormKind::layer, x, {}, v, v, {}, {})());
  EXPECT_NO_THROW(call(NormKind::instance, x, {}, v, v, {}, {}, {0, 2, 5})());
  expect_rejected("norm: got a scale or shift", call(NormKind::layer, x, {}, wrong, v, {}, {}));
  expect_rejected("norm: got a scale or shift", call(NormKind::layer, x, {}, v, wrong, {}, {}));
  expect_rejected("norm: got a scale or shift", call(NormKind::layer, x, {}, v, {}, {}, {}));
  expect_rejected("norm: got a residual", call(NormKind::layer, x, numbers({5, 2}), v, v, {}, {}));
  expect_rejected("norm", call(NormKind::layer, v, {}, v, v, {}, {}));
  expect_rejected("norm", call(NormKind::layer, {}, {}, v, v, {}, {}));
  expect_rejected("norm: got running moments", call(NormKind::batch, x, {}, v, v, {}, {}));
  expect_rejected("norm: got running moments", call(NormKind::batch, x, {}, v, v, wrong, v));
  expect_rejected("norm: got running moments", call(NormKind::batch, x, {}, v, v, v, wrong));
  expect_rejected("norm: got graphs", call(NormKind::instance, x, {}, v, v, {}, {}, {0, 2, 6}));
  expect_rejected("norm: got graphs", call(NormKind::instance, x, {}, v, v, {}, {}, {0, 3, 2, 5}));
  expect_rejected("norm: got graphs", call(NormKind::instance, x, {}, v, v, {}, {}));
  expect_rejected("norm: is of no kind", call(NormKind::none, x, {}, v, v, {}, {}));
  expect_rejected("different types", call(NormKind::layer, x, {}, v.to(at::kFloat), v, {}, {}));
  expect_rejected("different types", call(NormKind::batch, x, {}, v, v, v.to(at::kFloat), v));
}

TEST(Ops, MessageRejectsMisshapenTensors) {
  const Context c;
  const Tensor t = numbers({4, 3}), s = numbers({6, 3}), q = numbers({2, 3, 5}),
               m = numbers({2, 2});
  const auto a = arguments(3, 5, 2), square = arguments(3, 3, 2);
  auto per_copy = a;
  per_copy.per_copy = true;
  EXPECT_NO_THROW(message(t, s, q, {}, a, c));
  EXPECT_NO_THROW(message({}, s, q, m, a, c));
  EXPECT_NO_THROW(message(t, s, {}, {}, square, c));
  EXPECT_NO_THROW(message(t, s, q, numbers({4, 2}), per_copy, c));
  EXPECT_NO_THROW(message(t, s, numbers({7, 3, 5}), {}, a, c));  // kinds that no edge has
  expect_rejected("message: got a tensor with the wrong rows", [&] {
    message(t, numbers({5, 3}), q, {}, a, c);
  });
  expect_rejected("message: got a tensor with the wrong rows", [&] { message(s, s, q, {}, a, c); });
  expect_rejected("message", [&] { message(t, {}, q, {}, a, c); });
  expect_rejected("message: got features of the wrong width", [&] {
    message(t, numbers({6, 4}), q, {}, a, c);
  });
  expect_rejected("message: got features of the wrong width", [&] {
    message(numbers({4, 2}), s, q, {}, a, c);
  });
  expect_rejected("message: needs matrices", [&] { message(t, s, {}, {}, a, c); });
  expect_rejected("message: needs matrices", [&] { message(t, s, {}, m, square, c); });
  expect_rejected("message: got misshapen matrices", [&] {
    message(t, s, numbers({1, 3, 5}), {}, a, c);
  });
  expect_rejected("message: got misshapen matrices", [&] {
    message(t, s, numbers({2, 3, 4}), {}, a, c);
  });
  expect_rejected("message: got misshapen matrices", [&] {
    message(t, s, q, numbers({2, 3}), a, c);
  });
  expect_rejected("message", [&] { message(t, s, q, numbers({3, 2}), a, c); });
  expect_rejected("message", [&] { message(t, s, q, m, per_copy, c); });
  expect_rejected("message", [&] { message(t, s, q, numbers({2}), a, c); });
  expect_rejected("different types", [&] { message(t.to(at::kFloat), s, q, {}, a, c); });
  expect_rejected("different types", [&] { message(t, s, q.to(at::kFloat), {}, a, c); });
}

TEST(Ops, ExcludeAndGruRejectMisshapenTensors) {
  const Context c;
  const auto call = [&](const Tensor& x) {
    return [=] { exclude(x, edges(), nullptr, 2, Aggregate::sum, 1, nullptr, c); };
  };
  EXPECT_NO_THROW(call(numbers({8, 3}))());
  expect_rejected("exclude: got a tensor with the wrong rows", call(numbers({4, 3})));
  expect_rejected("exclude", call(numbers({8})));
  expect_rejected("exclude", call({}));
  const Tensor a = numbers({5, 6}), h = numbers({5, 2});
  EXPECT_NO_THROW(gru(a, a, h, c));
  expect_rejected("gru: needs gates three times as wide", [&] { gru(numbers({5, 5}), a, h, c); });
  expect_rejected("gru: needs gates three times as wide", [&] { gru(a, numbers({5, 4}), h, c); });
  expect_rejected("gru: got a tensor with the wrong rows", [&] { gru(numbers({4, 6}), a, h, c); });
  expect_rejected("gru", [&] { gru(a, a, numbers({2}), c); });
  expect_rejected("different types", [&] { gru(a.to(at::kFloat), a, h, c); });
}

TEST(Ops, TensorsNeedNotBeContiguous) {
  const Context c;
  const Tensor x = numbers({3, 5}).t(), w = numbers({4, 3}).t();
  ASSERT_FALSE(x.is_contiguous());
  const Tensor want = at::relu(at::matmul(x, w));
  EXPECT_TRUE(at::allclose(linear({x}, w, {}, Activation::relu, c), want));
  Tensor leaf = numbers({3, 5});
  leaf.set_requires_grad(true);
  // The gradient that comes back is expanded, hence not contiguous either.
  linear({leaf.t()}, w, {}, Activation::identity, c).sum().backward();
  EXPECT_TRUE(at::allclose(leaf.grad().t(), at::matmul(at::ones({5, 4}, w.options()), w.t())));
}

TEST(Ops, GradientsOfSharedResultsAddUp) {
  const Context c;
  Tensor x = numbers({5, 3});
  x.set_requires_grad(true);
  const Tensor w = numbers({3, 3});
  // y is read twice: a gradient changed in place would reach the other reader.
  const Tensor y = linear({x}, w, {}, Activation::tanh, c);
  at::add(at::mul(y, y), y).sum().backward();
  const Tensor plain = at::tanh(at::matmul(x.detach(), w));
  const Tensor want = at::matmul((2 * plain + 1) * (1 - plain * plain), w.t());
  EXPECT_TRUE(at::allclose(x.grad(), want));
}

TEST(Ops, ActivateIsTheKernelsFunction) {
  const Tensor x = numbers({50});
  for (const auto f : {Activation::identity, Activation::relu, Activation::leaky, Activation::tanh,
                       Activation::sigmoid, Activation::exp, Activation::log}) {
    Tensor leaf = x.clone();
    leaf.set_requires_grad(true);
    const Tensor y = activate(leaf, f);
    y.sum().backward();
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      const double want = kernels::apply(f, x[i].item<double>());
      EXPECT_NEAR(y[i].item<double>(), want, 1e-14 * std::max(1.0, std::abs(want)));
      const double slope = kernels::slope(f, want);
      EXPECT_NEAR(leaf.grad()[i].item<double>(), slope, 1e-12 * std::max(1.0, std::abs(slope)));
    }
  }
}

TEST(Ops, LogIsFlatBelowItsFloorAndPassesOnWhatIsNoNumber) {
  for (const auto type : {at::kFloat, at::kDouble}) {
    Tensor x = at::tensor({-1.0, 0.0, std::nan(""), 1.0}, at::TensorOptions(type));
    x.set_requires_grad(true);
    const Tensor y = activate(x, Activation::log);
    const double floor = type == at::kFloat ? std::log(kernels::kLeastLogged<float>)
                                            : std::log(kernels::kLeastLogged<double>);
    EXPECT_NEAR(y[0].item<double>(), floor, 1e-5);
    EXPECT_NEAR(y[1].item<double>(), floor, 1e-5);
    EXPECT_TRUE(std::isnan(y[2].item<double>()));
    EXPECT_EQ(y[3].item<double>(), 0);
    y.sum().backward();
    EXPECT_EQ(x.grad()[0].item<double>(), 0);
    EXPECT_EQ(x.grad()[1].item<double>(), 0);
    EXPECT_EQ(x.grad()[3].item<double>(), 1);
  }
}

TEST(Ops, SoftmaxIsPyTorchs) {
  const Tensor weight = numbers({7, 5});
  Tensor x = numbers({5, 7}).t(), same = x.clone();  // not contiguous
  x.set_requires_grad(true);
  same.set_requires_grad(true);
  const Tensor y = softmax(x, Context()), want = at::softmax(same, 1);
  EXPECT_TRUE(at::allclose(y, want));
  at::mul(y, weight).sum().backward();
  at::mul(want, weight).sum().backward();
  EXPECT_TRUE(at::allclose(x.grad(), same.grad()));
  expect_rejected("softmax", [] { softmax(numbers({3}), Context()); });
  expect_rejected("softmax", [] { softmax(Tensor(), Context()); });
}

// PyTorch: running <- (1 - momentum) running + momentum new, with the unbiased variance.
TEST(Ops, BatchNormInTrainingIsPyTorchs) {
  for (const auto type : {at::kFloat, at::kDouble}) {
    Context c;
    c.momentum = 0.3;
    const double tolerance = type == at::kFloat ? 1e-5 : 1e-12;
    const Tensor scale = numbers({4}, type), shift = numbers({4}, type);
    Tensor mean = numbers({4}, type), variance = at::rand({4}, scale.options());
    Tensor torch_mean = mean.clone(), torch_variance = variance.clone();
    for (const bool training : {true, true, false}) {
      c.training = training;
      const Tensor x = 2 * numbers({7, 4}, type) + 1;
      const Tensor got =
          norm(x, {}, scale, shift, mean, variance, {NormKind::batch, Activation::identity, {}}, c);
      const Tensor want = at::batch_norm(x, scale, shift, torch_mean, torch_variance, training,
                                         c.momentum, kernels::kNormEpsilon, false);
      EXPECT_TRUE(at::allclose(got, want, tolerance, tolerance));
      EXPECT_TRUE(at::allclose(mean, torch_mean, tolerance, tolerance));
      EXPECT_TRUE(at::allclose(variance, torch_variance, tolerance, tolerance));
    }
  }
}

TEST(Ops, LayerNormIsPyTorchs) {
  const Context c;
  const Tensor x = numbers({7, 5}), scale = numbers({5}), shift = numbers({5});
  const Tensor got =
      norm(x, {}, scale, shift, {}, {}, {NormKind::layer, Activation::identity, {}}, c);
  EXPECT_TRUE(at::allclose(got, at::layer_norm(x, {5}, scale, shift, kernels::kNormEpsilon)));
}

// Two processes, each with its rows: the second has said what its sums are.
TEST(Ops, BatchNormAddsUpOverProcesses) {
  const Tensor x = numbers({6, 3}), scale = numbers({3}), shift = numbers({3}),
               weight = numbers({6, 3});
  const NormArguments a{NormKind::batch, Activation::tanh, {}};
  const auto moments = [] {
    return std::pair(at::zeros({3}, at::kDouble), at::ones({3}, at::kDouble));
  };
  const auto run = [&](std::int64_t begin, std::int64_t end, const Context& c) {
    auto [mean, variance] = moments();
    Tensor mine = x.narrow(0, begin, end - begin).clone();
    mine.set_requires_grad(true);
    const Tensor y = norm(mine, {}, scale, shift, mean, variance, a, c);
    at::mul(y, weight.narrow(0, begin, end - begin)).sum().backward();
    return std::tuple(y.detach(), mine.grad(), mean, variance);
  };
  const auto [y, dx, mean, variance] = run(0, 6, {});
  // Records what each half gives to the reduction, in order; the sums need both halves.
  std::vector<std::vector<double>> sent[2];
  const auto half = [&](int which, const std::vector<std::vector<double>>* other) {
    Context c;
    std::size_t calls = 0;
    c.reduce = [&, which, other, calls](std::span<double> sums) mutable {
      sent[which].push_back({sums.begin(), sums.end()});
      if (other != nullptr && calls < other->size()) {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += (*other)[calls][i];
      }
      ++calls;
    };
    return which == 0 ? run(0, 2, c) : run(2, 6, c);
  };
  // The sums of the backward pass depend on the forward's: two rounds until both are right.
  half(0, nullptr);
  for (int round = 0; round < 3; ++round) {
    for (const int which : {1, 0}) {
      const auto other = sent[1 - which];
      sent[which].clear();
      half(which, &other);
    }
  }
  for (const int which : {0, 1}) {
    const auto other = sent[1 - which];
    sent[which].clear();
    const auto [py, pdx, pmean, pvariance] = half(which, &other);
    const std::int64_t begin = which == 0 ? 0 : 2, length = which == 0 ? 2 : 4;
    EXPECT_TRUE(at::allclose(py, y.narrow(0, begin, length)));
    EXPECT_TRUE(at::allclose(pdx, dx.narrow(0, begin, length)));
    EXPECT_TRUE(at::allclose(pmean, mean));
    EXPECT_TRUE(at::allclose(pvariance, variance));
  }
}

TEST(Ops, DropoutIsDrawnByTheSeedAndOnlyInTraining) {
  const Tensor x = at::ones({500, 40}, at::kDouble);
  Context context;
  context.seed = 7;
  const Tensor once = dropout(x, 0.3, false, 0, context);
  EXPECT_TRUE(at::equal(once, dropout(x, 0.3, false, 0, context)));
  EXPECT_FALSE(at::equal(once, dropout(x, 0.3, false, 1, context)));
  // Numbers are zero, or larger so that the mean stays.
  EXPECT_NEAR(once.mean().item<double>(), 1, 0.02);
  EXPECT_NEAR(at::eq(once, 0).to(at::kDouble).mean().item<double>(), 0.3, 0.02);
  const Tensor rows = dropout(x, 0.3, true, 0, context);
  EXPECT_TRUE(at::equal(rows.amax(1), rows.amin(1)));
  EXPECT_NEAR(rows.mean().item<double>(), 0.7, 0.06);
  EXPECT_EQ(rows.max().item<double>(), 1);
  context.seed = 8;
  EXPECT_FALSE(at::equal(once, dropout(x, 0.3, false, 0, context)));
  context.training = false;
  EXPECT_TRUE(at::equal(dropout(x, 0.3, false, 0, context), x));
}

TEST(Ops, ImagesAndScalesThatDoNotFitAreRejected) {
  const Context context;
  const kernels::ImageShape shape{2, 2, 1};
  expect_error(ErrorCode::usage, "images or weights of the wrong shape", [&] {
    convolution(at::ones({1, 5}), at::ones({9, 3}), {}, shape, 3, context);
  });
  expect_error(ErrorCode::usage, "images or weights of the wrong shape", [&] {
    convolution(at::ones({1, 4}), at::ones({8, 3}), {}, shape, 3, context);
  });
  expect_error(ErrorCode::usage, "images of the wrong shape", [&] {
    max_pool(at::ones({1, 5}), shape, 2, context);
  });
  const std::vector<kernels::Index> ends{0, 1}, kinds{0, 1};
  const kernels::Incidence edges(2, 2, 2, ends, ends, kinds);
  const ScaledArguments a{&edges, nullptr, 1, kernels::Activation::relu, kernels::Aggregate::sum};
  EXPECT_NO_THROW(scaled(at::ones({2, 3}), at::ones({2, 3}), {}, a, context));
  expect_error(ErrorCode::usage, "misshapen scale or shift", [&] {
    scaled(at::ones({2, 3}), at::ones({1, 3}), {}, a, context);
  });
  expect_error(ErrorCode::usage, "wrong rows", [&] {
    scaled(at::ones({3, 3}), at::ones({2, 3}), {}, a, context);
  });
}

TEST(Ops, DifferentiatingTwiceIsAnError) {
  Tensor x = numbers({5, 3});
  x.set_requires_grad(true);
  const Tensor y = linear({x}, numbers({3, 2}), {}, Activation::tanh, {}).sum();
  y.backward();
  EXPECT_ANY_THROW(y.backward());
}

}  // namespace
}  // namespace fgnn::nn
