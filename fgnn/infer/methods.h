// Every way of solving a graph, by name: the one list that `fgnn infer`, `fgnn map`, `fgnn list
// methods` and comparisons read. A new method is one entry in methods.cc.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/core/types.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

enum class Task {
  infer,  // marginals and, where the method gives it, the partition function
  map,    // the assignment of the highest score
};

std::string_view name(Task task);

// What a caller may ask of any method; each takes what applies to it and ignores the rest.
struct MethodOptions {
  std::uint64_t max_bytes = std::uint64_t{8} << 30;  // for methods that build large tables
  double time_limit = kInfinity;                     // seconds
  int threads = 0;                                   // 0: all processors
  std::uint64_t seed = 0;
  std::size_t k = 1;  // how many best assignments (task map)
};

struct Method {
  std::string name;
  Task task;
  std::string description, cost, guarantee;  // one line each, for `fgnn list methods`
  std::function<Result(const FactorGraph&, const MethodOptions&, const Evidence&)> solve;
};

const std::vector<Method>& methods();

// Throws Error(usage) for an unknown name, with the nearest known one.
const Method& find_method(Task task, std::string_view name);

}  // namespace fgnn
