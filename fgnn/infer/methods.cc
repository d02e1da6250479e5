#include "fgnn/infer/methods.h"

#include <fmt/core.h>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/exact.h"

namespace fgnn {
namespace {

ExactOptions exact_options(const MethodOptions& options) {
  ExactOptions exact;
  exact.max_bytes = options.max_bytes;
  exact.time_limit = options.time_limit;
  exact.threads = options.threads;
  exact.seed = options.seed;
  return exact;
}

}  // namespace

std::string_view name(Task task) { return task == Task::infer ? "infer" : "map"; }

const std::vector<Method>& methods() {
  static const std::vector<Method> kMethods{
      {"exact", Task::infer, "bucket elimination on the cheapest of many orders",
       "exponential in the induced width", "marginals and Z to rounding",
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return exact_marginals(graph, exact_options(options), evidence);
       }},
      {"enumerate", Task::infer, "visits every joint state; the reference for small graphs",
       "product of all numbers of states", "marginals and Z to rounding",
       [](const FactorGraph& graph, const MethodOptions&, const Evidence& evidence) {
         return enumerate_marginals(graph, evidence);
       }},
      {"exact", Task::map, "bucket elimination, then best-first search for the k best",
       "exponential in the induced width", "the optimum, proved",
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return exact_map(graph, exact_options(options), evidence, options.k);
       }},
      {"enumerate", Task::map, "visits every joint state; the reference for small graphs",
       "product of all numbers of states", "the optimum, proved",
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return enumerate_map(graph, evidence, options.k);
       }},
  };
  return kMethods;
}

const Method& find_method(Task task, std::string_view wanted) {
  std::vector<std::string> known;
  for (const Method& method : methods()) {
    if (method.task != task) continue;
    if (method.name == wanted) return method;
    known.push_back(method.name);
  }
  throw Error(ErrorCode::usage, fmt::format("method '{}'", wanted),
              fmt::format("there is no such method for '{}'", name(task)),
              suggestion(wanted, known));
}

}  // namespace fgnn
