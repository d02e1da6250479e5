#include "fgnn/potentials/robust_potts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "fgnn/core/log_math.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/graph/oracle.h"
#include "fgnn/infer/ad3.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/mplp.h"
#include "fgnn/io/fgt.h"
#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/max_rank_one.h"
#include "fgnn/potentials/text.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"

namespace fgnn {
namespace {

using testing::expect_error;
using Labels = std::vector<RobustPotts::Label>;

TEST(RobustPotts, IsTheModelOfKohliAndOthers) {
  // gamma = 0, gamma_max = 3, a cost of 1 for each variable that differs.
  const RobustPotts potts(-3, Labels{{0, 1}});
  EXPECT_EQ(potts.score(std::vector<State>{2, 2, 2, 2, 2, 2}), 0);
  EXPECT_EQ(potts.score(std::vector<State>{2, 2, 0, 2, 2, 2}), -1);
  EXPECT_EQ(potts.score(std::vector<State>{2, 2, 0, 2, 1, 2}), -2);
  EXPECT_EQ(potts.score(std::vector<State>{0, 0, 0, 1, 1, 1}), -3);
  EXPECT_EQ(potts.score(std::vector<State>{0, 1, 2, 3, 4, 5}), -3);
}

TEST(RobustPotts, AllEqualOrPay) {
  const RobustPotts equal = RobustPotts::all_equal(-2);
  EXPECT_EQ(equal.score(std::vector<State>{1, 1, 1}), 0);
  EXPECT_EQ(equal.score(std::vector<State>{1, 1, 0}), -2);
  EXPECT_EQ(equal.low_rank(std::vector<State>{4, 4, 4})->rank(), 5u);
  EXPECT_EQ(equal.max_rank_one(std::vector<State>{4, 4, 4})->size(), 5u);
}

TEST(RobustPotts, RefusesWhatMakesNoSense) {
  expect_error(ErrorCode::model, "slope", [] { RobustPotts(-1, Labels{{0, -0.5}}); });
  expect_error(ErrorCode::model, "labels", [] { RobustPotts(-1, Labels{}); });
  EXPECT_NE(RobustPotts(-1, Labels(2)).misfit(std::vector<State>{2, 3}), "");
  EXPECT_EQ(RobustPotts(-1, Labels(3)).misfit(std::vector<State>{2, 3}), "");
}

class Views : public ::testing::TestWithParam<int> {
 protected:
  Views() : rng(static_cast<std::uint64_t>(GetParam())) {
    shape.resize(1 + rng.below(5));
    for (State& states : shape) states = static_cast<State>(1 + rng.below(4));
    potts = testing::random_potential(rng, "robust-potts", shape);
    for (const State states : shape) width += states;
  }
  Rng rng;
  std::vector<State> shape;
  std::shared_ptr<const Potential> potts;
  std::size_t width = 0;
};

TEST_P(Views, MessagesAreThoseOfTheTable) {
  std::vector<double> logs;
  for (std::size_t s = 0; s < width; ++s) logs.push_back(rng.uniform(-2, 2));
  const double temperature = rng.below(2) ? 1 : 0.5;
  for (const Semiring semiring : {Semiring::sum, Semiring::max, Semiring::log_sum}) {
    const bool max = semiring == Semiring::max;
    const auto kernel = potts->messages(shape, max ? Reduction::max : Reduction::sum, temperature);
    if (kernel == nullptr) {
      EXPECT_FALSE(max);
      continue;
    }
    std::vector<double> expected(width, kForbidden), in = logs, out(width);
    std::vector<State> x(shape.size(), 0);
    do {
      double all = potts->score(x) / temperature;
      std::size_t first = 0;
      for (std::size_t j = 0; j < x.size(); first += shape[j++]) all += logs[first + x[j]];
      first = 0;
      for (std::size_t j = 0; j < x.size(); first += shape[j++]) {
        double& sum = expected[first + x[j]];
        const double rest = all - logs[first + x[j]];
        sum = max ? std::max(sum, rest) : log_add(sum, rest);
      }
    } while (next_configuration(shape, x));
    if (semiring == Semiring::sum) {
      for (double& number : in) number = std::exp(number);
    }
    std::vector<double> scratch(kernel->scratch());
    kernel->run(semiring, in.data(), out.data(), scratch.data());
    for (std::size_t s = 0; s < width; ++s) {
      double got = semiring == Semiring::sum ? std::log(out[s]) : out[s];
      if (!max) got += kernel->log_scale();
      if (expected[s] == kForbidden) {
        EXPECT_EQ(got, kForbidden);
      } else {
        EXPECT_NEAR(got, expected[s], 1e-9);
      }
    }
  }
}

// Follows all modes and states of the machine.
double by_machine(const Machine& machine, std::span<const State> x, bool max) {
  const std::vector<double> numbers = machine.numbers();
  EXPECT_EQ(numbers.size(), machine.entries());
  const auto plus = [&](double a, double b) { return max ? std::max(a, b) : log_add(a, b); };
  double total = kForbidden;
  for (std::uint32_t z = 0; z < machine.modes(); ++z) {
    std::vector<double> at{numbers[machine.weight(z)]};
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool last = i + 1 == x.size();
      std::vector<double> next(last ? 1 : machine.states(i), kForbidden);
      for (std::uint32_t s = 0; s < at.size(); ++s) {
        for (std::uint32_t t = 0; t < next.size(); ++t) {
          const std::size_t place = machine.mode(i, z) + machine.before(i, s) +
                                    machine.reads(i, x[i]) + (last ? 0 : machine.after(i, t));
          next[t] = plus(next[t], at[s] + numbers.at(place));
        }
      }
      at = next;
    }
    total = plus(total, at[0]);
  }
  return total;
}

TEST_P(Views, MachinesAddUpToThePotential) {
  if (shape.size() < 2) return;
  EXPECT_EQ(potts->machine(shape, Reduction::each), nullptr);
  for (const Reduction reduction : {Reduction::sum, Reduction::max}) {
    const bool max = reduction == Reduction::max;
    const auto machine = potts->machine(shape, reduction);
    if (machine == nullptr) {
      EXPECT_FALSE(max);
      continue;
    }
    std::vector<State> x(shape.size(), 0);
    do {
      const double expected = potts->score(x), got = by_machine(*machine, x, max);
      if (expected == kForbidden) {
        EXPECT_EQ(got, kForbidden);
      } else {
        EXPECT_NEAR(got, expected, 1e-12);
      }
    } while (next_configuration(shape, x));
  }
}

TEST_P(Views, MaximumOfTermsScoresTheSame) {
  const auto form = potts->max_rank_one(shape);
  ASSERT_NE(form, nullptr);
  EXPECT_LE(form->size(), 1u + *std::ranges::max_element(shape));
  std::vector<State> x(shape.size(), 0);
  do {
    if (potts->score(x) == kForbidden) {
      EXPECT_EQ(form->score(x), kForbidden);
    } else {
      EXPECT_NEAR(form->score(x), potts->score(x), 1e-12);
    }
  } while (next_configuration(shape, x));
}

INSTANTIATE_TEST_SUITE_P(RobustPotts, Views, ::testing::Range(1, 200));

// Pixels with noise of their own and one factor over all of them: no solver may make a table.
FactorGraph segment(std::size_t pixels, State labels, const RobustPotts& potts) {
  Rng rng(3);
  GraphBuilder b;
  auto x = b.variables("x", pixels, labels);
  for (std::size_t i = 0; i < pixels; ++i) {
    std::vector<double> unary(labels);
    for (double& value : unary) value = rng.uniform(-1, 1);
    unary[1] += 0.6;
    b.unary(x[i], unary);
  }
  b.factor(x, potts);
  return std::move(b).build();
}

TEST(RobustPotts, EverySolverKeepsAThousandVariablesLinear) {
  const FactorGraph graph = segment(1000, 5, RobustPotts(-120, Labels{{0, 1}}));
  const Result exact = exact_map(graph);
  const Result max = max_product(graph), mplp_result = mplp(graph), ad3_result = ad3(graph);
  EXPECT_NEAR(max.score, exact.score, 1e-6);
  EXPECT_NEAR(mplp_result.score, exact.score, 1e-6);
  EXPECT_NEAR(mplp_result.bound, exact.score, 1e-3);
  EXPECT_NEAR(ad3_result.score, exact.score, 1e-6);
  EXPECT_NEAR(ad3_result.bound, exact.score, 1e-3);
}

TEST(RobustPotts, MarginalsOfLongScopesAreExact) {
  const FactorGraph graph = segment(300, 4, RobustPotts(-12, Labels{{0, 1}}));
  const Result exact = exact_marginals(graph), sums = sum_product(graph);
  ASSERT_TRUE(sums.log_partition.has_value());
  EXPECT_NEAR(*sums.log_partition, *exact.log_partition, 1e-6);
  for (VariableId v = 0; v < 300; ++v) {
    for (State x = 0; x < 4; ++x) EXPECT_NEAR(sums.marginals[v][x], exact.marginals[v][x], 1e-8);
  }
}

TEST(RobustPotts, HardEqualityOnManyVariablesLosesNoState) {
  const FactorGraph graph = segment(2000, 3, RobustPotts::all_equal(kForbidden));
  std::vector<double> logs(3, 0.0);
  for (VariableId v = 0; v < 2000; ++v) {
    for (State x = 0; x < 3; ++x) logs[x] += graph.unary(v)[x];
  }
  const Result sums = sum_product(graph);
  ASSERT_TRUE(sums.log_partition.has_value());
  EXPECT_NEAR(*sums.log_partition, log_sum_exp(logs), 1e-6);
}

TEST(RobustPotts, IsWrittenAndReadBack) {
  GraphBuilder b;
  auto x = b.variables("x", 4, 3);
  b.factor(x, RobustPotts::all_equal(kForbidden));
  b.factor(x, RobustPotts(-2, Labels{{-0.0, kInfinity}}));
  b.factor(x, RobustPotts(-2.5, Labels{{0.25, 1}, {kForbidden, kInfinity}, {0, 0}}));
  const FactorGraph graph = std::move(b).build();
  std::stringstream text;
  write_fgt(text, graph);
  EXPECT_NE(text.str().find(": all-equal -inf\n"), std::string::npos) << text.str();
  const FactorGraph again = read_fgt(text, "text");
  for (FactorId c = 0; c < 3; ++c) EXPECT_TRUE(again.potential(c).equals(graph.potential(c)));
}

// A kind of a program's own: the product of all states, read as "product SCALE".
class Product final : public Potential {
 public:
  explicit Product(double scale) : scale_(scale) {}
  std::string_view kind() const override { return "product"; }
  std::string misfit(Shape) const override { return {}; }
  double score(std::span<const State> x) const override {
    double product = scale_;
    for (const State state : x) product *= state;
    return product;
  }
  bool equals(const Potential& other) const override {
    return other.kind() == kind() && static_cast<const Product&>(other).scale_ == scale_;
  }
  std::size_t bytes() const override { return sizeof(*this); }
  bool write(TextWriter& text) const override {
    text.put("product ", scale_);
    return true;
  }

 private:
  double scale_;
};

TEST(PotentialKinds, AKindOfAProgramsOwnIsReadSolvedAndWritten) {
  add_potential_kind(
      {"product", "a scale times all states", "1", {{"product", false, [](PotentialText& text) {
                                                       return shared(
                                                           Product(text.tokens.number("a scale")));
                                                     }}}});
  EXPECT_EQ(potential_kinds().back().name, "product");
  std::stringstream text("fgnn 1\nvar x[3] 3\nfactor x[0..2] : product 0.5\n");
  const FactorGraph graph = read_fgt(text, "text");
  for (const Result& result : {exact_map(graph), max_product(graph), mplp(graph), ad3(graph)}) {
    EXPECT_NEAR(result.score, 4, 1e-9) << result.method;
  }
  std::stringstream written;
  write_fgt(written, graph);
  EXPECT_NE(written.str().find("factor x[0..2] : product 0.5"), std::string::npos);
}

}  // namespace
}  // namespace fgnn
