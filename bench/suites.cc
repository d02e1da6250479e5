// The one list of suites.
#include <fmt/core.h>

#include <cmath>

#include "bench/suite.h"
#include "bench/suite_codes.h"
#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"

namespace fgnn::bench {

const std::vector<Suite>& suites() {
  static const std::vector<Suite> kSuites{
      {"graph", "building a graph of a million variables and five million edges",
       "vectors of vectors", run_graph},
      {"exact", "exact MAP and marginals of a chain with budgets, on a plan made once",
       "a dynamic programme written for this model", run_exact},
      {"io", "writing and reading a large graph as .fgt and .uai",
       "reading the same numbers with std::istream >>", run_io},
      {"bp", "flooding iterations of belief propagation on tables and low-rank factors",
       "flat arrays, the same algorithm without SIMD", run_bp},
      {"bp-large", "a grid of a million variables, time per iteration and peak memory",
       "flat arrays, the same algorithm without SIMD", run_bp_large},
      {"map", "MAP solvers on the paper's chains with budgets, time per instance",
       "a dynamic programme; max-product on flat arrays", run_map},
      {"proofs", "proofs of the optimum on the models of a folder (--data), one thread",
       "toulbar2 on the same files, started and ended likewise", run_proofs},
      {"codes", "decoders of a (96,48) code at 2 dB, at most 50 iterations, one thread",
       "sum-product with tanh in double, one word at a time", run_codes},
      {"cluster", "sums over the ranks of a run (mpirun), from 8 bytes to 16 MB", "none",
       run_cluster},
      {"learn", "training and inference of a network on the paper's chains with budgets",
       "the same network in eager PyTorch", run_learn},
  };
  return kSuites;
}

const Suite& find_suite(std::string_view wanted) {
  std::vector<std::string> known;
  for (const Suite& suite : suites()) {
    if (suite.name == wanted) return suite;
    known.push_back(suite.name);
  }
  throw Error(ErrorCode::usage, fmt::format("suite '{}'", wanted), "there is no such suite",
              suggestion(wanted, known));
}

void require_equal(double library, double baseline, std::string_view what) {
  if (library == baseline) return;
  if (std::abs(library - baseline) <= 1e-9 * (1 + std::abs(baseline))) return;
  throw Error(ErrorCode::internal, std::string(what),
              fmt::format("the library says {}, the baseline {}", library, baseline));
}

}  // namespace fgnn::bench
