#include "fgnn/neuralize/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/network/run.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/finite_graph.h"
#include "tests/reference/largest_difference.h"
#include "tests/reference/random_graph.h"
#include "tests/reference/scratch.h"

namespace fgnn::neuralize {
namespace {

using testing::largest_difference;

using testing::expect_error;
using testing::finite_graph;
using testing::random_graph;
using testing::RandomGraphOptions;

Result flooding(const FactorGraph& graph, const CompileOptions& o) {
  BpOptions bp;
  bp.schedule = Schedule::flooding;
  bp.iterations = o.iterations;
  bp.tolerance = 0;
  bp.damping = o.damping;
  bp.threads = 1;
  bp.decimate = false;
  return o.algorithm == Algorithm::max_product ? max_product(graph, bp) : sum_product(graph, bp);
}

// The network's beliefs as probabilities, padded states left out. Forbidden states have none.
template <class T = double>
std::vector<double> beliefs(const FactorGraph& graph, const network::Model& model) {
  const auto batch = features(graph, model);
  network::Runner<T> runner(model);
  const auto logs = runner.run(batch);
  const std::size_t width = runner.output_width();
  std::vector<double> result;
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    const T* row = logs.data() + v * width;
    const double top = *std::max_element(row, row + graph.states(v));
    double sum = 0;
    for (State x = 0; x < graph.states(v); ++x) {
      const double log = row[x] - top;
      result.push_back(log < forbidden_below(model) ? 0 : std::exp(log));
      sum += result.back();
    }
    for (State x = 0; x < graph.states(v); ++x) result[result.size() - 1 - x] /= sum;
  }
  return result;
}

// Some loops with hard constraints double every rounding at every iteration: there no two ways to
// compute agree. How far the algorithm is from itself with numbers off by 1e-13 tells them.
double tolerance(const FactorGraph& graph, const CompileOptions& o, const Result& result) {
  std::vector<double> unaries(graph.unaries().begin(), graph.unaries().end());
  Rng rng(1);
  for (double& u : unaries) {
    if (u != kForbidden) u += 1e-13 * rng.normal() * (1 + std::abs(u));
  }
  const Result other = flooding(graph.with_unaries(std::move(unaries)), o);
  return std::max(1e-9,
                  8 * largest_difference(other.marginals.values(), result.marginals.values()));
}

class Compiled : public ::testing::TestWithParam<std::tuple<Algorithm, std::string>> {};

TEST_P(Compiled, BeliefsAreThoseOfFlooding) {
  const auto [algorithm, kind] = GetParam();
  int feasible = 0, large = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Rng rng(seed, 77);
    RandomGraphOptions o;
    o.kinds = {kind};
    if (kind == "mixed") o.kinds = testing::all_kinds();
    const FactorGraph graph = random_graph(rng, o);
    if (graph.num_factors() == 0) continue;
    for (const std::size_t k : {1, 2, 5, 20}) {
      CompileOptions options;
      options.algorithm = algorithm;
      options.iterations = k;
      const Result want = flooding(graph, options);
      if (want.status == Status::infeasible) continue;
      ++feasible;
      const network::Model model = compile(graph, options);
      EXPECT_LE(largest_difference(beliefs(graph, model), want.marginals.values()),
                tolerance(graph, options, want))
          << "seed " << seed << ", " << k << " iterations, tolerance "
          << tolerance(graph, options, want);
      large += tolerance(graph, options, want) > 1e-9;
    }
  }
  EXPECT_GE(feasible, 12);
  EXPECT_LE(large, 2);
}

INSTANTIATE_TEST_SUITE_P(
    AllKinds, Compiled,
    ::testing::Combine(::testing::Values(Algorithm::max_product, Algorithm::sum_product),
                       ::testing::Values("table", "low-rank", "max-rank-1", "count", "parity",
                                         "sparse", "all-different", "mixed")),
    [](const auto& test) {
      std::string text = std::string(name(std::get<0>(test.param))) + "_" + std::get<1>(test.param);
      for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      return text;
    });

constexpr Algorithm kAlgorithms[] = {Algorithm::max_product, Algorithm::sum_product};

CompileOptions options_of(Algorithm algorithm, std::size_t iterations = 5) {
  CompileOptions o;
  o.algorithm = algorithm;
  o.iterations = iterations;
  return o;
}

TEST(Compile, DampingIsThatOfFlooding) {
  for (const Algorithm algorithm : kAlgorithms) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Rng rng(seed, 1);
      const FactorGraph graph = finite_graph(rng);
      auto o = options_of(algorithm, 7);
      const auto plain = flooding(graph, o).marginals;
      for (const double damping : {0.3, 0.9}) {
        o.damping = damping;
        const auto want = flooding(graph, o).marginals;
        EXPECT_LE(largest_difference(beliefs(graph, compile(graph, o)), want.values()), 1e-10);
      }
      // Messages after seven iterations keep the share of the past.
      EXPECT_GT(largest_difference(plain.values(), flooding(graph, o).marginals.values()), 1e-4);
    }
  }
}

TEST(Compile, OneNetworkServesAllEvidence) {
  for (const Algorithm algorithm : kAlgorithms) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Rng rng(seed, 2);
      const FactorGraph graph = finite_graph(rng, {.variables = 7, .factors = 7});
      const auto o = options_of(algorithm);
      const network::Model model = compile(graph, o);
      for (int round = 0; round < 4; ++round) {
        Evidence evidence;
        const auto v = static_cast<VariableId>(rng.below(7));
        evidence.fix(v, static_cast<State>(rng.below(graph.states(v))));
        const auto w = static_cast<VariableId>(rng.below(7));
        std::vector<double> weights(graph.states(w));
        for (double& x : weights) x = rng.normal();
        evidence.weigh(w, weights);
        const FactorGraph given = graph.given(evidence);
        EXPECT_LE(largest_difference(beliefs(given, model), flooding(given, o).marginals.values()),
                  1e-10);
      }
    }
  }
}

TEST(Compile, AnotherGraphIsRefused) {
  const auto graph = [](double value, State states, bool swapped, Count::Chosen chosen = {}) {
    GraphBuilder b;
    const auto x = b.variables("x", 3, 2);
    b.variable("y", states);
    const std::vector<VariableId> scope =
        swapped ? std::vector{x[1], x[0]} : std::vector{x[0], x[1]};
    b.factor(std::span<const VariableId>(scope), Table({2, 2}, {0, 1, 2, value}));
    b.factor(x, chosen.empty() ? Count::at_most(2) : Count({0, 0, 0}, kForbidden, chosen));
    return std::move(b).build();
  };
  const FactorGraph mine = graph(3, 2, false);
  for (const Algorithm algorithm : kAlgorithms) {
    const network::Model model = compile(mine, options_of(algorithm));
    EXPECT_NO_THROW(features(graph(3, 2, false), model));  // equal, though not the same
    const FactorGraph others[] = {graph(3.5, 2, false), graph(3, 4, false), graph(3, 2, true),
                                  graph(3, 2, false, {{0}, {1}, {1}}), FactorGraph()};
    for (const FactorGraph& other : others) {
      expect_error(ErrorCode::unsupported, "network: was compiled from another graph",
                   [&] { features(other, model); });
    }
    EXPECT_TRUE(is_compiled(model));
    network::Model trained = model;
    trained.metadata.clear();
    EXPECT_FALSE(is_compiled(trained));
    expect_error(ErrorCode::unsupported, "another graph", [&] { features(mine, trained); });
  }
}

// Thirteen binary variables: 8192 joint states. 26: counts cancel beyond precision.
TEST(Compile, NamesTheFactorThatHasNoFormOfAcceptableSize) {
  const auto with = [](std::size_t n, State states, std::shared_ptr<const Potential> p) {
    GraphBuilder b;
    const auto x = b.variables("x", n, states);
    b.factor({x[0], x[1]}, Table(std::vector<State>(2, states),
                                 std::vector<double>(std::size_t{states} * states)));
    b.factor(x, std::move(p));
    return std::move(b).build();
  };
  const auto expect_refused = [](const FactorGraph& graph, Algorithm algorithm,
                                 const std::string& what) {
    expect_error(ErrorCode::unsupported, graph.describe(1) + ": " + what,
                 [&] { compile(graph, options_of(algorithm)); });
  };
  const auto parity = with(13, 2, std::make_shared<Parity>(false));
  expect_refused(parity, Algorithm::max_product,
                 "is a maximum of 8192 rank-1 terms, more than 4096");
  EXPECT_NO_THROW(compile(parity, options_of(Algorithm::sum_product)));
  expect_refused(with(26, 2, std::make_shared<Count>(Count::at_most(3))), Algorithm::sum_product,
                 "has no exact sum of rank-1 terms");
  expect_refused(with(3, 21, std::make_shared<AllDifferent>()), Algorithm::sum_product,
                 "has no exact sum of rank-1 terms");
  std::vector<std::vector<double>> terms(4097, std::vector<double>(26));
  const auto wide = with(13, 2, std::make_shared<MaxRankOne>(std::vector<State>(13, 2), terms));
  expect_refused(wide, Algorithm::max_product, "is a maximum of 4097 rank-1 terms, more than 4096");
  expect_refused(wide, Algorithm::sum_product, "has no exact sum of rank-1 terms");
  const std::vector<State> binary(18, 2);
  expect_refused(with(18, 2, std::make_shared<Table>(binary, std::vector<double>(1 << 18))),
                 Algorithm::sum_product, "is a sum of 131072 rank-1 terms, more than 65536");
}

TEST(Compile, NamesTheFactorThatForbidsEverything) {
  const std::shared_ptr<const Potential> potentials[] = {
      std::make_shared<Table>(std::vector<State>{2, 2}, std::vector<double>(4, kForbidden)),
      std::make_shared<MaxRankOne>(std::vector<State>{2, 2}, std::vector<std::vector<double>>{}),
      std::make_shared<MaxRankOne>(
          std::vector<State>{2, 2},
          std::vector<std::vector<double>>{{kForbidden, kForbidden, 0, 0}}),
      std::make_shared<Count>(std::vector<double>{}, kForbidden),
      std::make_shared<Sparse>(std::vector<State>{2, 2}, kForbidden, std::vector<State>{},
                               std::vector<double>{})};
  for (const auto& p : potentials) {
    SCOPED_TRACE(p->kind());
    GraphBuilder b;
    const auto x = b.variables("x", 3, 2);
    b.factor({x[0], x[1]}, Table({2, 2}, {0, 1, 2, 3}));
    b.factor({x[1], x[2]}, p);
    const FactorGraph graph = std::move(b).build();
    for (const Algorithm algorithm : kAlgorithms) {
      expect_error(ErrorCode::model, graph.describe(1) + ": forbids every joint state",
                   [&] { compile(graph, options_of(algorithm)); });
    }
  }
}

TEST(Compile, AGraphWithoutFactorsIsRefused) {
  GraphBuilder b;
  b.variable("x", 2);
  const FactorGraph graph = std::move(b).build();
  expect_error(ErrorCode::unsupported, "graph: has no factors",
               [&] { compile(graph, options_of(Algorithm::sum_product)); });
}

TEST(Compile, ModelsInDoubleReadBackTheSame) {
  testing::Scratch scratch;
  for (const Algorithm algorithm : kAlgorithms) {
    Rng rng(3);
    const FactorGraph graph = finite_graph(rng);
    auto o = options_of(algorithm);
    o.damping = 0.1;  // no float
    const network::Model model = compile(graph, o);
    const auto file = scratch.path() / "model.safetensors";
    save_model(file, model, DType::f64);
    const network::Model again = network::load_model(file);
    EXPECT_EQ(again.weights, model.weights);
    EXPECT_TRUE(is_compiled(again));
    EXPECT_EQ(forbidden_below(again), forbidden_below(model));
    EXPECT_EQ(beliefs(graph, again), beliefs(graph, model));
  }
}

TEST(Compile, ADamagedCeilingIsRefused) {
  Rng rng(3);
  const FactorGraph graph = finite_graph(rng);
  network::Model model = compile(graph, options_of(Algorithm::max_product));
  EXPECT_LT(forbidden_below(model), 0);
  for (const char* damaged : {"", "x", "12x", "nan", "inf", "0", "-3"}) {
    model.metadata["ceiling"] = damaged;
    expect_error(ErrorCode::format, "ceiling", [&] { features(graph, model); });
  }
}

TEST(Compile, SinglePrecisionIsCloseOnMildGraphs) {
  for (const Algorithm algorithm : kAlgorithms) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Rng rng(seed, 4);
      const FactorGraph graph = finite_graph(rng, {.scale = 0.7});
      const network::Model model = compile(graph, options_of(algorithm, 10));
      EXPECT_LE(largest_difference(beliefs<float>(graph, model), beliefs(graph, model)), 1e-3);
    }
  }
}

// Factors over one variable, variables without factors, one state beside five, and a potential
// shared by scopes of different shapes.
TEST(Compile, GraphsMayBeUneven) {
  GraphBuilder b;
  const auto x = b.variable("x", 2), y = b.variable("y", 5), one = b.variable("one", 1),
             alone = b.variable("alone", 3), z = b.variable("z", 3);
  Rng rng(5);
  const auto table = [&](std::vector<State> shape) {
    std::vector<double> values(configurations(shape));
    for (double& v : values) v = rng.normal();
    return Table(std::move(shape), std::move(values));
  };
  b.unary(alone, {1, -2, 0.5});
  b.unary(y, {0, kForbidden, 1, 2, -1});
  b.factor({y}, table({5}));
  b.factor({x, y}, table({2, 5}));
  b.factor({one, z, x}, table({1, 3, 2}));
  b.factor({one}, table({1}));
  const auto different = b.potential(AllDifferent());
  b.factor({y, z}, different);
  b.factor({x, y, z}, different);
  const FactorGraph graph = std::move(b).build();
  for (const Algorithm algorithm : kAlgorithms) {
    for (const std::size_t k : {1, 3, 10}) {
      const auto o = options_of(algorithm, k);
      EXPECT_LE(largest_difference(beliefs(graph, compile(graph, o)),
                                   flooding(graph, o).marginals.values()),
                1e-9);
    }
  }
}

TEST(Compile, WhatCanBeLearnedHasNoEffectAtTheStart) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Rng rng(seed, 6);
    const FactorGraph graph = finite_graph(rng);
    CompileOptions o = options_of(Algorithm::sum_product);
    o.damping = 0.2;
    const auto want = beliefs(graph, compile(graph, o));
    o.seed = seed;
    o.untied = true;
    EXPECT_LE(largest_difference(beliefs(graph, compile(graph, o)), want), 1e-12);
    o.latents = 3;
    o.channels = 4;
    const network::Model model = compile(graph, o);
    EXPECT_LE(largest_difference(beliefs(graph, model), want), 1e-12);
    o.untied = false;
    EXPECT_LE(largest_difference(beliefs(graph, compile(graph, o)), want), 1e-12);
    // The latents are there, and drawn by the seed.
    o.untied = true;
    o.seed = seed + 1;
    EXPECT_NE(compile(graph, o).weights, model.weights);
    EXPECT_GT(model.program.trained_numbers(),
              compile(graph, options_of(Algorithm::sum_product)).program.trained_numbers());
  }
}

TEST(CompileOptions, Validate) {
  const auto expect_refused = [](const std::string& what, auto change) {
    CompileOptions o;
    EXPECT_NO_THROW(o.validate());
    change(o);
    expect_error(ErrorCode::usage, what, [&] { o.validate(); });
    Rng rng(7);
    const FactorGraph graph = finite_graph(rng);
    expect_error(ErrorCode::usage, what, [&] { compile(graph, o); });
  };
  expect_refused("iterations: must be 1 … 1000", [](auto& o) { o.iterations = 0; });
  expect_refused("iterations: must be 1 … 1000", [](auto& o) { o.iterations = 1001; });
  expect_refused("damping: must be at least 0 and below 1", [](auto& o) { o.damping = 1; });
  expect_refused("damping: must be at least 0 and below 1", [](auto& o) { o.damping = -0.1; });
  expect_refused("damping: must be", [](auto& o) { o.damping = std::nan(""); });
  expect_refused("latents: and channels go together", [](auto& o) { o.latents = 2; });
  expect_refused("latents: and channels go together", [](auto& o) { o.channels = 2; });
  expect_refused("max-product: has no trainable extension", [](auto& o) {
    o.algorithm = Algorithm::max_product;
    o.untied = true;
  });
  expect_refused("max-product: has no trainable extension", [](auto& o) {
    o.algorithm = Algorithm::max_product;
    o.latents = o.channels = 1;
  });
}

TEST(Algorithm, NamesReadBack) {
  for (const Algorithm a : kAlgorithms) EXPECT_EQ(algorithm(name(a)), a);
  expect_error(ErrorCode::usage, "min-sum: is not an algorithm", [] { algorithm("min-sum"); });
}

// A code of parity checks, compiled without a word.
FactorGraph code(Rng& rng) {
  GraphBuilder b;
  const auto x = b.variables("x", 12, 2);
  for (int c = 0; c < 9; ++c) {
    std::vector<VariableId> scope(x.begin(), x.end());
    rng.shuffle(scope);
    scope.resize(4);
    b.factor(std::span<const VariableId>(scope), std::make_shared<Parity>(false));
  }
  return std::move(b).build();
}

TEST(Compile, OneNetworkServesAllWordsOfACode) {
  for (const Algorithm algorithm : kAlgorithms) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Rng rng(seed, 8);
      const FactorGraph graph = code(rng);
      const auto o = options_of(algorithm, 10);
      const network::Model model = compile(graph, o);
      for (int word = 0; word < 3; ++word) {
        std::vector<double> unaries(graph.total_states());
        for (std::size_t i = 0; i < unaries.size(); i += 2) unaries[i] = 4 * rng.normal();
        const FactorGraph given = graph.with_unaries(unaries);
        EXPECT_LE(largest_difference(beliefs(given, model), flooding(given, o).marginals.values()),
                  1e-9);
      }
    }
  }
}

// What lies further apart than the number for "forbidden" would be taken for forbidden.
TEST(Compile, UnariesBeyondTheRangeOfMaxProductAreRefused) {
  Rng rng(9);
  const FactorGraph graph = code(rng);
  const network::Model model = compile(graph, options_of(Algorithm::max_product));
  const double range = -forbidden_below(model);
  std::vector<double> unaries(graph.total_states());
  unaries[7] = 7;  // x[3]
  unaries[6] = 7 - range;
  EXPECT_NO_THROW(features(graph.with_unaries(unaries), model));
  unaries[6] = kForbidden;
  EXPECT_NO_THROW(features(graph.with_unaries(unaries), model));
  unaries[6] = 6.9 - range;
  expect_error(ErrorCode::unsupported, "x[3]: has log-values",
               [&] { features(graph.with_unaries(unaries), model); });
  EXPECT_NO_THROW(
      features(graph.with_unaries(unaries),
               compile(graph.with_unaries(unaries), options_of(Algorithm::max_product))));
}

}  // namespace
}  // namespace fgnn::neuralize
