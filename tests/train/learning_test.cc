// Whether networks learn at all.
#include <gtest/gtest.h>

#include "fgnn/network/learner.h"
#include "fgnn/tasks/task.h"
#include "fgnn/train/optimiser.h"
#include "tests/reference/random_batch.h"

namespace fgnn::train {
namespace {

using network::Batch;
using tasks::Labelled;
using tasks::Metrics;

// Eight small graphs with features that are all different, and labels that mean nothing.
Labelled random_set() {
  Rng rng(1);
  std::vector<Batch> graphs;
  for (int i = 0; i < 8; ++i) {
    graphs.push_back(
        testing::random_features(rng, testing::random_structure(rng, 4 + rng.below(3), 6, 2)));
  }
  Labelled set{Batch::of(graphs), {}, {}};
  for (std::size_t i = 0; i < set.batch.structure->variables(); ++i) {
    set.classes.push_back(static_cast<std::int64_t>(rng.below(2)));
  }
  return set;
}

class Learning : public ::testing::TestWithParam<std::string> {
 protected:
  Metrics measure(std::span<const float> output, std::span<float> gradient) const {
    return tasks::measure(output, learner_.program().registers[learner_.program().output].width,
                          set_, tasks::Loss::cross_entropy,
                          tasks::output_rows(learner_.program(), set_.batch), gradient);
  }
  Metrics measured(bool training) {
    network::LearnOptions options;
    options.training = training;
    Metrics m;
    learner_.forward({&part_, 1}, options,
                     [&](std::size_t, std::span<const float> y) { m = measure(y, {}); });
    return m;
  }
  void train(int steps) {
    TrainOptions options;
    options.clip = 0;
    Optimiser optimiser(learner_, options, 1);
    for (int step = 0; step < steps; ++step) {
      Metrics m;
      learner_.step({&part_, 1}, {},
                    [&](std::size_t, std::span<const float> y, std::span<float> gradient) {
                      m = measure(y, gradient);
                    });
      optimiser.step(0.01, 1 / m.rows);
    }
  }

 private:
  const Labelled set_ = random_set();
  const Batch* const part_ = &set_.batch;
  network::Learner<float> learner_{testing::random_model(GetParam())};
};

TEST_P(Learning, FitsATinySetByHeart) {
  EXPECT_LT(measured(true).accuracy(), 0.9);
  train(150);
  for (const bool training : {true, false}) {  // with moments of the batch, and remembered ones
    EXPECT_EQ(measured(training).accuracy(), 1);
    EXPECT_LT(measured(training).mean_loss(), 0.02);
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
}  // namespace fgnn::train
