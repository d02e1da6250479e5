// An algorithm and a graph compiled into a network: its forward pass is k iterations of flooding
// belief propagation, its output the log-beliefs (up to a constant per variable).
//
// The factors' potentials become weights. Unary potentials are features, so that one network serves
// all evidence, and all words of a code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/model.h"

namespace fgnn::neuralize {

enum class Algorithm { max_product, sum_product };
std::string_view name(Algorithm algorithm);
Algorithm algorithm(std::string_view text);  // throws Error(usage)

struct CompileOptions {
  Algorithm algorithm = Algorithm::sum_product;
  std::size_t iterations = 10;
  double damping = 0;  // share of the old message kept

  // What can be learned beside the algorithm (sum-product only): latents on edges and product
  // channels, without effect at the start. Untied, every iteration has weights of its own.
  std::size_t latents = 0, channels = 0;
  bool untied = false;
  bool train_potentials = false;  // or only what is beside them
  std::uint64_t seed = 0;         // of the weights that have no effect yet

  void validate() const;  // throws Error(usage)
};

// Sum-product takes potentials with an exact sum of at most kMostRank rank-1 terms
// (Potential::low_rank), max-product those with an exact maximum of at most kMostTerms
// (decompose/max_rank_one.h). Throws Error(unsupported) naming a factor that has none, Error(model)
// naming one that forbids every joint state.
inline constexpr std::size_t kMostRank = 65536, kMostTerms = 4096;
network::Model compile(const FactorGraph& graph, const CompileOptions& options);

// The features of a graph for a network compiled from it; unary potentials may be others. Throws
// Error(unsupported) when the network was compiled from another graph, or naming a variable whose
// log-values max-product would take for forbidden.
network::Batch features(const FactorGraph& graph, const network::Model& model);

// Whether compile() made the model.
bool is_compiled(const network::Model& model);

// Log-values below this stand for "forbidden" in the features and beliefs of a compiled network.
double forbidden_below(const network::Model& model, const std::string& subject = "network");

}  // namespace fgnn::neuralize
