// Sampling: annealed importance sampling for ln Z (Neal 2001), then Gibbs sampling for marginals.
//
// A chain starts from the unary potentials alone, whose sum Z_0 is known, and brings the factors in
// by degrees, beta = 0 ... 1,
//   f_beta(x) = sum_i theta_i + sum_c ( beta theta_c, or -beta / (1 - beta) where c forbids x ),
// with a pass of Gibbs sampling at each: every variable anew from its distribution given the
// others. The weight w = exp( sum_k f_{beta_k}(x_k) - f_{beta_{k-1}}(x_k) ) has the mean Z / Z_0,
// however badly the chain mixes; a chain that ends where something is forbidden has weight 0. It
// goes on at beta = 1, and marginals are means of the distributions from which it drew there.
//
// The mean over chains estimates Z. The interval is that of their spread (Student's t, 95 %); where
// fewer than half of the chains carry the weight it is open above, and below by Markov's
// inequality, which needs no more than the mean. Neither is a proof. What is proved is that Z is at
// least what the best assignment adds to it. Diagnosis: how many chains the weights amount to
// (effective sample size), and how much chains differ beside their own spread (R-hat, Gelman and
// Rubin 1992).
#pragma once

#include <cstdint>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

struct GibbsOptions {
  std::size_t chains = 16;   // independent; two at least
  std::size_t sweeps = 500;  // passes over all variables: so many while factors come in, and after
  int threads = 0;           // 0: all processors; the answer is the same
  std::uint64_t seed = 0;
  std::uint64_t max_bytes = std::uint64_t{8} << 30;  // Error(too_large) above
  double time_limit = kInfinity;
  Control control;

  void validate() const;  // throws Error(usage)
  bool operator==(const GibbsOptions&) const = default;
};

Fields fields(const GibbsOptions& options);

// Marginals, an estimate of ln Z with its interval, and the diagnosis in the message. Status
// converged where R-hat is below 1.1 and the weights amount to a quarter of the chains.
Result gibbs(const FactorGraph& graph, const GibbsOptions& options = {},
             const Evidence& evidence = {});

}  // namespace fgnn
