#include "fgnn/experiments/motion/task.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/experiments/motion/forecaster.h"
#include "fgnn/experiments/motion/networks.h"
#include "fgnn/experiments/motion/tables.h"
#include "fgnn/experiments/motion/windows.h"
#include "fgnn/network/builder.h"
#include "fgnn/train/trainer.h"
#include "tests/experiments/motion/small_corpus.h"
#include "tests/reference/differences.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::motion {
namespace {

using tasks::Stream;
using testing::expect_error;
using testing::Scratch;

// Frames of a window as rows of Body::truth.
struct Window {
  std::vector<std::vector<double>> rows;
  std::vector<std::span<const double>> spans;

  Window(const Body& body, std::size_t frames) {
    const Frames f = testing::made_up_motion(body.layout(), frames, 3);
    for (std::size_t t = 0; t < frames; ++t) rows.push_back(body.truth(f[t]));
    spans.assign(rows.begin(), rows.end());
  }
};

TEST(MotionLoss, GradientsAreDifferences) {
  Rng random(1);
  for (const Form form : {Form::angle, Form::position}) {
    const Body body(h36m_layout(), form);
    const Dct dct(20, 15);
    const MotionLoss loss(body, dct);
    const Window window(body, 20);
    const auto targets = targets_of(body, window.spans);
    ASSERT_EQ(targets.size(), body.nodes() * loss.targets(15));
    std::vector<double> output(body.nodes() * 15), gradient(output.size());
    for (double& v : output) v = (form == Form::angle ? 1 : 100) * random.normal();
    const auto value = [&](std::span<double> into) {
      tasks::Metrics m;
      loss.graph({output, 15, {}, targets}, m, into);
      return m.loss;
    };
    value(gradient);
    testing::expect_gradient(
        output, gradient, [&] { return value({}); }, "the output", random, 60);
  }
}

TEST(MotionLoss, IsTheSumOfAnglesAndTheMeanDistance) {
  // All coefficients kept: the truth's own cost nothing, and a shift of one number is known.
  for (const Form form : {Form::angle, Form::position}) {
    const Body body(cmu_layout(), form);
    const Dct dct(35, 35);
    const MotionLoss loss(body, dct);
    const Window window(body, 35);
    std::vector<double> output(body.nodes() * 35), frames(35);
    for (std::size_t n = 0; n < body.nodes(); ++n) {
      for (std::size_t f = 0; f < 35; ++f) {
        frames[f] = body.node(window.rows[f], n) + (n == 1 ? 7 : 0);
      }
      dct.forwards(frames, std::span(output).subspan(n * 35, 35));
    }
    tasks::Metrics m;
    loss.graph({output, 35, {}, targets_of(body, window.spans)}, m, {});
    EXPECT_NEAR(m.loss, form == Form::angle ? 7.0 : 7.0 / 25, 1e-3);
    ASSERT_EQ(m.named.size(), 6u);
    EXPECT_EQ(m.named[5].name, "1000 ms");
    EXPECT_EQ(m.named[5].unit, form == Form::angle ? "rad" : "mm");
    if (form == Form::position) {
      EXPECT_NEAR(m.named[2].value(), 7.0 / 38, 1e-3);  // joint 3 has no twin
    }
    EXPECT_LT(loss.merit(m), 0);
  }
}

TEST(MotionLoss, RefusesOtherWidths) {
  const Body body(cmu_layout(), Form::position);
  const Dct dct(35, 30);
  const MotionLoss loss(body, dct);
  const std::vector<double> output(body.nodes() * 20);
  tasks::Metrics m;
  expect_error(ErrorCode::usage, "end it with width 30", [&] {
    loss.graph({output, 20, {}, {}}, m, {});
  });
}

std::size_t parameters(const std::string& name, const Layout& layout, Form form,
                       std::size_t coefficients) {
  network::Description d = network_of({.network = name, .coefficients = coefficients});
  const Body body(layout, form);
  d.schema = {coefficients, {}, body.nodes()};
  std::vector<std::size_t> edges(2);
  for (const Limb& l : body.limbs()) edges[0] += l.count;
  for (const auto& [a, b] : body.adjacent()) {
    edges[1] += body.limbs()[a].count + body.limbs()[b].count;
  }
  d.schema.relations = {{"joint", 0, edges[0], 0}, {"pair", 0, edges[1], 0}};
  return network::build(d).trained_numbers();
}

TEST(MotionNetworks, HaveTheKnownNumbersOfParameters) {
  // Input layer 7,680; 24 x 68,096; output 7,444; batch norms 25 x 24,576: 2.26 million.
  EXPECT_EQ(parameters("gcn", h36m_layout(), Form::angle, 20), 2263828u);
  // Input 30 * 256 + 256 + 75²; 24 of 256² + 256 + 75²; output; norms 25 x 2 x 75 x 256.
  EXPECT_EQ(parameters("gcn", cmu_layout(), Form::position, 30),
            (7680u + 256 + 5625) + 24 * (65536u + 256 + 5625) + (7680u + 30 + 5625) + 25 * 38400u);
  EXPECT_GT(parameters("fgnn", cmu_layout(), Form::position, 30),
            parameters("gcn", cmu_layout(), Form::position, 30));
  expect_error(ErrorCode::usage, "'gcm' is not a network", [] { network_of({.network = "gcm"}); });
}

TaskOptions small(const std::filesystem::path& folder) {
  TaskOptions o;
  o.data = folder.string();
  return o;
}

TEST(MotionTask, WindowsAreThoseOfTheProtocol) {
  const Scratch scratch;
  testing::write_cmu(scratch.path(), 161);  // 81 kept
  const MotionTask task(small(scratch.path()));
  EXPECT_EQ(task.size(Stream::train), 8u * (81 - 34));
  EXPECT_EQ(task.size(Stream::test), 64u);
  EXPECT_FALSE(task.has(Stream::validation));
  EXPECT_EQ(task.schema().variables, 75u);
  EXPECT_EQ(task.dct().kept(), 30u);
  // The first test window of the first action, from s + 40 on.
  const auto sequences = task.corpus().read(Split::test, 1);
  const std::size_t first = cmu_starts(81, 1, "")[0] + kBeforeWindow;
  const auto labelled = task.instance(Stream::test, 0);
  ASSERT_EQ(labelled.targets.size(), 75u * 35);
  const auto frame = task.body().values(sequences[0].frames[first + 34]);
  for (std::size_t n = 0; n < 75; ++n) {
    EXPECT_NEAR(labelled.targets[n * 35 + 34], frame[n], 1e-3);
  }
  // The input is blind to what is predicted: its trajectory ends with the last observed frame.
  std::vector<double> back(35);
  const Dct all(35, 35);
  TaskOptions whole = small(scratch.path());
  whole.coefficients = 35;
  const auto full = MotionTask(whole).instance(Stream::test, 0);
  all.backwards(std::span(full.batch.variable).subspan(0, 35), back);
  for (std::size_t f = 9; f < 35; ++f) EXPECT_NEAR(back[f], full.targets[9], 1e-3);
}

TEST(MotionTask, HoldsBackSequencesWhereAsked) {
  const Scratch scratch;
  testing::write_cmu(scratch.path(), 161);
  TaskOptions o = small(scratch.path());
  o.held_back = 4;
  o.stride = 5;
  const MotionTask task(o);
  EXPECT_EQ(task.size(Stream::train), 6u * 10);
  EXPECT_EQ(task.size(Stream::validation), 2u * 5);
  o.held_back = 1;
  expect_error(ErrorCode::usage, "held_back", [&] { MotionTask{o}; });
}

TEST(MotionTask, OfH36mHasTenFramesAndAValidationSubject) {
  const Scratch scratch;
  testing::write_h36m(scratch.path(), 400);  // 200 kept
  TaskOptions o = small(scratch.path());
  o.form = Form::angle;
  o.predicted = 10;
  const MotionTask task(o);
  EXPECT_EQ(task.dct().kept(), 20u);
  EXPECT_EQ(task.schema().variables, 48u);
  EXPECT_EQ(task.size(Stream::train), 30u * (200 - 19));
  EXPECT_EQ(task.size(Stream::validation), 120u);
  EXPECT_EQ(task.size(Stream::test), 120u);
  EXPECT_EQ(task.instance(Stream::test, 0).targets.size(), 48u * 20 * 3);
}

// Short training, evaluation by the protocol, and what is kept of both.
TEST(MotionRuns, AreTrainedTestedAndTakenUpAgain) {
  const Scratch scratch;
  testing::write_cmu(scratch.path() / "data", 161);
  ReportOptions o;
  o.cmu = (scratch.path() / "data").string();
  o.folder = scratch.path() / "runs";
  o.tables = {"cmu-3d"};
  o.networks = {"gcn-small", "fgnn-small"};
  o.epochs = 1;
  o.stride = 10;
  const auto outcomes = reproduce(o);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].errors.at(8).actions, cmu_actions());
  EXPECT_EQ(outcomes[0].errors.at(256).mean.size(), 6u);
  // The same errors by the task's own measures.
  const auto model = network::load_model(o.folder / outcomes[1].run / "model.safetensors");
  const MotionTask task(small(o.cmu));
  const auto measured = tasks::evaluate(model, task, Stream::test, 64, 16, 1);
  for (std::size_t h = 0; h < 6; ++h) {
    EXPECT_NEAR(measured.named[h].value(), outcomes[1].errors.at(8).mean[h], 0.01);
  }
  // Nothing is trained twice, and what was read is what was written.
  const auto again = reproduce(o);
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(line_of(again[0]), line_of(outcomes[0]));
  const auto rows = rows_of(o, again);
  const auto table = printed(table_specs()[0], rows);
  EXPECT_EQ(table.titles.size(), 12u);
  EXPECT_EQ(table.rows[0][1], "convSeq2Seq");
  EXPECT_NE(page(o, rows).find("<animate"), std::string::npos);
  // A forecast goes on beyond what the network predicts at a time.
  const Forecaster forecaster = Forecaster::load((o.folder / outcomes[0].run).string());
  const auto frames = task.corpus().read(Split::test, 1)[0].frames;
  Rows observed;
  for (std::size_t f = 0; f < kObserved; ++f) {
    observed.push_back(forecaster.body().values(frames[f]));
  }
  const Rows far = forecaster.further(observed, 60), near = forecaster({observed})[0];
  ASSERT_EQ(far.size(), 60u);
  EXPECT_EQ(far[24], near[24]);
}

TEST(MotionRuns, OfH36mHaveTheirTables) {
  const Scratch scratch;
  testing::write_h36m(scratch.path() / "data", 400);
  ReportOptions o;
  o.h36m = (scratch.path() / "data").string();
  o.train = false;
  const auto rows = rows_of(o, {});
  const auto table = printed(table_specs()[6], rows);  // 560 and 1000 ms
  ASSERT_GT(table.rows.size(), 4u);
  EXPECT_EQ(table.titles[3], "560 ms");
  const auto fgnn = std::ranges::find_if(
      table.rows, [](const auto& r) { return r[0] == "mean" && r[1] == "FGNN"; });
  ASSERT_NE(fgnn, table.rows.end());
  EXPECT_EQ((*fgnn)[3], "55.9");
  o.train = true;
  o.tables = {"cmu-3d"};
  expect_error(ErrorCode::usage, "name CMU's folder", [&] { reproduce(o); });
}

TEST(Forecaster, RefusesOtherModels) {
  network::Model model;
  model.metadata["task"] = "ldpc";
  expect_error(ErrorCode::usage, "is not a network for motion",
               [&] { Forecaster(model, "ldpc.safetensors"); });
}

}  // namespace
}  // namespace fgnn::motion
