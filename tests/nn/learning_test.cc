// Whether networks learn at all.
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "fgnn/kernels/adam.h"
#include "fgnn/nn/module.h"
#include "fgnn/train/loss.h"
#include "tests/reference/random_batch.h"

namespace fgnn::nn {
namespace {

using network::Batch;

// Eight small graphs with features that are all different, and labels that mean nothing.
struct Set {
  std::shared_ptr<const Batch> batch;
  std::vector<std::int64_t> labels;
};

Set random_set() {
  Rng rng(1);
  std::vector<Batch> graphs;
  for (int i = 0; i < 8; ++i) {
    graphs.push_back(
        testing::random_features(rng, testing::random_structure(rng, 4 + rng.below(3), 6, 2)));
  }
  Set set{std::make_shared<const Batch>(Batch::of(graphs)), {}};
  for (std::size_t i = 0; i < set.batch->structure->variables(); ++i) {
    set.labels.push_back(static_cast<std::int64_t>(rng.below(2)));
  }
  return set;
}

// The mean over the rows that count, of the trainer's own loss.
at::Tensor cross_entropy(const at::Tensor& logits, const std::vector<std::int64_t>& classes) {
  const auto loss = train::loss_of(logits, {{}, classes, {}}, tasks::Loss::cross_entropy);
  return at::div(loss.sum, loss.rows);
}

double accuracy(const at::Tensor& logits, const std::vector<std::int64_t>& labels) {
  const at::Tensor best = logits.argmax(1);
  std::size_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    right += best[static_cast<std::int64_t>(i)].item<std::int64_t>() == labels[i];
  }
  return static_cast<double>(right) / static_cast<double>(labels.size());
}

void train(Module& module, const Set& set, int steps) {
  const auto n = static_cast<std::size_t>(module.parameters().numel());
  std::vector<float> first(n), second(n);
  for (int step = 1; step <= steps; ++step) {
    module.zero_gradients();
    cross_entropy(module.forward(set.batch), set.labels).backward();
    kernels::adam_step(module.parameters().data_ptr<float>(), module.gradients().data_ptr<float>(),
                       first.data(), second.data(), n, 0.01, 1, step, {}, 1);
  }
}

class Learning : public ::testing::TestWithParam<std::string> {};

TEST_P(Learning, FitsATinySetByHeart) {
  at::set_num_threads(1);
  const Set set = random_set();
  Module module(testing::random_model(GetParam()));
  EXPECT_LT(accuracy(module.forward(set.batch), set.labels), 0.9);
  train(module, set, 150);
  for (const bool training : {true, false}) {  // with moments of the batch, and remembered ones
    module.context().training = training;
    const at::Tensor logits = module.forward(set.batch);
    EXPECT_EQ(accuracy(logits, set.labels), 1);
    EXPECT_LT(cross_entropy(logits, set.labels).item<double>(), 0.02);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Learning,
    ::testing::Values("2*FGNN(16, aggregate=max) - Out(2)", "2*FGNN(16, aggregate=sum) - Out(2)",
                      "2*FGNN(16, aggregate=mean) - Out(2)",
                      "2*FGNN(16, aggregate=logsumexp) - Out(2)",
                      "2*FGNN(16, aggregate=product, activation=tanh) - Out(2)",
                      "2*FGNN(16, aggregate=max+sum, norm=none) - Out(2)",
                      "2*FGNN(16, q=mixture, bases=4, q_hidden=8, norm=layer) - Out(2)",
                      "2*FGNN(16, form=message, aggregate=sum) - Out(2)",
                      "FC(16) - 2*MPNN(16, q_hidden=8) - Out(2)"));

}  // namespace
}  // namespace fgnn::nn
