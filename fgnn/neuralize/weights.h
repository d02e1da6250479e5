// Networks of the items SumProduct and MaxProduct (network/propagation.h) with the weights that do
// not depend on potentials: those that make them the algorithms.
#pragma once

#include <string>
#include <vector>

#include "fgnn/neuralize/compile.h"
#include "fgnn/neuralize/layers.h"

namespace fgnn::neuralize {

// What was compiled, into the model's metadata.
void describe_compilation(network::Model& model, const CompileOptions& options);

// One rank for each relation. The first `states` unary features are the log-potentials. Latents,
// where there are any, have no effect.
network::Model sum_product_network(const network::Schema& schema, std::size_t states,
                                   const std::vector<std::size_t>& ranks,
                                   const CompileOptions& options);
// U and D of a relation, in all iterations.
void fill_tables(network::Model& model, const std::string& relation, const Matrices& up,
                 const Matrices& down, const CompileOptions& options);
// lambda = exp(features potential) lambda
void fill_lambda(network::Model& model, const std::string& relation, const Dense& potential,
                 const Dense& lambda);

// `forbidden` is the cost at which everything is clamped.
network::Model max_product_network(const network::Schema& schema,
                                   const std::vector<std::size_t>& terms,
                                   const std::vector<std::size_t>& positions,
                                   const std::vector<std::size_t>& slots, double forbidden,
                                   const CompileOptions& options);
void fill_potential(network::Model& model, const std::string& relation, const Dense& potential,
                    const Matrices& phi);

}  // namespace fgnn::neuralize
