#include "fgnn/experiments/synthetic/entrants.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/core/timing.h"
#include "fgnn/infer/methods.h"
#include "fgnn/infer/repair.h"
#include "fgnn/io/input_file.h"
#include "fgnn/network/fingerprint.h"
#include "fgnn/network/run.h"

namespace fgnn::synthetic {
namespace {

// A solver that takes one problem after another.
template <class Solve>
Solver one_by_one(Solve solve) {
  return [solve](std::span<const Problem> problems) {
    std::vector<Answer> answers;
    for (const Problem& p : problems) {
      const Stopwatch watch;
      answers.push_back({solve(p), 0});
      answers.back().seconds = watch.seconds();
    }
    return answers;
  };
}

// A network with its buffers, and the task that knows its features.
class NetworkSolver {
 public:
  NetworkSolver(const network::Model& model, const SyntheticTaskOptions& data, bool repaired)
      : task_(data), runner_(model), repaired_(repaired) {}

  std::vector<Answer> solve(std::span<const Problem> problems) {
    const Stopwatch watch;
    std::vector<network::Batch> graphs;
    for (const Problem& p : problems) graphs.push_back(task_.features(p.numbers));
    const auto logits = runner_.run(network::Batch::of(graphs), 1);
    std::vector<Answer> answers(problems.size());
    std::size_t row = 0;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      auto& states = answers[i].assignment;
      states.resize(problems[i].numbers.unary.size());
      for (State& x : states) {
        x = logits[2 * row + 1] > logits[2 * row] ? 1 : 0;
        ++row;
      }
      if (repaired_) states = repair(problems[i].graph, std::move(states)).assignment;
    }
    const double each = watch.seconds() / static_cast<double>(problems.size());
    for (Answer& answer : answers) answer.seconds = each;
    return answers;
  }

 private:
  SyntheticTask task_;
  network::Runner<float> runner_;
  bool repaired_;
};

}  // namespace

Entrant classical(std::string method, std::string how, double time_limit) {
  MethodOptions options;
  options.threads = 1;
  options.time_limit = time_limit;
  const auto variant = parse_variants(Query::map, how, options).at(0);
  return {std::move(method), std::move(how),
          [variant] {
            return one_by_one([variant](const Problem& p) {
              return variant.method->solve(p.graph, variant.options, {}).assignment;
            });
          },
          "", time_limit < kInfinity ? fmt::format("{} s at most", time_limit) : ""};
}

Entrant exact_search() {
  return {"exact", "dynamic programme over the last variables",
          [] { return one_by_one([](const Problem& p) { return exact_labels(p.numbers); }); }, ""};
}

Entrant network(std::string method, std::string how, network::Model model,
                const SyntheticTaskOptions& data, bool repaired) {
  const auto shared = std::make_shared<const network::Model>(std::move(model));
  std::string identity = network::identity(*shared);
  return {std::move(method), std::move(how),
          [shared, data, repaired]() -> Solver {
            const auto solver = std::make_shared<NetworkSolver>(*shared, data, repaired);
            return [solver](std::span<const Problem> problems) { return solver->solve(problems); };
          },
          "", std::move(identity)};
}

Entrant trained(std::string method, const std::filesystem::path& weights, const std::string& name,
                const std::string& training, const SyntheticTaskOptions& data, bool repaired) {
  const auto file = weights / (name + ".safetensors");
  const std::string how = "fgnn:" + name + (repaired ? "" : ",rounding=argmax");
  if (file_exists(file)) {
    return network(std::move(method), how, network::load_model(file), data, repaired);
  }
  return {std::move(method),
          how,
          {},
          fmt::format("no {0}.safetensors: fgnn train synthetic {1} --out runs/{0}, then copy its "
                      "model.safetensors to the weights as {0}.safetensors",
                      name, training)};
}

Entrant untrained(std::string method, const std::string& preset, const SyntheticTaskOptions& data) {
  network::Description description = network::describe(preset);
  description.schema = SyntheticTask(data).schema();
  return network(std::move(method), "preset " + preset + ", random weights",
                 network::Model(std::move(description), 0), data);
}

}  // namespace fgnn::synthetic
