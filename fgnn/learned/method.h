// A trained network as a method: find_method knows "fgnn:weights.safetensors" (and "neuralized:…",
// which is the same) beside "ad3" and "exact".
//
// The network must have been trained on the synthetic family (experiments/synthetic/task.h); it
// takes any graph of binary variables whose factors are pairs of finite log-potentials and budgets
// ("at most k of these", as counts or as tables, as UAI files have them), of any size. The order of
// variables in a scope does not matter. Unless asked not to, the answer is repaired
// (infer/repair.h): where there are only budgets, turning variables off always leads to an allowed
// one.
//
// Networks compiled from a graph (neuralize/compile.h) take that graph, whatever its unary
// potentials, and those of sum-product give marginals too.
#pragma once

#include <string>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/methods.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/program.h"

namespace fgnn::learned {

// The features of a graph for a network with this schema. Throws Error(unsupported) naming the
// variable or factor that is not of the family.
network::Batch features_of(const FactorGraph& graph, const network::Schema& schema);

// Reads the file, or the shipped network of that name (weights.h). Throws Error(format, io), and
// Error(unsupported) for another query's model.
Method learned_method(Query query, const std::string& file);

}  // namespace fgnn::learned
