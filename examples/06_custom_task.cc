// A task of your own: graphs, features, labels; train, save, load, predict.
//
// A ring of switches, each on or off; one is of class 1 when it and both its neighbours are on. The
// network sees the switches and the factors that join three in a row.
#include <fmt/core.h>

#include <filesystem>

#include "fgnn/core/random.h"
#include "fgnn/network/run.h"
#include "fgnn/train/trainer.h"

using namespace fgnn;

// One graph: a variable per switch, one factor over each three in a row, edges of three kinds.
tasks::Labelled ring(Rng& random, std::uint32_t n) {
  network::Relation triple;
  triple.factors = n;
  triple.kinds = 3;  // the position in the triple: Q has a matrix for each
  tasks::Labelled graph;
  for (std::uint32_t i = 0; i < n; ++i) graph.batch.variable.push_back(random.below(2) ? 1.0 : 0.0);
  for (std::uint32_t c = 0; c < n; ++c) {
    for (std::uint32_t j = 0; j < 3; ++j) {
      triple.factor.push_back(c);
      triple.variable.push_back((c + j) % n);
      triple.kind.push_back(j);
    }
  }
  const auto& x = graph.batch.variable;
  for (std::uint32_t i = 0; i < n; ++i) {
    graph.classes.push_back(x[i] > 0 && x[(i + 1) % n] > 0 && x[(i + n - 1) % n] > 0);
  }
  graph.batch.structure = std::make_shared<network::Structure>(n, std::vector{triple});
  graph.batch.relations.resize(1);  // these factors have no features of their own
  return graph;
}

int main() {
  Rng random(1);
  std::vector<tasks::Labelled> train, validation;  // rings of different sizes in one batch
  for (int i = 0; i < 200; ++i) train.push_back(ring(random, 5 + i % 6));
  for (int i = 0; i < 50; ++i) validation.push_back(ring(random, 12));
  const network::Schema schema{1, {{"triple", /*factor_features=*/0, /*kinds=*/3}}};
  const tasks::MemoryTask task(schema, tasks::Loss::cross_entropy, train, validation);

  network::Description description;
  description.network = "2*FGNN(16) - Out(2)";
  const train::TrainOptions options{.steps = 300, .batch = 20, .interval = 100, .rate = 1e-2};
  const auto report = train::train(task, description, options, {});
  fmt::print("validation accuracy {:.1f} %\n", 100 * report.validation.accuracy());

  const auto file = std::filesystem::temp_directory_path() / "fgnn-custom-task.safetensors";
  network::save_model(file, report.model);
  network::Runner<float> runner(network::load_model(file));
  std::filesystem::remove(file);
  const auto logits = runner.run(ring(random, 20).batch);
  fmt::print("first switch of a new ring: class {}\n", logits[1] > logits[0]);
  return report.validation.accuracy() > 0.99 ? 0 : 1;
}
