// Every way of solving a graph, by name: the one list that `fgnn infer`, `fgnn map`, `fgnn list
// methods` and comparisons read. A new method is one entry in own_methods.cc, or in another program
// a call of add_method (examples/08_custom_method.cc). Any thread may add and ask.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/method_options.h"
#include "fgnn/infer/result.h"

namespace fgnn {

enum class Query {
  infer,  // marginals and, where the method gives it, the partition function
  map,    // the assignment of the highest score
};

std::string_view name(Query query);

struct Method {
  std::string name;
  Query query;
  std::string description, cost, guarantee;  // one line each, for `fgnn list methods`
  std::vector<std::string> settings;         // names of the MethodSettings it takes
  std::function<Result(const FactorGraph&, const MethodOptions&, const Evidence&)> run = {};
  // Keeps messages on all edges: graphs whose messages would exceed the memory are refused before.
  bool passes_messages = false;

  bool takes(std::string_view setting) const;
  // Throws Error(usage) for a setting that is given and not taken.
  Result solve(const FactorGraph& graph, const MethodOptions& options,
               const Evidence& evidence) const;
  void check(const MethodOptions& options) const;
};

// Those known by now: `infer` first, each in the order in which they were added.
std::vector<Method> methods();

// One more. Its answers must be finished (finish.h). Throws Error(usage) when the query has one of
// that name, or the name holds a colon or a comma.
void add_method(Method method);

// Methods made from a file, such as a trained network: "prefix:FILE". A source is asked once per
// name.
using MethodSource = std::function<Method(Query query, const std::string& file)>;
void add_method_source(std::string prefix, MethodSource source);

// Stays as long as the program. Throws Error(usage) for an unknown name, with the nearest known
// one.
const Method& find_method(Query query, std::string_view name);

// A method with settings of its own: "max-product:damping=0.5,iterations=50".
struct MethodVariant {
  std::string label;  // the text
  const Method* method = nullptr;
  MethodOptions options;
};

// Variants separated by commas; a piece without a colon that has an equals sign belongs to the
// variant before it. `common` are settings for all methods that take them; one that none of them
// takes is refused, as is everything unknown (Error usage).
std::vector<MethodVariant> parse_variants(Query query, std::string_view text,
                                          const MethodOptions& common);

}  // namespace fgnn
