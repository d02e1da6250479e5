// A layer of your own in the text of a network: "Gate(16)" multiplies what FC(16) would give by a
// sigmoid of the same rows. It is trained and saved like the layers that come with the library.
#include <cstdio>
#include <cstdlib>

#include "fgnn/fgnn.h"

using namespace fgnn;
using network::LayerCall;

void gate(LayerCall& call) {
  if (call.arguments.size() != 1) call.writer.fail("needs one width", "write Gate(16)");
  const auto width = static_cast<std::size_t>(std::atoi(call.arguments[0].c_str()));
  network::Writer& w = call.writer;
  const int value =
      w.linear(call.name + ".value", {call.variables}, width, true, network::Activation::relu);
  const int open =
      w.linear(call.name + ".gate", {call.variables}, width, true, network::Activation::sigmoid);
  const int out = w.add_register(w.place(value), width);
  w.push(network::Multiply{value, open, out});
  call.variables = out;
}

// Points in the plane; is one inside the ring between two circles?
tasks::Labelled points(Rng& random, std::uint32_t n) {
  tasks::Labelled graph;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), r = x * x + y * y;
    graph.batch.variable.insert(graph.batch.variable.end(), {x, y});
    graph.classes.push_back(r > 0.2 && r < 0.7);
  }
  graph.batch.structure = std::make_shared<network::Structure>(n, std::vector<network::Relation>{});
  return graph;
}

int main() {
  network::add_layer("Gate", gate);
  Rng random(3);
  std::vector<tasks::Labelled> train, validation;
  for (int i = 0; i < 200; ++i) train.push_back(points(random, 20));
  for (int i = 0; i < 20; ++i) validation.push_back(points(random, 20));
  const tasks::MemoryTask task({2, {}}, tasks::Loss::cross_entropy, train, validation);
  network::Description description;
  description.network = "2*Gate(32) - Out(2)";
  const auto report = train::train(task, description,
                                   {.steps = 400, .batch = 20, .interval = 200, .rate = 1e-2}, {});
  std::printf("validation accuracy %.1f %%\n", 100 * report.validation.accuracy());
  return report.validation.accuracy() > 0.9 ? 0 : 1;
}
