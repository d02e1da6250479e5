// Training on ranks: what they measure together, and runs that they go on with.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/scratch.h"
#include "tests/train/runs.h"

namespace fgnn {
namespace {

using cluster::world;
using tasks::Labelled;
using tasks::Stream;

train::TrainOptions some_options() {
  train::TrainOptions o;
  o.steps = 40;
  o.batch = 8;
  o.interval = 5;
  o.validation = 40;
  o.rate = 0.01;
  o.warmup = 0;
  o.schedule = "constant";
  o.threads = 1;
  return o;
}

// The same folder for all.
class Folder {
 public:
  Folder() : path_(own_.path().string()) { world().broadcast(path_); }
  // None leaves while others are still at it.
  ~Folder() { world().barrier(); }
  std::filesystem::path path() const { return path_; }

 private:
  testing::Scratch own_;
  std::string path_;
};

// The last steps unlearn, so that the best model is an early one.
void turn(Stream stream, std::uint64_t i, Labelled& l) {
  if (stream != Stream::train || i < 15 * 8) return;
  for (auto& c : l.classes) c = 1 - c;
}

TEST(TrainingOnRanks, ARunGoesOnWithItsBestModel) {
  const synthetic::SyntheticTask chains(testing::short_chains());
  const testing::Altered turning(chains, turn);
  const testing::Altered dying(chains, [](Stream stream, std::uint64_t i, Labelled& l) {
    if (stream == Stream::train && i >= 30 * 8) throw std::runtime_error("killed");
    turn(stream, i, l);
  });
  const Folder folder;
  const auto o = some_options();
  const auto network = testing::small_network();
  EXPECT_THROW(train::train(dying, network, o, {folder.path()}, world()), std::runtime_error);
  world().barrier();
  const auto report =
      train::train(turning, network, o, {folder.path(), train::Start::resume}, world());
  EXPECT_EQ(report.first_step, 30u);
  EXPECT_EQ(report.steps, 40u);
  const auto model = network::load_model(folder.path() / "model.safetensors");
  EXPECT_LE(std::stoi(model.metadata.at("steps")), 20);
  EXPECT_EQ(report.model.weights, model.weights);
  const auto alone = tasks::evaluate(model, turning, Stream::validation, o.validation, 128, 1);
  EXPECT_EQ(report.validation.correct, alone.correct);
  EXPECT_EQ(report.validation.loss, alone.loss);
}

class Spread final : public tasks::LossRule {
 public:
  std::string_view name() const override { return "spread"; }
  void graph(const tasks::GraphOutput& g, tasks::Metrics& metrics,
             std::span<double> gradient) const override {
    double sum = 0;
    for (const double x : g.output) sum += x * x;
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = 2 * g.output[i];
    metrics.loss += sum;
    metrics.add_graph(0, static_cast<double>(g.rows()));
    metrics.add_named("spread", "mm", std::sqrt(sum), 1);
    metrics.add_named("first", "", g.output[0], 0.5);
  }
};

TEST(TrainingOnRanks, MeasuresOfATaskHaveTheBitsOfOneProcess) {
  static const Spread spread;
  const synthetic::SyntheticTask chains(testing::short_chains());
  std::vector<Labelled> graphs;
  for (std::uint64_t i = 0; i < 30; ++i) {
    graphs.push_back(chains.instance(Stream::test, i));
    graphs.back().targets.resize(2 * graphs.back().batch.structure->variables());
  }
  const tasks::MemoryTask task(chains.schema(), tasks::Loss(spread), graphs, graphs);
  auto description = testing::small_network();
  description.schema = task.schema();
  const network::Model model(description, 1);
  const auto alone = tasks::evaluate(model, task, Stream::validation, 30, 4, 1);
  const auto together = tasks::evaluate(model, task, Stream::validation, 30, 4, 1, world());
  EXPECT_EQ(together.loss, alone.loss);
  ASSERT_EQ(together.named.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(together.named[i].name, alone.named[i].name);
    EXPECT_EQ(together.named[i].unit, alone.named[i].unit);
    EXPECT_EQ(together.named[i].sum, alone.named[i].sum);
    EXPECT_EQ(together.named[i].weight, alone.named[i].weight);
  }
}

}  // namespace
}  // namespace fgnn
