// Operations against their formulas written plainly, and operations that are built wrongly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fgnn/kernels/activation.h"
#include "fgnn/kernels/norm.h"
#include "fgnn/network/learner.h"
#include "fgnn/network/writer.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"

namespace fgnn::network {
namespace {

using testing::expect_error;
using testing::normal_numbers;
using testing::same_numbers;
using Numbers = std::vector<double>;

// A program on the features of variables alone.
struct Bench {
  Writer w;
  int input;

  explicit Bench(std::size_t width) : input(w.add_register({Place::variable}, width)) {
    w.program.variable_input = input;
  }
  int fresh(std::size_t width) { return w.add_register({Place::variable}, width); }
  // Weights by parameter.
  Model model(int output, std::vector<Numbers> weights = {}) {
    Model m;
    m.program = w.program;
    m.program.output = output;
    m.weights = std::move(weights);
    return m;
  }
};

Batch rows_of(std::size_t rows, Numbers features) {
  return {
      std::make_shared<const Structure>(rows, std::vector<Relation>{}), 1, std::move(features), {}};
}

template <class T>
Numbers output(Learner<T>& learner, const Batch& batch, const LearnOptions& options = {}) {
  const Batch* part = &batch;
  Numbers all;
  learner.forward({&part, 1}, options,
                  [&](std::size_t, std::span<const T> y) { all.assign(y.begin(), y.end()); });
  return all;
}

// The gradient of the sum of all outputs by the features.
template <class T>
Numbers slopes(Learner<T>& learner, const Batch& batch) {
  const Batch* part = &batch;
  LearnOptions options;
  options.input_gradients = true;
  learner.step({&part, 1}, options, [](std::size_t, std::span<const T>, std::span<T> gradient) {
    std::fill(gradient.begin(), gradient.end(), T(1));
  });
  const auto got = learner.input_gradient(0, learner.program().variable_input);
  return {got.begin(), got.end()};
}

// ---- norms ----

// running <- (1 - momentum) running + momentum new, with the unbiased variance.
template <class T>
void check_batch_norm(double tolerance) {
  constexpr std::size_t rows = 7, width = 4;
  Rng rng(1);
  const Numbers scale = normal_numbers<double>(rng, width),
                shift = normal_numbers<double>(rng, width);
  Numbers mean = normal_numbers<double>(rng, width), variance{0.3, 0.6, 0.9, 1.2};
  Bench b(width);
  const int out = b.fresh(width);
  const auto parameter = [&](const char* name, bool trained) {
    return b.w.parameter(name, {width}, 0, 0, trained);
  };
  b.w.push(Norm{b.input, -1, out, NormKind::batch, parameter("scale", true),
                parameter("shift", true), parameter("mean", false), parameter("variance", false),
                Activation::identity});
  Learner<T> learner(b.model(out, {scale, shift, mean, variance}));
  LearnOptions options;
  options.momentum = 0.3;
  for (const bool training : {true, true, false}) {
    options.training = training;
    Numbers x = normal_numbers<double>(rng, rows * width, 2), want(rows * width);
    for (double& v : x) v += 1;
    for (std::size_t j = 0; j < width; ++j) {
      double m = 0, v = 0;
      for (std::size_t r = 0; r < rows; ++r) m += x[r * width + j] / rows;
      for (std::size_t r = 0; r < rows; ++r) v += std::pow(x[r * width + j] - m, 2) / rows;
      if (training) {
        mean[j] = 0.7 * mean[j] + 0.3 * m;
        variance[j] = 0.7 * variance[j] + 0.3 * v * rows / (rows - 1);
      }
      const double by_mean = training ? m : mean[j], by = training ? v : variance[j];
      for (std::size_t r = 0; r < rows; ++r) {
        const double centred = x[r * width + j] - by_mean;
        want[r * width + j] = scale[j] * centred / std::sqrt(by + kernels::kNormEpsilon) + shift[j];
      }
    }
    EXPECT_TRUE(same_numbers(output(learner, rows_of(rows, x), options), want, tolerance));
    EXPECT_TRUE(same_numbers(learner.parameter(2), mean, tolerance));
    EXPECT_TRUE(same_numbers(learner.parameter(3), variance, tolerance));
  }
}

TEST(NormOperation, OfABatchIsTheTextbooks) {
  check_batch_norm<double>(1e-12);
  check_batch_norm<float>(1e-5);
}

TEST(NormOperation, OfALayerIsTheTextbooks) {
  constexpr std::size_t rows = 7, width = 5;
  Rng rng(2);
  const Numbers x = normal_numbers<double>(rng, rows * width),
                scale = normal_numbers<double>(rng, width),
                shift = normal_numbers<double>(rng, width);
  Bench b(width);
  const int out = b.fresh(width);
  b.w.push(Norm{b.input, -1, out, NormKind::layer, b.w.parameter("scale", {width}, 0),
                b.w.parameter("shift", {width}, 0), -1, -1, Activation::identity});
  Numbers want(rows * width);
  for (std::size_t r = 0; r < rows; ++r) {
    double m = 0, v = 0;
    for (std::size_t j = 0; j < width; ++j) m += x[r * width + j] / width;
    for (std::size_t j = 0; j < width; ++j) v += std::pow(x[r * width + j] - m, 2) / width;
    for (std::size_t j = 0; j < width; ++j) {
      want[r * width + j] =
          scale[j] * (x[r * width + j] - m) / std::sqrt(v + kernels::kNormEpsilon) + shift[j];
    }
  }
  Learner<double> learner(b.model(out, {scale, shift}));
  EXPECT_TRUE(same_numbers(output(learner, rows_of(rows, x)), want, 1e-12));
}

// ---- functions by entry and by row ----

TEST(ActivateOperation, IsTheKernelsFunction) {
  Rng rng(3);
  const Numbers x = normal_numbers<double>(rng, 50);
  for (const auto f : {Activation::identity, Activation::relu, Activation::leaky, Activation::tanh,
                       Activation::sigmoid, Activation::exp, Activation::log}) {
    Bench b(1);
    const int out = b.fresh(1);
    b.w.push(Activate{b.input, out, f});
    Learner<double> learner(b.model(out));
    const Numbers y = output(learner, rows_of(50, x)), g = slopes(learner, rows_of(50, x));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double want = kernels::apply(f, x[i]), slope = kernels::slope(f, want);
      EXPECT_NEAR(y[i], want, 1e-14 * std::max(1.0, std::abs(want)));
      EXPECT_NEAR(g[i], slope, 1e-12 * std::max(1.0, std::abs(slope)));
    }
  }
}

template <class T>
void check_log() {
  Bench b(1);
  const int out = b.fresh(1);
  b.w.push(Activate{b.input, out, Activation::log});
  Learner<T> learner(b.model(out));
  const Batch batch = rows_of(4, {-1, 0, std::nan(""), 1});
  const Numbers y = output(learner, batch), g = slopes(learner, batch);
  const double floor = std::log(static_cast<double>(kernels::kLeastLogged<T>));
  EXPECT_NEAR(y[0], floor, 1e-5);
  EXPECT_NEAR(y[1], floor, 1e-5);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], 0);
  EXPECT_EQ(g[0], 0);
  EXPECT_EQ(g[1], 0);
  EXPECT_EQ(g[3], 1);
}

TEST(ActivateOperation, LogIsFlatBelowItsFloorAndPassesOnWhatIsNoNumber) {
  check_log<float>();
  check_log<double>();
}

TEST(SoftmaxOperation, IsTheTextbooks) {
  Rng rng(4);
  const Numbers x = normal_numbers<double>(rng, 6 * 5);
  Bench b(5);
  const int out = b.fresh(5);
  b.w.push(Softmax{b.input, out});
  Learner<double> learner(b.model(out));
  Numbers want;
  for (std::size_t r = 0; r < 6; ++r) {
    double sum = 0;
    for (std::size_t k = 0; k < 5; ++k) sum += std::exp(x[5 * r + k]);
    for (std::size_t k = 0; k < 5; ++k) want.push_back(std::exp(x[5 * r + k]) / sum);
  }
  EXPECT_TRUE(same_numbers(output(learner, rows_of(6, x)), want, 1e-13));
  // A row sums up to 1 whatever the features.
  EXPECT_TRUE(same_numbers(slopes(learner, rows_of(6, x)), Numbers(30), 1e-13));
}

// y is read twice: a gradient changed in place would reach the other reader.
TEST(Operations, GradientsOfSharedResultsAddUp) {
  Rng rng(5);
  const Numbers x = normal_numbers<double>(rng, 5);
  Bench b(1);
  const int y = b.w.activate(b.input, Activation::tanh), square = b.fresh(1);
  b.w.push(Multiply{y, y, square});
  Learner<double> learner(b.model(b.w.add({square, y})));
  Numbers want;
  for (const double v : x) want.push_back((2 * std::tanh(v) + 1) * (1 - std::pow(std::tanh(v), 2)));
  EXPECT_TRUE(same_numbers(slopes(learner, rows_of(5, x)), want, 1e-13));
}

// ---- dropout ----

TEST(DropoutOperation, IsDrawnByTheSeedAndOnlyInTraining) {
  constexpr std::size_t rows = 500, width = 40;
  const Numbers ones(rows * width, 1);
  const Batch batch = rows_of(rows, ones);
  LearnOptions options;
  options.seed = 7;
  const auto dropped = [&](bool whole_rows, int id) {
    Bench b(width);
    const int out = b.fresh(width);
    b.w.push(Dropout{b.input, out, id, 0.3, whole_rows});
    Learner<double> learner(b.model(out));
    return output(learner, batch, options);
  };
  const auto mean = [](const Numbers& x) {
    double sum = 0;
    for (const double v : x) sum += v;
    return sum / static_cast<double>(x.size());
  };
  const Numbers once = dropped(false, 0);
  EXPECT_EQ(dropped(false, 0), once);
  EXPECT_NE(dropped(false, 1), once);
  // Numbers are zero, or larger so that the mean stays.
  EXPECT_NEAR(mean(once), 1, 0.02);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(once, 0)) / (rows * width), 0.3, 0.02);
  const Numbers by_row = dropped(true, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = std::span(by_row).subspan(r * width, width);
    EXPECT_EQ(std::ranges::max(row), std::ranges::min(row));
  }
  EXPECT_NEAR(mean(by_row), 0.7, 0.06);
  EXPECT_EQ(std::ranges::max(by_row), 1);
  options.seed = 8;
  EXPECT_NE(dropped(false, 0), once);
  options.first_part = 1;  // of another process
  const Numbers elsewhere = dropped(false, 0);
  options.first_part = 0;
  EXPECT_NE(dropped(false, 0), elsewhere);
  options.training = false;
  EXPECT_EQ(dropped(false, 0), ones);
}

// ---- operations that are built wrongly ----

// Registers of two relations, and parameters by shape.
struct Wrong {
  Writer w;
  int variable = reg({Place::variable}, 3), other = reg({Place::variable}, 4);
  int factor = reg({Place::factor, 0}, 3), edge = reg({Place::edge, 0}, 3);
  int kind = reg({Place::kind, 0}, 2);

  int reg(Place place, std::size_t width) { return w.add_register(place, width); }
  int parameter(std::vector<std::int64_t> shape) {
    return w.parameter("p" + std::to_string(w.program.parameters.size()), std::move(shape), 1);
  }
  template <class Wanted>
  void rejects(const std::string& what, Wanted wanted) {
    expect_error(ErrorCode::internal, what, [&] { w.push(std::move(wanted)); });
  }
};

constexpr auto kRelu = Activation::relu;

TEST(WrongOperations, Linear) {
  Wrong t;
  const int weight = t.parameter({3, 4}), bias = t.parameter({4}), three = t.parameter({3});
  EXPECT_NO_THROW(t.w.push(Linear{{t.variable}, weight, bias, t.other, kRelu}));
  EXPECT_NO_THROW(t.w.push(Linear{{t.variable}, weight, -1, t.other, kRelu}));
  t.rejects("linear: has a misshapen parameter",
            Linear{{t.variable, t.variable}, weight, bias, t.other, kRelu});
  t.rejects("linear: has a misshapen parameter",
            Linear{{t.variable}, weight, three, t.other, kRelu});
  t.rejects("linear: has a misshapen parameter",
            Linear{{t.variable}, weight, t.parameter({1, 4}), t.other, kRelu});
  t.rejects("linear: has a misshapen parameter",
            Linear{{t.variable}, t.parameter({12}), bias, t.other, kRelu});
  t.rejects("linear: has a register with the wrong rows",
            Linear{{t.factor}, weight, bias, t.other, kRelu});
  t.rejects("linear: has no input", Linear{{}, weight, bias, t.other, kRelu});
  t.rejects("linear: lacks a register", Linear{{-1}, weight, bias, t.other, kRelu});
  t.rejects("linear: lacks a register", Linear{{t.variable}, weight, bias, -1, kRelu});
  t.rejects("linear: lacks a parameter", Linear{{t.variable}, -1, bias, t.other, kRelu});
}

TEST(WrongOperations, Norm) {
  Wrong t;
  const int three = t.parameter({3}), four = t.parameter({4});
  const auto norm = [&](NormKind kind, int input, int residual, int scale, int shift, int mean,
                        int variance) {
    return Norm{input, residual, t.variable, kind, scale, shift, mean, variance, kRelu};
  };
  const auto layer = NormKind::layer, batch = NormKind::batch;
  const int x = t.variable;
  EXPECT_NO_THROW(t.w.push(norm(batch, x, x, three, three, three, three)));
  EXPECT_NO_THROW(t.w.push(norm(layer, x, -1, three, three, -1, -1)));
  EXPECT_NO_THROW(t.w.push(norm(NormKind::instance, x, -1, three, three, -1, -1)));
  t.rejects("norm: has a misshapen scale", norm(layer, x, -1, four, three, -1, -1));
  t.rejects("norm: has a misshapen parameter", norm(layer, x, -1, three, four, -1, -1));
  t.rejects("norm: lacks a parameter", norm(layer, x, -1, three, -1, -1, -1));
  t.rejects("norm: lacks a parameter", norm(layer, x, -1, -1, three, -1, -1));
  t.rejects("norm: has a register of the wrong width",
            norm(layer, x, t.other, three, three, -1, -1));
  t.rejects("norm: has a register with the wrong rows",
            norm(layer, t.factor, -1, three, three, -1, -1));
  t.rejects("norm: remembers moments for norm=batch alone",
            norm(batch, x, -1, three, three, -1, -1));
  t.rejects("norm: remembers moments for norm=batch alone",
            norm(layer, x, -1, three, three, three, three));
  t.rejects("norm: has a misshapen parameter", norm(batch, x, -1, three, three, four, three));
  t.rejects("norm: has a misshapen parameter", norm(batch, x, -1, three, three, three, four));
  t.rejects("norm: is of no kind", norm(NormKind::none, x, -1, three, three, -1, -1));
  t.rejects("norm: normalises channels and positions over the batch alone",
            norm(layer, x, -1, t.parameter({1}), t.parameter({1}), -1, -1));
}

TEST(WrongOperations, Message) {
  Wrong t;
  const int out = t.reg({Place::factor, 0}, 5), matrices = t.parameter({2, 3, 5});
  const auto message = [&](int target, int source, int output, int q, int coefficients,
                           std::size_t wide = 5) {
    return Message{Way::variable_to_factor,
                   0,
                   target,
                   source,
                   output,
                   q,
                   coefficients,
                   {3, wide, kRelu, {Aggregate::max}, 1}};
  };
  EXPECT_NO_THROW(t.w.push(message(t.factor, t.variable, out, matrices, -1)));
  EXPECT_NO_THROW(t.w.push(message(-1, t.variable, out, matrices, t.kind)));
  EXPECT_NO_THROW(t.w.push(message(t.factor, t.variable, t.factor, -1, -1, 3)));
  t.rejects("message: has a register with the wrong rows",
            message(t.variable, t.variable, out, matrices, -1));
  t.rejects("message: has a register with the wrong rows",
            message(t.factor, t.factor, out, matrices, -1));
  t.rejects("message: has a register with the wrong rows",
            message(t.factor, t.variable, out, matrices, t.edge));
  t.rejects("message: has a register of the wrong width",
            message(t.factor, t.other, out, matrices, -1));
  t.rejects("message: has a register of the wrong width",
            message(t.factor, t.variable, t.factor, matrices, -1));
  t.rejects("message: lacks a register", message(t.factor, -1, out, matrices, -1));
  t.rejects("message: needs matrices", message(t.factor, t.variable, out, -1, -1));
  t.rejects("message: needs matrices to mix",
            message(t.factor, t.variable, t.factor, -1, t.kind, 3));
  t.rejects("message: has a misshapen parameter",
            message(t.factor, t.variable, out, t.parameter({2, 3, 4}), -1));
  t.rejects("message: has a misshapen parameter",
            message(t.factor, t.variable, out, t.parameter({3, 3, 5}), t.kind));
  t.rejects("message: has a misshapen parameter",
            message(t.factor, t.variable, out, t.parameter({2, 15}), -1));
}

TEST(WrongOperations, ScaledMessage) {
  Wrong t;
  const auto scaled = [&](int source, int scale, int shift) {
    return ScaledMessage{Way::variable_to_factor, 0, source, t.factor, scale, shift, kRelu,
                         Aggregate::sum};
  };
  const int two = t.parameter({2, 3}), one = t.parameter({1, 3});
  EXPECT_NO_THROW(t.w.push(scaled(t.variable, two, -1)));
  EXPECT_NO_THROW(t.w.push(scaled(t.variable, two, two)));
  t.rejects("scaled_message: has a misshapen parameter", scaled(t.variable, two, one));
  t.rejects("scaled_message: has a misshapen parameter", scaled(t.variable, t.parameter({3}), -1));
  t.rejects("scaled_message: lacks a parameter", scaled(t.variable, -1, -1));
  t.rejects("scaled_message: has a register with the wrong rows", scaled(t.edge, two, -1));
  t.rejects("scaled_message: has a register of the wrong width", scaled(t.other, two, -1));
}

TEST(WrongOperations, OfImages) {
  Wrong t;
  const kernels::ImageShape shape{2, 2, 1};
  const int image = t.reg({Place::variable}, 4), out = t.reg({Place::variable}, 12),
            small = t.reg({Place::variable}, 1), weight = t.parameter({9, 3});
  EXPECT_NO_THROW(t.w.push(Convolution{image, weight, -1, out, shape, 3}));
  t.rejects("convolution: has a register of the wrong width",
            Convolution{t.variable, weight, -1, out, shape, 3});
  t.rejects("convolution: has a misshapen parameter",
            Convolution{image, t.parameter({8, 3}), -1, out, shape, 3});
  t.rejects("convolution: has an even size", Convolution{image, weight, -1, out, shape, 2});
  t.rejects("convolution: lacks a parameter", Convolution{image, -1, -1, out, shape, 3});
  EXPECT_NO_THROW(t.w.push(MaxPool{image, small, shape, 2}));
  t.rejects("max_pool: has a register of the wrong width", MaxPool{t.variable, small, shape, 2});
  t.rejects("max_pool: has a register of the wrong width", MaxPool{image, image, shape, 2});
}

TEST(WrongOperations, Others) {
  Wrong t;
  const int gates = t.reg({Place::variable}, 9), here = t.variable, there = t.factor;
  EXPECT_NO_THROW(t.w.push(Gru{gates, gates, here, t.reg({Place::variable}, 3)}));
  t.rejects("gru: has a register of the wrong width", Gru{t.other, gates, here, here});
  t.rejects("gru: has a register of the wrong width", Gru{gates, t.other, here, here});
  t.rejects("gru: has a register of the wrong width", Gru{gates, gates, t.other, here});
  t.rejects("gru: has a register with the wrong rows", Gru{gates, gates, there, here});
  const auto exclude = [&](Way way, int input) {
    return Exclude{way, 0, input, t.edge, Aggregate::sum, 1};
  };
  EXPECT_NO_THROW(t.w.push(exclude(Way::edge_to_factor, t.edge)));
  t.rejects("exclude: has a register with the wrong rows", exclude(Way::edge_to_factor, here));
  t.rejects("exclude: meets neither at factors nor at variables",
            exclude(Way::edge_to_slot, t.edge));
  t.rejects("softmax: has a register with the wrong rows", Softmax{here, there});
  t.rejects("softmax: lacks a register", Softmax{-1, here});
  t.rejects("softmax: lacks a register", Softmax{here, 1000});
  t.rejects("activate: has a register of the wrong width", Activate{here, t.other, kRelu});
  t.rejects("add: has no input", Add{{}, here});
  t.rejects("add: has a register of the wrong width", Add{{here, t.other}, here});
  t.rejects("multiply: has a register with the wrong rows", Multiply{here, there, here});
  t.rejects("dropout: has a share that is not a probability", Dropout{here, here, 0, 1, false});
  t.rejects("dropout: has a register of the wrong width", Dropout{here, t.other, 0, 0.1, false});
  t.rejects("append: has a register of the wrong width", Append{here, t.parameter({2}), t.other});
  t.rejects("append: lacks a parameter", Append{here, -1, t.other});
  t.rejects("k_nearest: has a register with the wrong rows",
            KNearest{there, t.reg({Place::variable}, 0), 3});
  t.rejects("k_nearest: has a register of the wrong width", KNearest{here, t.other, 3});
}

}  // namespace
}  // namespace fgnn::network
