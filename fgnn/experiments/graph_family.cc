#include "fgnn/experiments/graph_family.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/experiments/experiment.h"

namespace fgnn::experiments {

std::vector<Option> instance_range() {
  return {{"--count", "N", "How many instances", Option::Kind::positive, "1"},
          {"--first", "N", "Number of the first instance", Option::Kind::whole, "0"}};
}

std::vector<const GraphFamily*> graph_families() {
  std::vector<const GraphFamily*> all;
  for (const Experiment& experiment : list()) {
    for (const GraphFamily& family : experiment.graphs) all.push_back(&family);
  }
  return all;
}

const GraphFamily& family_of_model(const std::string& model) {
  std::vector<std::string> known;
  for (const GraphFamily* family : graph_families()) {
    for (const GraphModel& own : family->models) {
      if (own.name == model) return *family;
      known.push_back(own.name);
    }
  }
  throw Error(ErrorCode::usage, fmt::format("'{}'", model), "there is no such model",
              suggestion(model, known));
}

}  // namespace fgnn::experiments
