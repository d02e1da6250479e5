// Loopy belief propagation on factor graphs, in the sum and the max semiring.
//
//   n_{i->c}(x_i) = theta_i(x_i) + sum_{d != c} m_{d->i}(x_i)
//   m_{c->i}(x_i) = reduce_{x_c \ x_i} [ log phi_c(x_c) + sum_{j != i} n_{j->c}(x_j) ]
//   b_i(x_i)      = theta_i(x_i) + sum_c m_{c->i}(x_i)
//
// reduce is log-sum-exp (sum-product) or max (max-product), or T log-sum-exp(./T) for a temperature
// T between them. Exact on trees. One pass over a factor gives all its outgoing messages, at a cost
// that fits its potential: tables 2 x entries, low-rank and max of rank-1 linear in the arity,
// counts arity x count, parity linear. Factors of one shape are updated together with SIMD.
//
// Kschischang, Frey, Loeliger (2001); Elidan, McGraw, Koller (2006) for the residual schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/core/words.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

enum class Schedule {
  flooding,    // all factors from the same beliefs; parallel
  sequential,  // factor after factor in their order, each from the latest beliefs
  random,      // the same in a new random order every iteration
  residual,    // always the factor whose messages would change most
  layered,     // factors without common variables together, layer after layer
};
const Words<Schedule>& words_of(Schedule);

// The default schedule has the smallest errors over the UAI families of those that cost no more per
// iteration than flooding does without SIMD; residual with a damping of 0.1 is more accurate and 10
// to 30 times slower (docs/algorithms.md has the measurement). Flooding is the fastest per
// iteration by far, and the most often wrong.
inline constexpr double kMaxDamping = 0.3;

struct BpOptions {
  Schedule schedule = Schedule::sequential;
  std::size_t iterations = 200;  // one iteration updates as many factors as there are
  double tolerance = 1e-8;       // stop when no message changes by more; 0: never
  // Share of the old message kept, 0 <= damping < 1. Absent: 0 for sums, kMaxDamping for maxima.
  std::optional<double> damping;
  double temperature = 1;  // of sum-product; towards 0 it becomes max-product
  bool single_precision = false;
  bool decimate = true;    // max-product: decode consistently, one variable after another
  int threads = 0;         // 0: all processors
  std::uint64_t seed = 0;  // of the random schedule
  double time_limit = kInfinity;
  Control control;  // who looks on, and may ask to stop

  void validate() const;  // throws Error(usage)
  bool operator==(const BpOptions&) const = default;
};

Fields fields(const BpOptions& options);

// Marginals, the Bethe approximation of log Z (natural), messages, trace of residuals.
Result sum_product(const FactorGraph& graph, const BpOptions& options = {},
                   const Evidence& evidence = {}, const Messages* warm = nullptr);

// A decoded assignment with its score; marginals hold the normalised max-marginals. Without
// decimation every variable takes the state of its own best belief (ties: the lowest state).
Result max_product(const FactorGraph& graph, const BpOptions& options = {},
                   const Evidence& evidence = {}, const Messages* warm = nullptr);

// The belief of a factor's joint states, given messages: probabilities in table order. Throws
// Error(too_large) when the table is.
std::vector<double> factor_belief(const FactorGraph& graph, const Messages& messages, FactorId c,
                                  double temperature = 1);

}  // namespace fgnn
