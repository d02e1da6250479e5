// The methods that search for the best assignment, and the automatic choice, with their settings.
#include "fgnn/infer/automatic.h"
#include "fgnn/infer/cost_search.h"
#include "fgnn/infer/own_methods.h"
#include "fgnn/infer/search.h"
#include "fgnn/infer/trws.h"

namespace fgnn {
namespace {

AutomaticOptions automatic_options(const MethodOptions& options) {
  return {{options}, options.k.value_or(1)};
}

Result sweeps(const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
  auto own = limited<TrwsOptions>(options);
  take(own.iterations, options.iterations);
  take(own.tolerance, options.tolerance);
  own.repair = options.rounding != Rounding::argmax;
  return trws(graph, own, evidence);
}

Result neighbourhoods(const FactorGraph& graph, const MethodOptions& options,
                      const Evidence& evidence) {
  auto own = limited<SearchOptions>(options);
  own.threads = options.threads;
  return neighbourhood_search(graph, own, evidence);
}

}  // namespace

Method automatic_method(Query query) {
  if (query == Query::infer) {
    return {"auto",
            query,
            "exact where it fits, else approximations, with bounds of ln Z",
            "at most the time limit; 30 s without one",
            "exact where the status says so; bounds are proved",
            {},
            [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
              return automatic_marginals(graph, automatic_options(options), evidence);
            }};
  }
  return {"auto",
          query,
          "exact where it fits, else branch and bound and search",
          "at most the time limit; 30 s without one",
          "an upper bound; the optimum where they meet",
          {"k"},
          [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
            return automatic_map(graph, automatic_options(options), evidence);
          }};
}

std::vector<Method> search_methods() {
  return {
      {"trw-s",
       Query::map,
       "linear relaxation by tree-reweighted sweeps, for factors with small tables",
       "iterations x sum over factors of arity x table",
       "an upper bound that only falls; the optimum where they meet",
       {"iterations", "tolerance", "rounding"},
       sweeps},
      {"branch",
       Query::map,
       "branch and bound on costs in small tables, kept arc consistent",
       "per node: the tables of what changes; exponential in the worst case",
       "the optimum, proved; a bound when stopped",
       {},
       [](const FactorGraph& graph, const MethodOptions& options, const Evidence& evidence) {
         return cost_search(graph, limited<CostSearchOptions>(options), evidence);
       }},
      {"search",
       Query::map,
       "exact elimination of most variables at a time, the others held; tabu search",
       "per round: variables x joint states of narrow cliques",
       "no worse than max-product; proved where nothing is held",
       {},
       neighbourhoods},
  };
}

}  // namespace fgnn
