#include "fgnn/train/loss.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/tasks/chain.h"
#include "tests/reference/differences.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"

namespace fgnn::train {
namespace {

using at::Tensor;
using tasks::Labelled;
using tasks::Loss;
using testing::expect_error;
using testing::normal_numbers;

class Losses : public ::testing::TestWithParam<Loss> {
 protected:
  void SetUp() override { at::set_num_threads(1); }

  // Labels of `rows` rows; of the classes one in four does not count.
  Labelled labels(Rng& rng, std::size_t rows, std::size_t width) {
    Labelled l;
    for (std::size_t r = 0; r < rows; ++r) {
      if (GetParam() == Loss::cross_entropy) {
        l.classes.push_back(r % 4 == 3 ? -1 - static_cast<std::int64_t>(rng.below(3))
                                       : static_cast<std::int64_t>(rng.below(width)));
        continue;
      }
      for (std::size_t k = 0; k < width; ++k) {
        l.targets.push_back(static_cast<float>(
            GetParam() == Loss::binary_cross_entropy ? std::round(rng.uniform()) : rng.normal()));
      }
    }
    return l;
  }
};

template <class T>
Tensor tensor(std::vector<T>& values, std::size_t width) {
  return at::from_blob(
      values.data(),
      {static_cast<std::int64_t>(values.size() / width), static_cast<std::int64_t>(width)},
      sizeof(T) == 4 ? at::kFloat : at::kDouble);
}

TEST_P(Losses, AreWhatIsMeasured) {
  Rng rng(1);
  for (const std::size_t width : {1, 2, 5}) {
    auto output = normal_numbers<float>(rng, 8 * width, 3);
    const auto wanted = labels(rng, 8, width);
    const std::size_t graphs[] = {0, 8};
    const auto measured = tasks::measure(output, width, wanted, GetParam(), graphs);
    const auto loss = loss_of(tensor(output, width), wanted, GetParam());
    EXPECT_EQ(loss.rows, measured.rows);
    EXPECT_NEAR(loss.sum.item<double>(), measured.loss, 1e-5 * std::max(1.0, measured.loss));
  }
}

TEST_P(Losses, GradientsAreThoseOfDifferences) {
  Rng rng(2);
  const std::size_t width = 3;
  auto output = normal_numbers<double>(rng, 8 * width);
  const auto wanted = labels(rng, 8, width);
  Tensor x = tensor(output, width).clone();
  x.set_requires_grad(true);
  loss_of(x, wanted, GetParam()).sum.backward();
  const Tensor gradient = x.grad().contiguous();
  const auto value = [&] {
    return loss_of(tensor(output, width), wanted, GetParam()).sum.item<double>();
  };
  testing::expect_gradient(output,
                           {gradient.data_ptr<double>(), gradient.data_ptr<double>() + 8 * width},
                           value, "output", rng);
}

// With probabilities of 0 and 1 it is the loss of the classes; in between, the mean over them.
TEST(SoftClasses, LossIsTheMeanOverTheClasses) {
  at::set_num_threads(1);
  Rng rng(5);
  auto output = normal_numbers<double>(rng, 4 * 2);
  const auto of_class = [&](std::int64_t c) {
    Labelled l;
    l.classes.assign(4, c);
    return loss_of(tensor(output, 2), l, Loss::cross_entropy).sum.item<double>();
  };
  for (const float p : {0.0f, 0.25f, 1.0f}) {
    Labelled l;
    l.classes.assign(4, 0);
    for (int r = 0; r < 4; ++r) l.targets.insert(l.targets.end(), {1 - p, p});
    const auto loss = loss_of(tensor(output, 2), l, Loss::cross_entropy);
    EXPECT_EQ(loss.rows, 4);
    EXPECT_NEAR(loss.sum.item<double>(), (1 - p) * of_class(0) + p * of_class(1), 1e-6);
    Tensor x = tensor(output, 2).clone();
    x.set_requires_grad(true);
    loss_of(x, l, Loss::cross_entropy).sum.backward();
    const Tensor gradient = x.grad().contiguous();
    testing::expect_gradient(
        output, {gradient.data_ptr<double>(), gradient.data_ptr<double>() + 8},
        [&] { return loss_of(tensor(output, 2), l, Loss::cross_entropy).sum.item<double>(); },
        "output", rng);
  }
  Labelled few;
  few.classes.assign(4, 0);
  few.targets.assign(4, 0.5f);
  expect_error(ErrorCode::usage, "labels: 4 were given where the network has 8 outputs",
               [&] { loss_of(tensor(output, 2), few, Loss::cross_entropy); });
}

TEST_P(Losses, OfNoRowsAreZero) {
  Labelled none;
  std::vector<float> empty;
  EXPECT_EQ(loss_of(at::zeros({0, 3}), none, GetParam()).rows, 0);
  EXPECT_EQ(loss_of(at::zeros({0, 3}), none, GetParam()).sum.item<double>(), 0);
}

TEST_P(Losses, LabelsThatDoNotFitAreRefused) {
  Rng rng(3);
  const auto wanted = labels(rng, 4, 2);
  expect_error(ErrorCode::usage, "labels: ", [&] {
    loss_of(at::zeros({5, 2}), wanted, GetParam());
  });
  expect_error(ErrorCode::usage, "labels: 0 were given where the network has", [&] {
    loss_of(at::zeros({4, 2}), {}, GetParam());
  });
}

INSTANTIATE_TEST_SUITE_P(All, Losses,
                         ::testing::Values(Loss::cross_entropy, Loss::binary_cross_entropy,
                                           Loss::l1, Loss::l2),
                         [](const auto& test) {
                           std::string text(tasks::name(test.param));
                           std::erase(text, '-');
                           return text;
                         });

TEST(CrossEntropy, UnknownClassesAreRefused) {
  expect_error(ErrorCode::usage, "labels: have class 2 where the network knows 2", [] {
    loss_of(at::zeros({2, 2}), {{}, {0, 2}, {}}, Loss::cross_entropy);
  });
}

TEST(CrossEntropy, RowsThatDoNotCountHaveNoGradient) {
  Tensor x = at::zeros({2, 2});
  x.set_requires_grad(true);
  const auto loss = loss_of(x, {{}, {-1, -5}, {}}, Loss::cross_entropy);
  EXPECT_EQ(loss.rows, 0);
  EXPECT_EQ(loss.sum.item<double>(), 0);
  loss.sum.backward();
  EXPECT_EQ(x.grad().abs().sum().item<double>(), 0);
}

TEST(ChainLoss, IsMinusTheLogLikelihoodOfEveryChain) {
  at::set_num_threads(1);
  Rng rng(1);
  constexpr std::size_t states = 3, width = states + states * states;
  // Chains of three and of two variables in one batch.
  Labelled wanted;
  wanted.batch.structure = std::make_shared<const network::Structure>(
      5, std::vector<network::Relation>{}, std::vector<std::size_t>{0, 3, 5});
  wanted.classes = {0, 2, 1, 1, 0};
  auto numbers = normal_numbers<float>(rng, 5 * width);
  const Tensor output = tensor(numbers, width).clone().set_requires_grad(true);
  const SummedLoss loss = loss_of(output, wanted, Loss::chain);
  EXPECT_EQ(loss.rows, 5);
  const std::span all(numbers);
  const auto chain = [&](std::size_t first, std::size_t count, std::span<float> gradient) {
    return tasks::chain_log_likelihood(
        tasks::ChainRows::of(all.subspan(first * width, count * width), width),
        std::span(wanted.classes).subspan(first, count), gradient);
  };
  std::vector<float> one(3 * width), two(2 * width);
  EXPECT_NEAR(loss.sum.item<double>(), -chain(0, 3, one) - chain(3, 2, two), 1e-5);
  loss.sum.backward();
  one.insert(one.end(), two.begin(), two.end());
  const Tensor gradient = output.grad().contiguous();
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_FLOAT_EQ(gradient.data_ptr<float>()[i], -one[i]) << i;
  }
  wanted.classes[0] = 3;
  expect_error(ErrorCode::usage, "have class 3 where the network knows 3",
               [&] { loss_of(output, wanted, Loss::chain); });
}

}  // namespace
}  // namespace fgnn::train
