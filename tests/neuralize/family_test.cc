#include "fgnn/neuralize/family.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/experiments/ldpc/task.h"
#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/network/run.h"
#include "fgnn/potentials/table.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/largest_difference.h"
#include "tests/reference/random_code.h"

namespace fgnn::neuralize {
namespace {

using testing::largest_difference;

using ldpc::LdpcTask;
using synthetic::SyntheticTask;
using tasks::Stream;
using testing::expect_error;

FamilyOptions family(Algorithm algorithm, std::size_t iterations) {
  FamilyOptions o;
  o.compile.algorithm = algorithm;
  o.compile.iterations = iterations;
  return o;
}

Marginals flooding(const FactorGraph& graph, const FamilyOptions& o) {
  BpOptions bp;
  bp.schedule = Schedule::flooding;
  bp.iterations = o.compile.iterations;
  bp.tolerance = 0;
  bp.damping = o.compile.damping;
  bp.temperature = o.temperature;
  bp.threads = 1;
  bp.decimate = false;
  return (o.compile.algorithm == Algorithm::max_product ? max_product(graph, bp)
                                                        : sum_product(graph, bp))
      .marginals;
}

// Two states for each variable.
template <class T = double>
std::vector<double> beliefs(const network::Model& model, const network::Batch& batch) {
  network::Runner<T> runner(model);
  const auto logs = runner.run(batch);
  EXPECT_EQ(runner.output_width(), 2u);
  std::vector<double> result;
  for (std::size_t i = 0; i < logs.size(); i += 2) {
    const double difference = double{logs[i + 1]} - double{logs[i]};
    result.push_back(1 / (1 + std::exp(difference)));
    result.push_back(1 / (1 + std::exp(-difference)));
  }
  return result;
}

synthetic::SyntheticOptions dataset(const std::string& name, std::size_t order,
                                    std::size_t length = 30) {
  synthetic::SyntheticOptions o;
  o.dataset = name;
  o.order = order;
  o.length = length;
  return o;
}

// One network, several graphs.
void expect_flooding(const SyntheticTask& task, const FamilyOptions& o, std::uint64_t instances) {
  const network::Model model = compile_family(task.schema(), o);
  for (std::uint64_t i = 0; i < instances; ++i) {
    const auto numbers = task.numbers(Stream::test, i);
    EXPECT_LE(largest_difference(beliefs(model, task.features(numbers)),
                                 flooding(numbers.graph(), o).values()),
              1e-9)
        << task.settings().at("dataset") << ", order " << task.settings().at("order")
        << ", instance " << i << ", " << o.compile.iterations << " iterations";
  }
}

TEST(Family, OfSumProductIsFloodingOnEveryGraph) {
  for (const char* name : {"D1", "D2", "D3"}) {
    for (const std::size_t order : {3, 6, 9}) {
      const SyntheticTask task(dataset(name, order));
      for (const std::size_t k : {1, 2, 5, 20}) {
        expect_flooding(task, family(Algorithm::sum_product, k), 4);
      }
    }
  }
  for (const char* name : {"D4", "tree"}) {
    const SyntheticTask task(dataset(name, 9));
    for (const std::size_t k : {1, 2, 5, 20}) {
      expect_flooding(task, family(Algorithm::sum_product, k), 4);
    }
  }
}

TEST(Family, OfMaxProductIsFloodingOnEveryGraph) {
  for (const char* name : {"D1", "D2", "D3", "D4", "tree"}) {
    const SyntheticTask task(dataset(name, 4));
    for (const std::size_t k : {1, 2, 5, 20}) {
      expect_flooding(task, family(Algorithm::max_product, k), 3);
    }
  }
}

// 256 terms a budget.
TEST(Family, OfMaxProductTakesBudgetsOverEightVariables) {
  expect_flooding(SyntheticTask(dataset("D3", 8, 12)), family(Algorithm::max_product, 2), 2);
}

TEST(Family, DampingIsThatOfFlooding) {
  const SyntheticTask task(dataset("D3", 4));
  for (const Algorithm algorithm : {Algorithm::sum_product, Algorithm::max_product}) {
    auto o = family(algorithm, 6);
    const auto graph = task.numbers(Stream::test, 0).graph();
    const auto plain = flooding(graph, o);
    for (const double damping : {0.25, 0.7}) {
      o.compile.damping = damping;
      expect_flooding(task, o, 3);
      EXPECT_GT(largest_difference(flooding(graph, o).values(), plain.values()), 1e-4);
    }
  }
}

TEST(Family, TheTemperatureIsThatOfSumProduct) {
  for (const char* name : {"D3", "D4", "tree"}) {
    const SyntheticTask task(dataset(name, 5));
    for (const double temperature : {0.5, 2.0}) {
      auto o = family(Algorithm::sum_product, 7);
      o.temperature = temperature;
      expect_flooding(task, o, 3);
      o.compile.damping = 0.4;
      expect_flooding(task, o, 1);
    }
  }
}

// Trees have one answer, to which the beliefs tend.
TEST(Family, SumProductOfLowTemperatureDecidesAsMaxProduct) {
  const SyntheticTask task(dataset("tree", 9));
  auto o = family(Algorithm::sum_product, 20);
  o.temperature = 0.02;
  const network::Model model = compile_family(task.schema(), o);
  for (std::uint64_t i = 0; i < 5; ++i) {
    const auto wanted = task.instance(Stream::test, i);
    const auto got = beliefs(model, wanted.batch);
    for (std::size_t v = 0; v < wanted.classes.size(); ++v) {
      EXPECT_EQ(got[2 * v + 1] > 0.5, wanted.classes[v] == 1) << "tree " << i << ", " << v;
    }
  }
}

TEST(Family, FurtherVariableFeaturesSayNothing) {
  const LdpcTask task{ldpc::LdpcOptions()};
  const network::Model model = compile_family(task.schema(), family(Algorithm::sum_product, 5));
  auto batch = task.instance(Stream::test, 0).batch;
  const auto want = beliefs(model, batch);
  for (std::size_t i = 0; i < batch.variable.size(); i += 4) {
    batch.variable[i + 2] += 3;
    batch.variable[i + 3] = -1;
  }
  EXPECT_EQ(beliefs(model, batch), want);
  batch.variable[1] += 1;
  EXPECT_NE(beliefs(model, batch), want);
}

// One received word of a code.
struct Word {
  network::Batch batch;
  FactorGraph graph;
};

Word word(const SparseParityMatrix& checks, std::shared_ptr<const network::Structure> structure,
          FactorGraph graph, Rng& rng, double scale) {
  Word w;
  w.batch.structure = std::move(structure);
  w.batch.relations.resize(1);
  std::vector<double> unaries;
  for (std::uint32_t i = 0; i < checks.num_columns(); ++i) {
    const double half = 0.5 * scale * rng.normal();
    w.batch.variable.insert(w.batch.variable.end(), {-half, half, rng.normal(), rng.uniform()});
    unaries.insert(unaries.end(), {-half, half});
  }
  w.graph = graph.with_unaries(std::move(unaries));
  return w;
}

TEST(Family, OfChecksIsFloodingOnAllWordsOfAllCodes) {
  Rng rng(3);
  const LdpcTask task{ldpc::LdpcOptions()};
  for (const auto& checks : {task.code().checks, testing::hamming()}) {
    const auto structure = learned::check_structure(checks);
    for (const std::size_t k : {1, 2, 5, 20}) {
      auto o = family(Algorithm::sum_product, k);
      o.compile.damping = k == 5 ? 0.3 : 0;
      const network::Model model = compile_family(LdpcTask(ldpc::LdpcOptions()).schema(), o);
      for (int round = 0; round < 4; ++round) {
        const Word w = word(checks, structure, parity_graph(checks), rng, 2);
        EXPECT_LE(largest_difference(beliefs(model, w.batch), flooding(w.graph, o).values()), 1e-9)
            << k << " iterations";
      }
    }
  }
}

// With a floor f a check is worth 1 + f where it holds and f where it does not.
TEST(Family, TheFloorIsAddedToTheChecks) {
  const auto checks = testing::hamming();
  Rng rng(4);
  for (const double f : {0.2, 1e-3}) {
    GraphBuilder b;
    const auto x = b.variables("x", checks.num_columns(), 2);
    for (std::uint32_t c = 0; c < checks.num_rows(); ++c) {
      std::vector<VariableId> scope;
      for (const auto v : checks.row(c)) scope.push_back(x[v]);
      std::vector<double> values(std::size_t{1} << scope.size());
      for (std::size_t s = 0; s < values.size(); ++s) {
        values[s] = std::log(__builtin_popcountll(s) % 2 == 0 ? 1 + f : f);
      }
      b.factor(std::span<const VariableId>(scope),
               Table(std::vector<State>(scope.size(), 2), values));
    }
    const FactorGraph graph = std::move(b).build();
    auto o = family(Algorithm::sum_product, 6);
    o.floor = f;
    const network::Model model = compile_family(LdpcTask(ldpc::LdpcOptions()).schema(), o);
    const auto structure = learned::check_structure(checks);
    for (int round = 0; round < 3; ++round) {
      const Word w = word(checks, structure, graph, rng, 3);
      EXPECT_LE(largest_difference(beliefs(model, w.batch), flooding(w.graph, o).values()), 1e-9);
    }
  }
}

// Words so certain that floats see nothing but certainty, and wrong in one bit.
TEST(Family, WithAFloorFloatsAreNotOvercertain) {
  const LdpcTask task{ldpc::LdpcOptions()};
  auto batch = task.instance(Stream::test, 0).batch;
  for (std::size_t i = 0; i < batch.variable.size(); i += 4) {
    const double half = i == 40 ? -2 : 15;  // all bits one way, bit 10 the other
    batch.variable[i] = half;
    batch.variable[i + 1] = -half;
  }
  auto o = family(Algorithm::sum_product, 10);
  o.floor = 1e-7;
  network::Runner<float> runner(compile_family(task.schema(), o));
  const auto logs = runner.run(batch);
  const double most = std::log(1 / o.floor);
  for (std::size_t v = 0; v < logs.size() / 2; ++v) {
    const double ratio = double{logs[2 * v]} - double{logs[2 * v + 1]};
    EXPECT_GT(ratio, 0) << v;
    EXPECT_LE(ratio, 30 + 8 * (most + 1)) << v;  // no column has more than 8 checks
  }
}

network::Schema schema(std::size_t variable_features,
                       std::vector<network::RelationSchema> relations) {
  return {variable_features, std::move(relations)};
}

TEST(Family, RelationsOfNoFamilyAreRefusedByName) {
  const auto refused = [](Algorithm algorithm, network::RelationSchema r, const std::string& why) {
    expect_error(ErrorCode::unsupported, "relation '" + r.name + "': " + why, [&] {
      compile_family(schema(2, {{"pair", 4, 2, 2}, r}), family(algorithm, 3));
    });
  };
  const auto sum = Algorithm::sum_product, max = Algorithm::max_product;
  refused(sum, {"triple", 8, 3, 0}, "is of no known family; families are made of 'pair'");
  refused(sum, {"pair", 3, 2, 2}, "is of no known family");
  refused(sum, {"pair", 4, 1, 2}, "is of no known family");
  refused(sum, {"budget", 5, 4, 4}, "is of no known family");
  refused(sum, {"budget", 0, 0, 0}, "is of no known family");
  refused(sum, {"check", 1, 1, 0}, "is of no known family");
  refused(sum, {"check", 0, 2, 0}, "is of no known family");
  refused(max, {"check", 0, 1, 0}, "cannot be compiled for max-product");
  refused(max, {"triple", 8, 3, 0}, "cannot be compiled for max-product");
  refused(max, {"budget", 11, 11, 11}, "has 2^n terms as a maximum, too many");
}

TEST(Family, BudgetsTooWideForAnExactSumAreRefused) {
  const auto wide = [](std::size_t n) { return schema(2, {{"budget", n, n, n}}); };
  EXPECT_NO_THROW(compile_family(wide(16), family(Algorithm::sum_product, 1)));
  expect_error(ErrorCode::unsupported, "budget: over 40 variables has no exact sum of 41 terms",
               [&] { compile_family(wide(40), family(Algorithm::sum_product, 1)); });
}

TEST(Family, VariablesNeedTwoLogPotentials) {
  const auto refused = [](Algorithm algorithm, std::size_t features) {
    expect_error(ErrorCode::unsupported, "family: needs two log-potentials on every variable", [&] {
      compile_family(schema(features, {{"pair", 4, 2, 2}}), family(algorithm, 3));
    });
  };
  refused(Algorithm::sum_product, 0);
  refused(Algorithm::sum_product, 1);
  refused(Algorithm::max_product, 1);
  refused(Algorithm::max_product, 4);
  EXPECT_NO_THROW(
      compile_family(schema(4, {{"pair", 4, 2, 2}}), family(Algorithm::sum_product, 1)));
}

TEST(Family, WrongOptionsAreRefused) {
  const auto refused = [](const std::string& what, auto change) {
    FamilyOptions o;
    EXPECT_NO_THROW(o.validate());
    change(o);
    expect_error(ErrorCode::usage, what,
                 [&] { compile_family(LdpcTask(ldpc::LdpcOptions()).schema(), o); });
  };
  refused("floor: must be 0 … 0.5", [](auto& o) { o.floor = -1e-9; });
  refused("floor: must be 0 … 0.5", [](auto& o) { o.floor = 0.5; });
  refused("floor: must be 0 … 0.5", [](auto& o) { o.floor = std::nan(""); });
  refused("temperature: must be above 0", [](auto& o) { o.temperature = 0; });
  refused("temperature: must be above 0", [](auto& o) { o.temperature = -1; });
  refused("temperature: must be above 0", [](auto& o) { o.temperature = std::nan(""); });
  refused("temperature: must be", [](auto& o) { o.temperature = kInfinity; });
  refused("temperature: is of sum-product", [](auto& o) {
    o.compile.algorithm = Algorithm::max_product;
    o.temperature = 2;
  });
  refused("iterations", [](auto& o) { o.compile.iterations = 0; });
  refused("damping", [](auto& o) { o.compile.damping = 1; });
  refused("latents: and channels go together", [](auto& o) { o.compile.latents = 2; });
  refused("slots: must be at least 1", [](auto& o) { o.slots = 0; });
}

// A variable in more factors than there are slots.
TEST(Family, MaxProductRefusesGraphsOfHigherDegreeThanItsSlots) {
  const SyntheticTask task(dataset("D3", 5));
  auto o = family(Algorithm::max_product, 2);
  o.slots = 5;
  expect_flooding(task, o, 1);
  o.slots = 4;
  network::Runner<double> runner(compile_family(task.schema(), o));
  const auto batch = task.features(task.numbers(Stream::test, 0));
  expect_error(ErrorCode::usage, "relation 1: has 5 kinds of edges where the network knows 4",
               [&] { runner.run(batch); });
}

TEST(Family, TheModelSaysWhatItIs) {
  auto o = family(Algorithm::sum_product, 4);
  o.compile.damping = 0.5;
  const network::Model model = compile_family(LdpcTask(ldpc::LdpcOptions()).schema(), o);
  EXPECT_EQ(model.metadata.at("algorithm"), "sum-product");
  EXPECT_EQ(model.metadata.at("iterations"), "4");
  EXPECT_EQ(model.metadata.at("damping"), "0.5");
  EXPECT_FALSE(is_compiled(model));  // from no graph in particular
}

TEST(Family, WhatCanBeLearnedHasNoEffectAtTheStart) {
  const SyntheticTask d3(dataset("D3", 9));
  const LdpcTask ldpc({});
  for (const tasks::Task* task :
       {static_cast<const tasks::Task*>(&d3), static_cast<const tasks::Task*>(&ldpc)}) {
    auto o = family(Algorithm::sum_product, 6);
    o.floor = 1e-7;
    const network::Model plain = compile_family(task->schema(), o);
    for (const bool untied : {false, true}) {
      o.compile.untied = untied;
      o.compile.latents = 5;
      o.compile.channels = 3;
      o.compile.seed = 8;
      const network::Model more = compile_family(task->schema(), o);
      EXPECT_GT(more.program.parameters.size(), plain.program.parameters.size());
      for (std::uint64_t i = 0; i < 3; ++i) {
        const auto batch = task->instance(Stream::validation, i).batch;
        EXPECT_LE(largest_difference(beliefs(more, batch), beliefs(plain, batch)), 1e-12);
        EXPECT_LE(largest_difference(beliefs<float>(more, batch), beliefs<float>(plain, batch)),
                  1e-6);
      }
    }
    // The weights are those of the seed, and only those have no effect.
    auto p = o;
    p.compile.seed = 9;
    EXPECT_NE(compile_family(task->schema(), p).weights, compile_family(task->schema(), o).weights);
  }
}

}  // namespace
}  // namespace fgnn::neuralize
