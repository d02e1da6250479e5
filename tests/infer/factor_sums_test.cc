// Sums over a factor against a loop over its joint states, tables and machines alike.
#include "fgnn/infer/sums/factor_sums.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/core/log_math.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

// One factor of this kind; wide enough that structured ones are walked.
FactorGraph one_factor(Rng& rng, const std::string& kind, std::size_t arity) {
  GraphBuilder b;
  std::vector<VariableId> scope;
  std::vector<State> shape;
  for (std::size_t i = 0; i < arity; ++i) {
    shape.push_back(kind == "parity" ? 2 : static_cast<State>(2 + rng.below(3)));
    scope.push_back(b.variable("v" + std::to_string(i), shape.back()));
  }
  b.factor(std::span<const VariableId>(scope), testing::random_potential(rng, kind, shape));
  return std::move(b).build();
}

std::vector<double> slow_messages(const FactorGraph& graph, double temperature,
                                  const std::vector<double>& in) {
  std::vector<double> out(in.size(), kForbidden);
  const auto shape = graph.shape(0);
  std::vector<State> x(shape.size(), 0);
  do {
    const double score = graph.potential(0).score(x) / temperature;
    double total = score;
    for (std::size_t i = 0, slot = 0; i < x.size(); slot += shape[i++]) total += in[slot + x[i]];
    for (std::size_t i = 0, slot = 0; i < x.size(); slot += shape[i++]) {
      double others = score;
      for (std::size_t j = 0, s = 0; j < x.size(); s += shape[j++]) {
        if (j != i) others += in[s + x[j]];
      }
      out[slot + x[i]] = log_add(out[slot + x[i]], others);
    }
  } while (next_configuration(shape, x));
  return out;
}

TEST(FactorSums, MessagesAreThoseOfALoopOverAllJointStates) {
  for (const std::string& kind : testing::all_kinds()) {
    for (std::uint64_t trial = 0; trial < 40; ++trial) {
      Rng rng(21, trial);
      const FactorGraph graph = one_factor(rng, kind, 1 + rng.below(7));
      const double temperature = rng.uniform(0.05, 1);
      Budget budget("test");
      FactorSums sums(graph, budget);
      const double spread = trial % 4 == 0 ? 2000 : 5;
      std::vector<double> in(sums.slots(0));
      for (double& value : in) value = rng.below(8) ? rng.uniform(-spread, 0) : kForbidden;
      std::vector<double> out(in.size());
      sums.messages(0, temperature, in.data(), out.data());
      const auto want = slow_messages(graph, temperature, in);
      for (std::size_t s = 0; s < in.size(); ++s) {
        if (in[s] == kForbidden) continue;
        if (want[s] == kForbidden) {
          EXPECT_EQ(out[s], kForbidden) << kind << trial;
        } else {
          EXPECT_NEAR(out[s], want[s], 1e-8 * (1 + std::abs(want[s]))) << kind << trial;
        }
      }
    }
  }
}

TEST(FactorSums, ExpectationsAreThoseOfALoopOverAllJointStates) {
  for (const std::string& kind : testing::all_kinds()) {
    for (std::uint64_t trial = 0; trial < 40; ++trial) {
      Rng rng(22, trial);
      const FactorGraph graph = one_factor(rng, kind, 1 + rng.below(7));
      const auto shape = graph.shape(0);
      Budget budget("test");
      FactorSums sums(graph, budget);
      std::vector<double> q;
      for (State states : shape) {
        std::vector<double> own(states);
        for (double& p : own) p = rng.below(3) ? rng.uniform(-3, 0) : kForbidden;
        own[rng.below(states)] = 0;
        normalize_exp(own);
        q.insert(q.end(), own.begin(), own.end());
      }
      const std::size_t at = rng.below(shape.size());
      std::vector<double> want(shape[at], 0.0), out(shape[at]);
      std::vector<State> x(shape.size(), 0);
      do {
        double share = 1;
        for (std::size_t i = 0, slot = 0; i < x.size(); slot += shape[i++]) {
          if (i != at) share *= q[slot + x[i]];
        }
        if (share > 0) want[x[at]] += share * graph.potential(0).score(x);
      } while (next_configuration(shape, x));
      sums.expectations(0, at, q.data(), out.data());
      for (State s = 0; s < shape[at]; ++s) {
        if (want[s] == kForbidden) {
          EXPECT_EQ(out[s], kForbidden) << kind << trial;
        } else {
          EXPECT_NEAR(out[s], want[s], 1e-8) << kind << trial;
        }
      }
    }
  }
}

}  // namespace
}  // namespace fgnn
