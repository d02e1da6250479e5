// Random models that are too wide for elimination when they are large, of the kinds on which
// solvers are compared. Instance i of a seed is the same on every machine.
//
//   grid      rows x columns variables of q states, Potts couplings between neighbours:
//             log phi(a, b) = J [a = b], J ~ U[-s, s] (mixed), U[0, s] (attractive) or
//             U[-s, 0] (repulsive); unary log-potentials U[-f, f]. Two states: an Ising model.
//   wcsp      weighted CSP: a share `density` of all pairs of variables has a table in which a
//             share `tightness` of the entries costs 1 … `costs` (log phi = -cost), or forbids
//             with probability `hard`; so do unary tables. A planted assignment is never forbidden.
//   noisy-or  a Promedas-like network: diseases with small priors, findings f that are
//             true with 1 - (1 - leak) prod_i (1 - w_i x_i) over a few of them, all observed.
//             A negative finding is a product, so it goes to the unaries; a positive one is a
//             factor, a table or (form low-rank) two rank-1 terms. With three layers diseases
//             cause syndromes, variables of their own, and these the findings.
//   cnf       random k-SAT: clauses over k variables with random signs that forbid one state, and
//             a weight U[-w, w] on each variable's truth. `satisfiable`: a planted assignment
//             satisfies all clauses.
#pragma once

#include <cstdint>
#include <string>

#include "fgnn/core/random.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn::wide {

enum class Couplings { mixed, attractive, repulsive };
enum class Form { table, low_rank };

struct GridOptions {
  std::size_t rows = 20, columns = 20;
  State states = 2;
  double strength = 2, field = 1;
  Couplings couplings = Couplings::mixed;

  void validate() const;  // throws Error(usage), as all below
};

struct WcspOptions {
  std::size_t variables = 50;
  State states = 4;
  double density = 0.1, tightness = 0.3, hard = 0;
  std::uint64_t costs = 10;

  void validate() const;
};

struct NoisyOrOptions {
  std::size_t diseases = 100, findings = 100;
  std::size_t parents = 6;  // of a finding or a syndrome: 2 … this many
  int layers = 2;
  double leak = 0.01;
  double positive = 0.3;  // share of the findings
  Form form = Form::table;

  void validate() const;
};

struct CnfOptions {
  std::size_t variables = 100;
  std::size_t literals = 3;  // of a clause
  double ratio = 4;          // clauses per variable
  double weight = 1;
  bool satisfiable = false;

  void validate() const;
};

FactorGraph instance(const GridOptions& options, Rng rng);
FactorGraph instance(const WcspOptions& options, Rng rng);
FactorGraph instance(const NoisyOrOptions& options, Rng rng);
FactorGraph instance(const CnfOptions& options, Rng rng);

// A share of something, between 0 and 1.
void check_share(const char* name, double value);
void check_whole(const char* name, std::size_t value, std::size_t least, std::size_t most);

}  // namespace fgnn::wide
