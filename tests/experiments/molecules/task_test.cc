#include "fgnn/experiments/molecules/task.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "fgnn/experiments/molecules/networks.h"
#include "fgnn/experiments/molecules/qm9_file.h"
#include "fgnn/train/trainer.h"
#include "tests/experiments/molecules/small_molecules.h"
#include "tests/reference/data_folder.h"
#include "tests/reference/expect_error.h"

namespace fgnn::molecules {
namespace {

using fgnn::testing::expect_error;
using fgnn::testing::made_up_set;
using tasks::Stream;

std::shared_ptr<const MoleculeSet> shared_set(std::size_t count) {
  return std::make_shared<const MoleculeSet>(made_up_set(count));
}

TEST(MoleculeScaling, TrainingTargetsHaveMeanZeroAndDeviationOne) {
  const MoleculeSet set = made_up_set(200);
  std::vector<std::size_t> all(set.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const Reference reference : {Reference::none, Reference::atoms, Reference::moments}) {
    const Scaling scaling(set, all, reference);
    for (std::size_t t = 0; t < kTargets; ++t) {
      double sum = 0, squares = 0;
      for (const std::size_t m : all) {
        const auto x = regressors(set[m]);
        const double y = scaling.scaled(t, set[m].targets[t], x);
        EXPECT_NEAR(scaling.value(t, y, x), set[m].targets[t], 1e-9);
        sum += y;
        squares += y * y;
      }
      EXPECT_NEAR(sum / 200, 0, 1e-6);
      EXPECT_NEAR(squares / 200, 1, 1e-6);
    }
    const Scaling again(scaling.text());
    EXPECT_EQ(again.text(), scaling.text());
  }
}

TEST(MoleculeScaling, AtomsExplainWhatIsLinearInThem) {
  // Targets are the number of atoms times 1 … 12, and noise of deviation 1.
  const MoleculeSet set = made_up_set(400);
  std::vector<std::size_t> all(set.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Scaling raw(set, all, Reference::none), without(set, all, Reference::atoms);
  EXPECT_GT(raw.unit(11), 10);
  EXPECT_NEAR(without.unit(11), 1, 0.1);
  EXPECT_EQ(without.unit(0), raw.unit(0));  // the dipole has no reference
}

TEST(MoleculeScaling, BrokenTextsAreRefused) {
  expect_error(ErrorCode::usage, "has 1 numbers", [] { Scaling scaling("1"); });
  expect_error(ErrorCode::usage, "is 'x'", [] { (void)reference_of("x"); });
}

TEST(MoleculeSplit, PartsAreDistinctAndWhole) {
  const MoleculeSet set = made_up_set(100);
  const Split split = split_molecules(set, "random", 3);
  EXPECT_EQ(split.train.size(), 80u);
  EXPECT_EQ(split.validation.size(), 10u);
  EXPECT_EQ(split.test.size(), 10u);
  std::set<std::size_t> all(split.train.begin(), split.train.end());
  all.insert(split.validation.begin(), split.validation.end());
  all.insert(split.test.begin(), split.test.end());
  EXPECT_EQ(all.size(), 100u);
  EXPECT_NE(split_molecules(set, "random", 4).train, split.train);
  expect_error(ErrorCode::usage, "is 'x'", [&] { (void)split_molecules(set, "x", 0); });
  expect_error(ErrorCode::usage, "too few", [&] { (void)split_molecules(set, "size", 0); });
}

TEST(MoleculeTask, KeepsItsScalingInTheSettings) {
  const auto set = shared_set(60);
  TaskOptions options;
  const MoleculeTask task(options, set);
  EXPECT_EQ(task.size(Stream::train), 48u);
  const auto settings = task.settings();
  TaskOptions again;
  again.scaling = settings.at("scaling");
  again.seed = 9;  // other training molecules, the model's statistics
  const MoleculeTask other(again, set);
  EXPECT_EQ(other.settings().at("scaling"), settings.at("scaling"));
}

TEST(MoleculeTask, TargetsAreChosenByName) {
  EXPECT_EQ(targets_of("all").size(), kTargets);
  EXPECT_EQ(targets_of("mu+gap"), (std::vector<std::size_t>{0, 4}));
  expect_error(ErrorCode::usage, "'moo': is not a target", [] { (void)targets_of("moo"); });
  expect_error(ErrorCode::usage, "has 'mu' twice", [] { (void)targets_of("mu+mu"); });
}

TEST(MoleculeTask, MeasuresAreInThePapersUnits) {
  const auto set = shared_set(60);
  TaskOptions options;
  options.targets = "mu+u0";
  const MoleculeTask task(options, set);
  const auto labelled = task.instance(Stream::test, 0);
  ASSERT_EQ(labelled.targets.size(), 2u);
  const std::vector<float> output{labelled.targets[0] + 1, labelled.targets[1] - 2};
  std::vector<float> gradient(2);
  const std::vector<std::size_t> rows{0, 1};
  const auto m = tasks::measure(output, 2, labelled, task.loss(), rows, gradient);
  EXPECT_NEAR(m.mean_loss(), 1.5, 1e-5);
  ASSERT_EQ(m.named.size(), 2u);
  EXPECT_EQ(m.named[1].unit, "meV");
  EXPECT_NEAR(m.named[0].value(), task.scaling().unit(0), 1e-4 * task.scaling().unit(0));
  EXPECT_NEAR(m.named[1].value(), 2 * task.scaling().unit(7), 1e-4 * task.scaling().unit(7));
  EXPECT_FLOAT_EQ(gradient[0], 0.5f);
  EXPECT_FLOAT_EQ(gradient[1], -0.5f);
}

TEST(MoleculeTask, NetworksLearnMadeUpMolecules) {
  const auto set = shared_set(120);
  TaskOptions options;
  options.graph.form = Form::invariant;
  options.reference = Reference::none;
  options.targets = "cv";
  const MoleculeTask task(options, set);
  train::TrainOptions how;
  how.steps = 120;
  how.batch = 16;
  how.interval = 60;
  how.threads = 1;
  const auto report = train::train(task, network_of({"fgnn", Form::invariant, 16, 1}), how, {},
                                   cluster::alone(), {});
  // The number of atoms is all there is to learn.
  EXPECT_LT(report.validation.mean_loss(), 0.3);
}

TEST(MoleculeTask, Qm9HasThePapersNumbersAndTheReadmesFloors) {
  FGNN_SKIP_WITHOUT_DATA("qm9");
  const auto set = std::make_shared<const MoleculeSet>(
      read_qm9(fgnn::testing::data_folder() / "qm9" / "qm9.safetensors", 2));
  TaskOptions options;
  options.reference = Reference::atoms;
  const MoleculeTask task(options, set);
  EXPECT_EQ(task.size(Stream::train), 104664u);
  EXPECT_EQ(task.size(Stream::test), 13084u);
  // Least squares on atoms: mean absolute errors of alpha, ZPVE, U0 and Cv.
  const std::size_t targets[] = {1, 6, 7, 11};
  const double floors[] = {2.167, 38.2, 867.9, 1.733};
  for (std::size_t k = 0; k < 4; ++k) {
    double sum = 0;
    for (const std::size_t m : task.of(Stream::test)) {
      const std::size_t t = targets[k];
      sum += std::abs(task.scaling().scaled(t, (*set)[m].targets[t], regressors((*set)[m])));
    }
    const double mean = sum / 13084 * task.scaling().unit(targets[k]);
    EXPECT_NEAR(mean / floors[k], 1, 0.03);
  }
  Split size = split_molecules(*set, "size", 0);
  EXPECT_GT(size.test.size(), size.train.size());
}

}  // namespace
}  // namespace fgnn::molecules
