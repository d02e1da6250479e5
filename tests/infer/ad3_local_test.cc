// The parts of AD3 that look at one factor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/ad3/active_set.h"
#include "fgnn/infer/ad3/lanes.h"
#include "fgnn/infer/ad3/oracle.h"
#include "fgnn/infer/ad3/projections.h"
#include "fgnn/potentials/hungarian.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/local_quadratic.h"
#include "tests/reference/random_graph.h"

namespace fgnn::admm {
namespace {

std::vector<double> random_numbers(Rng& rng, std::size_t n, double low, double high) {
  std::vector<double> values(n);
  for (double& v : values) v = rng.uniform(low, high);
  return values;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6);
}

// The twin's answer for a potential on binary variables.
std::vector<double> want_of(const Potential& potential, const std::vector<double>& a, double step) {
  const std::vector<State> shape(a.size(), 2);
  return testing::local_quadratic(shape, expand(potential, shape).values(), a, step);
}

// A group of factors on variables of their own, stepped from random points.
class Lanes {
 public:
  Lanes(Rng& rng, bool pair, std::uint32_t arity, std::uint32_t factors) {
    group_.pair = pair;
    group_.arity = arity;
    group_.factors = factors;
    group_.lanes = static_cast<std::uint32_t>((factors + kLanes - 1) / kLanes * kLanes);
    for (std::uint32_t j = 0; j < group_.lanes; ++j) {
      group_.coupling.push_back(rng.uniform(-2, 2));
      group_.least.push_back(static_cast<double>(rng.below(arity + 1)));
      group_.most.push_back(
          group_.least[j] +
          static_cast<double>(rng.below(arity + 1 - static_cast<std::uint64_t>(group_.least[j]))));
      group_.shift.push_back(rng.uniform(-1, 1));
    }
    at_.resize(group_.end());
    std::iota(at_.begin(), at_.end(), std::int64_t{0});
    p_ = random_numbers(rng, group_.end(), 0, 1);
    shares_ = random_numbers(rng, group_.end(), -1, 1);
    q_.resize(group_.end());
    scratch_.resize(arity * kLanes);
  }

  const LaneGroup& group() const { return group_; }
  LaneArrays arrays() {
    return {at_.data(), p_.data(), shares_.data(), q_.data(), scratch_.data()};
  }
  void step(double step) { step_lanes(group_, arrays(), step); }
  std::vector<double> solution(std::size_t lane) const { return of(q_, lane); }
  std::vector<double> start(std::size_t lane, double step) const {
    auto a = of(p_, lane);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += of(shares_, lane)[i] / step;
    return a;
  }

 private:
  std::vector<double> of(const std::vector<double>& values, std::size_t lane) const {
    std::vector<double> result;
    for (std::size_t i = 0; i < group_.arity; ++i)
      result.push_back(values[i * group_.lanes + lane]);
    return result;
  }

  LaneGroup group_;
  std::vector<std::int64_t> at_;
  std::vector<double> p_, shares_, q_, scratch_;
};

TEST(Ad3Local, PairsInLanesEqualTheSlowTwin) {
  Rng rng(1);
  for (int i = 0; i < 20; ++i) {
    const double step = rng.uniform(0.2, 3);
    Lanes lanes(rng, true, 2, static_cast<std::uint32_t>(1 + rng.below(20)));
    lanes.step(step);
    for (std::size_t j = 0; j < lanes.group().factors; ++j) {
      const Table table{{2, 2}, {0, 0, 0, lanes.group().coupling[j]}};
      expect_near(lanes.solution(j), want_of(table, lanes.start(j, step), step));
    }
  }
}

TEST(Ad3Local, CountsInLanesEqualTheSlowTwinFromAnyStart) {
  Rng rng(8);
  for (int i = 0; i < 40; ++i) {
    const double step = rng.uniform(0.1, 3);
    const auto arity = static_cast<std::uint32_t>(1 + rng.below(6));
    Lanes lanes(rng, false, arity, static_cast<std::uint32_t>(1 + rng.below(20)));
    lanes.step(step);
    for (std::size_t j = 0; j < lanes.group().factors; ++j) {
      std::vector<double> values(arity + 1, kForbidden);
      const auto low = static_cast<std::size_t>(lanes.group().least[j]);
      const auto high = static_cast<std::size_t>(lanes.group().most[j]);
      for (std::size_t k = low; k <= high; ++k) values[k] = 0;
      expect_near(lanes.solution(j), want_of(Count(values), lanes.start(j, step), step));
    }
  }
}

TEST(Ad3Local, SharesInLanesMoveByTheStepTimesTheDifference) {
  Rng rng(9);
  Lanes lanes(rng, false, 3, 11);
  lanes.step(0.7);
  const LaneArrays arrays = lanes.arrays();
  const std::size_t n = lanes.group().end();
  const std::vector<double> before(arrays.shares, arrays.shares + n);
  double want = 0;
  const double got = share_lanes(n, arrays, 0.7);
  for (std::size_t l = 0; l < n; ++l) {
    const double apart = arrays.q[l] - arrays.p[l];
    want += apart * apart;
    EXPECT_NEAR(arrays.shares[l], before[l] - 0.7 * apart, 1e-12);
  }
  EXPECT_NEAR(got, want, 1e-12);
}

TEST(Ad3Local, CountStepEqualsTheSlowTwin) {
  Rng rng(2);
  for (int i = 0; i < 300; ++i) {
    const std::size_t n = 1 + rng.below(6);
    const auto a = random_numbers(rng, n, -1, 2);
    const std::size_t low = rng.below(n + 1), high = low + rng.below(n + 1 - low);
    const double step = rng.uniform(0.2, 3);
    std::vector<double> values, all(low, kForbidden);
    double slope = 1.5;
    const bool flat = rng.below(2) == 0;
    for (std::size_t k = low; k <= high; ++k, slope -= rng.uniform()) {
      values.push_back(flat || k == low ? 0.0 : values.back() + slope);
    }
    all.insert(all.end(), values.begin(), values.end());
    std::vector<double> y(n);
    double shift = rng.uniform(-1, 1);  // any start will do
    count_step(a, {low, values, flat}, step, shift, y);
    expect_near(y, want_of(Count(all), a, step));
  }
}

TEST(Ad3Local, ParityStepEqualsTheSlowTwin) {
  Rng rng(3);
  for (int i = 0; i < 300; ++i) {
    const std::size_t n = 1 + rng.below(6);
    const auto a = random_numbers(rng, n, -0.5, 1.5);
    const bool odd = rng.below(2) == 1;
    std::vector<double> y(n);
    double shift = rng.uniform(-1, 1);
    parity_step(a, odd, shift, y);
    expect_near(y, want_of(Parity(odd), a, 1));
  }
}

TEST(Ad3Local, ProjectionToASumOfManyIsOptimal) {
  Rng rng(4);
  for (int i = 0; i < 100; ++i) {
    const std::size_t n = 1 + rng.below(500), sum = rng.below(n + 1);
    const auto a = random_numbers(rng, n, -3, 3);
    std::vector<double> y(n);
    double shift = 0;
    project_to_sum(a, static_cast<double>(sum), shift, y);
    EXPECT_NEAR(std::accumulate(y.begin(), y.end(), 0.0), static_cast<double>(sum), 1e-9);
    for (std::size_t j = 0; j < n; ++j) EXPECT_EQ(y[j], std::clamp(a[j] + shift, 0.0, 1.0));
  }
}

TEST(Ad3Local, ProjectionToASumMeetsTiesAndExtremes) {
  for (const double value : {-1e9, -1.0, 0.0, 0.5, 1.0, 1e9}) {
    for (const double sum : {0.0, 1.0, 2.0, 4.0}) {
      const std::vector<double> a(4, value);
      std::vector<double> y(4);
      double shift = 0;
      project_to_sum(a, sum, shift, y);
      for (const double v : y) EXPECT_NEAR(v, sum / 4, 1e-6);
    }
  }
}

// One factor on its own, with some states of its variables removed.
struct Restricted {
  FactorGraph graph;
  std::vector<std::vector<State>> left;
  std::vector<double> values;  // of the joint states left, in table order
  std::vector<State> shape;    // numbers of states left to undecided variables
  TableStore tables;

  Restricted(Rng& rng, const std::string& kind) {
    GraphBuilder b;
    std::vector<VariableId> scope;
    std::vector<State> full;
    const std::size_t n = 1 + rng.below(4);
    for (std::size_t j = 0; j < n; ++j) {
      full.push_back(kind == "parity" ? 2 : static_cast<State>(1 + rng.below(4)));
      scope.push_back(b.variable("v" + std::to_string(j), full.back()));
    }
    b.factor(std::span<const VariableId>(scope), testing::random_potential(rng, kind, full));
    graph = std::move(b).build();
    for (const State states : full) {
      auto& some = left.emplace_back();
      for (State x = 0; x < states; ++x) {
        if (rng.below(4)) some.push_back(x);
      }
      if (some.empty()) some.push_back(0);
      if (some.size() > 1) shape.push_back(static_cast<State>(some.size()));
    }
    std::vector<State> x(n, 0), sizes;
    for (const auto& some : left) sizes.push_back(static_cast<State>(some.size()));
    do {
      std::vector<State> y;
      for (std::size_t j = 0; j < n; ++j) y.push_back(left[j][x[j]]);
      values.push_back(graph.potential(0).score(y));
    } while (next_configuration(sizes, x));
  }

  bool usable() const { return !shape.empty() && *std::ranges::max_element(values) != kForbidden; }
  std::unique_ptr<Oracle> oracle() {
    std::vector<const std::vector<State>*> pointers;
    for (const auto& some : left) pointers.push_back(&some);
    return make_oracle(graph, 0, pointers, tables);
  }
};

TEST(Ad3Local, OraclesFindTheBestJointStateOfAllKinds) {
  Rng rng(5);
  const Deadline never;
  TimeCheck time(never);
  for (int i = 0; i < 700; ++i) {
    Restricted r(rng,
                 testing::all_kinds()[static_cast<std::size_t>(i) % testing::all_kinds().size()]);
    if (r.shape.empty()) continue;
    const auto oracle = r.oracle();
    const Layout& layout = oracle->layout();
    ASSERT_EQ(layout.sizes, r.shape);
    const auto scores = random_numbers(rng, layout.coordinates(), -2, 2);
    std::vector<State> x(r.shape.size(), 0), best(r.shape.size());
    double want = kForbidden, own = 0;
    std::size_t entry = 0;
    do {
      want = std::max(want, r.values[entry++] + layout.score(scores, x));
    } while (next_configuration(r.shape, x));
    const double got = oracle->best(scores, best, own, time);
    if (want == kForbidden) {
      EXPECT_EQ(got, kForbidden);
      continue;
    }
    EXPECT_NEAR(got, want, 1e-9);
    EXPECT_NEAR(got, own + layout.score(scores, best), 1e-9);
  }
}

TEST(Ad3Local, ActiveSetEqualsTheSlowTwinOnAllKindsAndFromAnyStart) {
  Rng rng(6);
  const Deadline never;
  TimeCheck time(never);
  for (int i = 0; i < 280; ++i) {
    Restricted r(rng,
                 testing::all_kinds()[static_cast<std::size_t>(i) % testing::all_kinds().size()]);
    if (!r.usable()) continue;
    const auto oracle = r.oracle();
    ActiveSet active(*oracle);
    const std::size_t n = oracle->layout().coordinates();
    std::vector<double> q(n);
    for (int call = 0; call < 4; ++call) {  // each starts from the set of the one before
      const auto a = random_numbers(rng, n, -1, 2);
      const double step = rng.uniform(0.3, 5);
      ASSERT_TRUE(active.solve(a, step, q, time));
      expect_near(q, testing::local_quadratic(r.shape, r.values, a, step));
    }
  }
}

TEST(Ad3Local, AssignmentEqualsTheBestPermutation) {
  Rng rng(7);
  const Deadline never;
  TimeCheck time(never);
  for (int i = 0; i < 200; ++i) {
    const std::size_t rows = 1 + rng.below(5), columns = rows + rng.below(3);
    AssignmentProblem assignment(rows, columns);
    std::vector<double> weights(rows * columns, kForbidden);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (rng.below(4) == 0) continue;
      weights[k] = rng.uniform(-1, 1);
      assignment.set(k / columns, k % columns, weights[k]);
    }
    std::vector<std::size_t> order(columns);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double want = kForbidden;
    do {
      double sum = 0;
      for (std::size_t j = 0; j < rows; ++j) sum += weights[j * columns + order[j]];
      want = std::max(want, sum);
    } while (std::ranges::next_permutation(order).found);
    ASSERT_EQ(assignment.solve(time), want != kForbidden);
    if (want == kForbidden) continue;
    double got = 0;
    for (std::size_t j = 0; j < rows; ++j) got += weights[j * columns + assignment.column_of(j)];
    EXPECT_NEAR(got, want, 1e-9);
  }
}

}  // namespace
}  // namespace fgnn::admm
