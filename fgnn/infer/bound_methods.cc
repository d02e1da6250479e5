// The methods that bound ln Z, approximate it by clusters or sample, with their settings.
#include "fgnn/infer/gibbs.h"
#include "fgnn/infer/join_graph.h"
#include "fgnn/infer/mean_field.h"
#include "fgnn/infer/mini_bucket.h"
#include "fgnn/infer/own_methods.h"
#include "fgnn/infer/tree_reweighted.h"

namespace fgnn {
namespace {

Result trw(const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
  auto own = limited<TreeReweightedOptions>(options);
  take(own.iterations, options.iterations);
  take(own.damping, options.damping);
  take(own.tolerance, options.tolerance);
  return tree_reweighted(graph, own, evidence);
}

Result field(const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
  auto own = limited<MeanFieldOptions>(options);
  take(own.iterations, options.iterations);
  take(own.restarts, options.restarts);
  take(own.tolerance, options.tolerance);
  return mean_field(graph, own, evidence);
}

MiniBucketOptions bucket_options(const MethodOptions& options) {
  auto own = limited<MiniBucketOptions>(options);
  take(own.ibound, options.ibound);
  take(own.weights, options.weights);
  return own;
}

Result clusters(const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
  auto own = limited<JoinGraphOptions>(options);
  take(own.ibound, options.ibound);
  take(own.iterations, options.iterations);
  take(own.damping, options.damping);
  take(own.tolerance, options.tolerance);
  return join_graph(graph, own, evidence);
}

Result sampler(const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
  auto own = limited<GibbsOptions>(options);
  take(own.chains, options.chains);
  take(own.sweeps, options.sweeps);
  own.threads = options.threads;
  return gibbs(graph, own, evidence);
}

}  // namespace

std::vector<Method> bound_methods() {
  return {
      {"join-graph",
       Query::infer,
       "sum-product on clusters of at most 2^ibound joint states",
       "per iteration: clusters x 2^ibound",
       "exact where no variable is split",
       {"ibound", "iterations", "damping", "tolerance"},
       clusters},
      {"mini-bucket",
       Query::infer,
       "bucket elimination in parts of at most 2^ibound joint states",
       "variables x 2^ibound",
       "bounds of ln Z on both sides",
       {"ibound", "weights"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return mini_bucket_marginals(graph, bucket_options(options), evidence);
       }},
      {"trw",
       Query::infer,
       "tree-reweighted belief propagation on forests of factors",
       "per iteration: that of sum-product",
       "an upper bound of ln Z, exact on trees",
       {"iterations", "damping", "tolerance"},
       trw},
      {"mean-field",
       Query::infer,
       "the best independent variables by coordinate ascent",
       "per pass: arity x joint states of tables; n^3 for counts",
       "a lower bound of ln Z",
       {"iterations", "restarts", "tolerance"},
       field},
      {"gibbs",
       Query::infer,
       "annealed importance sampling, then Gibbs sampling",
       "per pass and chain: edges x states",
       "a 95 % interval of ln Z, no proof",
       {"chains", "sweeps"},
       sampler},
      {"mini-bucket",
       Query::map,
       "bucket elimination in parts of at most 2^ibound joint states",
       "variables x 2^ibound",
       "an upper bound; the optimum where they meet",
       {"ibound"},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return mini_bucket_map(graph, bucket_options(options), evidence);
       }},
  };
}

}  // namespace fgnn
