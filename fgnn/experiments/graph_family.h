// Graphs that an experiment makes: what `fgnn generate` writes to files and `fgnn compare` solves
// instead of files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fgnn/experiments/arguments.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn::experiments {

struct GraphModel {
  std::string name, description;
};

struct GraphFamily {
  Option datasets;                    // of `compare`: a list of names, such as --synthetic
  std::vector<GraphModel> models;     // the names there are
  std::vector<Option> options;        // which instances of them; how many is asked by all alike
  std::string methods;                // compared where none are given
  std::vector<std::string> examples;  // of `compare`
  std::vector<std::string> generate_examples;  // of `generate`
  // Instance i of a model, the same for the same seed (Arguments::seed) everywhere. Throws
  // Error(usage) when called for what there is not.
  std::function<std::function<FactorGraph(std::uint64_t i)>(const std::string& model,
                                                            const Arguments& options)>
      graphs;
};

// --count and --first: which instances of any family.
std::vector<Option> instance_range();

// Of all experiments.
std::vector<const GraphFamily*> graph_families();

// Throws Error(usage), with the nearest name, when no family has such a model.
const GraphFamily& family_of_model(const std::string& model);

}  // namespace fgnn::experiments
