#include "fgnn/network/run.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"

namespace fgnn::network {
namespace {

using testing::expect_error;
using testing::random_batch;
using testing::random_features;
using testing::random_model;
using testing::random_structure;
using testing::same_numbers;
using testing::with_own_kinds;

// What a network says of a batch, in double.
std::vector<double> run(const Model& model, const Batch& batch, int threads = 1) {
  Runner<double> runner(model);
  const auto out = runner.run(batch, threads);
  return {out.begin(), out.end()};
}

struct Network {
  std::string text, options;
};

// Networks in which graphs do not see each other.
std::vector<Network> networks() {
  std::vector<Network> all;
  for (const char* norm : {"none", "batch", "layer", "instance"}) {
    const std::string options = std::string(R"({"norm": ")") + norm + "\"}";
    for (const char* text :
         {"FC(8) - 2*FGNN(8) - Out(3)", "2*FGNN(8, q=mixture, bases=3, q_hidden=5) - Out(2)",
          "2*FGNN(8, aggregate=max+sum+mean+logsumexp+product, m=5+6, activation=tanh)",
          "FGNN(8, q=mlp, q_hidden=4, update=no, order=together) - FGNN(5)",
          "2*FGNN(8, form=message, aggregate=logsumexp) - Out(2)",
          "FC(8) - 2@MPNN(8) - Global(mean) - Out(2)",
          "2*FGNN(8, to_factor=max, to_variable=sum, factor=5, edges=yes) - Out(2)",
          "Factors(5, aggregate=product) - FGNN(8, q=mixture, mix=table, bases=3) - Out(2)",
          "FC(8) - Cat[2@MPNN(8, direction=symmetric, aggregate=mean)] - Set2Set(3) - Out(2)",
          "2*EdgeConv(8, k=3) - Global(max) - Out(2)"}) {
      all.push_back({text, options});
    }
  }
  for (const char* norm : {"none", "batch", "layer"}) {  // instance: refused
    all.push_back(
        {"FGNN(8) - Pool(sum) - FC(4) - Out(2)", std::string(R"({"norm": ")") + norm + "\"}"});
  }
  return all;
}

std::vector<Model> models() {
  std::vector<Model> all;
  for (const auto& [text, options] : networks()) all.push_back(random_model(text, options));
  for (const auto& p : presets()) all.push_back(random_model(describe(p.name)));
  return all;
}

std::string said(const Model& m) { return m.description.json(); }

void expect_batch_equals_singles(const Model& model, const std::vector<Batch>& graphs) {
  SCOPED_TRACE(said(model));
  std::vector<double> want;
  for (const Batch& g : graphs) {
    const auto one = run(model, g);
    want.insert(want.end(), one.begin(), one.end());
  }
  const Batch all = Batch::of(graphs);
  EXPECT_TRUE(same_numbers(run(model, all), want, 1e-9));
  EXPECT_TRUE(same_numbers(run(model, all, 2), want, 1e-9));
  Runner<float> floats(model);
  EXPECT_TRUE(same_numbers(floats.run(all), want, 3e-3));
}

TEST(Runner, ABatchOfOneStructureEqualsItsGraphs) {
  Rng rng(1);
  const auto structure = random_structure(rng, 9, 10, 3);
  std::vector<Batch> graphs;
  for (int i = 0; i < 5; ++i) graphs.push_back(random_features(rng, structure));
  EXPECT_EQ(Batch::of(graphs).copies, 5u);
  for (const Model& model : models()) expect_batch_equals_singles(model, graphs);
}

TEST(Runner, ABatchOfMixedSizesEqualsItsGraphs) {
  Rng rng(2);
  std::vector<Batch> graphs;
  for (int i = 0; i < 4; ++i) graphs.push_back(random_batch(rng));
  graphs.push_back(random_features(rng, random_structure(rng, 6, 5, 0)));  // no budgets
  graphs.push_back(random_features(rng, random_structure(rng, 1, 0, 0)));  // nothing but a variable
  graphs.push_back(graphs[1]);
  EXPECT_EQ(Batch::of(graphs).copies, 1u);
  EXPECT_EQ(Batch::of(graphs).graphs(), 7u);
  for (const Model& model : models()) expect_batch_equals_singles(model, graphs);
}

TEST(Runner, AGraphWithoutFactorsRuns) {
  Rng rng(3);
  const Batch b = random_features(rng, random_structure(rng, 4, 0, 0));
  for (const Model& model : models()) {
    for (const double x : run(model, b)) EXPECT_TRUE(std::isfinite(x)) << said(model);
  }
}

TEST(Runner, RemembersNothingOfTheRunBefore) {
  Rng rng(4);
  const Batch a = random_batch(rng), b = random_features(rng, a.structure, 3),
              c = random_batch(rng);
  for (const Model& model : models()) {
    Runner<double> runner(model);
    for (const Batch* batch : {&a, &b, &c, &a, &c, &b}) {
      const auto out = runner.run(*batch);
      EXPECT_EQ(std::vector<double>(out.begin(), out.end()), run(model, *batch)) << said(model);
    }
  }
}

// ---- the order of things ----

std::vector<std::size_t> random_order(Rng& rng, std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng.shuffle(order);
  return order;
}

// Row i of the result is row order[i].
template <class T>
std::vector<T> rows_in_order(const std::vector<T>& x, const std::vector<std::size_t>& order) {
  const std::size_t width = order.empty() ? 0 : x.size() / order.size();
  std::vector<T> result;
  for (const std::size_t i : order) {
    result.insert(result.end(), x.begin() + static_cast<std::ptrdiff_t>(i * width),
                  x.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
  }
  return result;
}

// Of one graph, in one copy: variable i was variables[i], factor c of relation r factors[r][c].
Batch reordered(const Batch& b, const std::vector<std::size_t>& variables,
                const std::vector<std::vector<std::size_t>>& factors) {
  std::vector<Index> now(variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i) now[variables[i]] = static_cast<Index>(i);
  Batch result = b;
  result.variable = rows_in_order(b.variable, variables);
  std::vector<Relation> relations;
  for (std::size_t r = 0; r < factors.size(); ++r) {
    const Relation& from = b.structure->relations()[r];
    Relation to{from.factors, from.kinds, from.own_kinds, {}, {}, {}};
    for (std::size_t c = 0; c < factors[r].size(); ++c) {
      for (std::size_t e = 0; e < from.edges(); ++e) {
        if (from.factor[e] != factors[r][c]) continue;
        to.factor.push_back(static_cast<Index>(c));
        to.variable.push_back(now[from.variable[e]]);
        to.kind.push_back(from.kind[e]);
      }
    }
    result.relations[r].factor = rows_in_order(b.relations[r].factor, factors[r]);
    relations.push_back(std::move(to));
  }
  result.structure = std::make_shared<const Structure>(b.structure->variables(), relations);
  return result;
}

std::vector<std::vector<std::size_t>> factor_orders(const Batch& b, Rng* rng) {
  std::vector<std::vector<std::size_t>> orders;
  for (const auto& r : b.structure->relations()) {
    orders.emplace_back(r.factors);
    std::iota(orders.back().begin(), orders.back().end(), std::size_t{0});
    if (rng != nullptr) rng->shuffle(orders.back());
  }
  return orders;
}

bool by_graph(const Model& m) {
  return m.program.registers[m.program.output].place.rows == Place::graph;
}

TEST(Runner, PermutedVariablesPermuteTheOutputs) {
  Rng rng(5);
  const Batch b = random_batch(rng);
  for (const Model& model : models()) {
    const auto order = random_order(rng, b.structure->variables());
    const auto got = run(model, reordered(b, order, factor_orders(b, nullptr)));
    const auto before = run(model, b);
    EXPECT_TRUE(same_numbers(got, by_graph(model) ? before : rows_in_order(before, order), 1e-9))
        << said(model);
  }
}

TEST(Runner, PermutedFactorsChangeNothing) {
  Rng rng(6);
  const Batch b = random_batch(rng);
  std::vector<std::size_t> same(b.structure->variables());
  std::iota(same.begin(), same.end(), std::size_t{0});
  for (const Model& model : models()) {
    const auto got = run(model, reordered(b, same, factor_orders(b, &rng)));
    EXPECT_TRUE(same_numbers(got, run(model, b), 1e-9)) << said(model);
  }
}

TEST(Runner, PermutedGraphsPermuteTheOutputs) {
  Rng rng(7);
  std::vector<Batch> graphs;
  for (int i = 0; i < 4; ++i) graphs.push_back(random_batch(rng));
  for (const Model& model : models()) {
    const auto order = random_order(rng, graphs.size());
    std::vector<Batch> permuted;
    std::vector<double> want;
    for (const std::size_t g : order) {
      permuted.push_back(graphs[g]);
      const auto one = run(model, graphs[g]);
      want.insert(want.end(), one.begin(), one.end());
    }
    EXPECT_TRUE(same_numbers(run(model, Batch::of(permuted)), want, 1e-9)) << said(model);
  }
}

// ---- masks ----

// A batch of one copy without the edges that are masked.
Batch removed(const Batch& b) {
  Batch result = b;
  std::vector<Relation> relations;
  for (std::size_t r = 0; r < b.relations.size(); ++r) {
    const Relation& from = b.structure->relations()[r];
    Relation to{from.factors, from.kinds, from.own_kinds, {}, {}, {}};
    for (std::size_t e = 0; e < from.edges(); ++e) {
      if (b.relations[r].mask[e] == 0) continue;
      to.factor.push_back(from.factor[e]);
      to.variable.push_back(from.variable[e]);
      to.kind.push_back(from.kind[e]);
    }
    result.relations[r].mask.clear();
    relations.push_back(std::move(to));
  }
  result.structure = std::make_shared<const Structure>(b.structure->variables(), relations);
  return result;
}

void mask_randomly(Rng& rng, Batch& b) {
  for (std::size_t r = 0; r < b.relations.size(); ++r) {
    auto& mask = b.relations[r].mask;
    mask.resize(b.copies * b.structure->relations()[r].edges());
    for (auto& m : mask) m = rng.below(3) != 0;
  }
}

TEST(Runner, AMaskEqualsARemovedEdge) {
  Rng rng(8);
  std::vector<Batch> graphs;
  const auto structure = random_structure(rng, 9, 10, 3);
  for (int i = 0; i < 3; ++i) {
    graphs.push_back(random_features(rng, structure));
    mask_randomly(rng, graphs.back());
  }
  int networks = 0;
  for (const Model& model : models()) {
    // MPNN knows pairs of variables, not edges; an instance norm of messages sees all of them.
    const auto json = said(model);
    if (json.find("MPNN") != std::string::npos) continue;
    if (json.find("message") != std::string::npos && json.find("instance") != std::string::npos) {
      continue;
    }
    ++networks;
    std::vector<double> want;
    for (const Batch& g : graphs) {
      const auto one = run(model, removed(g));
      want.insert(want.end(), one.begin(), one.end());
      EXPECT_TRUE(same_numbers(run(model, g), one, 1e-9)) << json;
    }
    EXPECT_TRUE(same_numbers(run(model, Batch::of(graphs)), want, 1e-9)) << json;
  }
  EXPECT_GT(networks, 25);
}

TEST(Runner, AMaskOfAllOnesChangesNothing) {
  Rng rng(9);
  Batch b = random_batch(rng);
  for (const Model& model : models()) {
    Batch masked = b;
    for (std::size_t r = 0; r < 2; ++r) {
      masked.relations[r].mask.assign(b.structure->relations()[r].edges(), 1);
    }
    EXPECT_EQ(run(model, masked), run(model, b)) << said(model);
  }
}

// ---- edge features by graph ----

TEST(Runner, EdgeFeaturesOfTheGraphsEqualThoseOfTheModel) {
  Rng rng(10);
  const Batch first = random_features(rng, random_structure(rng, 9, 10, 3)),
              second = random_features(rng, random_structure(rng, 7, 6, 2));
  const Batch own = with_own_kinds(first), other = with_own_kinds(second);
  // Copies of one structure: features by copy.
  Batch changed = random_features(rng, first.structure);
  Batch changed_own = with_own_kinds(changed);
  changed_own.structure = own.structure;
  for (const char* text :
       {"2*FGNN(8, q=mixture, bases=3, q_hidden=5) - Out(2)", "2*FGNN(8, q=mlp, q_hidden=5)",
        "2*FGNN(8, form=message, q=mixture, bases=3)", "FGNN(8, q=mixture, bases=2, m=5+6)",
        "2*FGNN(8, q=mlp, q_hidden=5, aggregate=sum)", "2*FGNN(8, q=identity, edges=yes)",
        "2*FGNN(8, q=mixture, bases=3, edges=yes, m=5+6)"}) {
    const Model model = random_model(text);
    EXPECT_TRUE(same_numbers(run(model, own), run(model, first), 1e-9)) << text;
    const Batch mixed[] = {own, other}, mixed_model[] = {first, second};
    EXPECT_TRUE(
        same_numbers(run(model, Batch::of(mixed)), run(model, Batch::of(mixed_model)), 1e-9))
        << text;
    const Batch copies[] = {own, changed_own}, copies_model[] = {first, changed};
    ASSERT_EQ(Batch::of(copies).copies, 2u);
    EXPECT_TRUE(
        same_numbers(run(model, Batch::of(copies)), run(model, Batch::of(copies_model)), 1e-9))
        << text;
  }
}

// ---- errors ----

TEST(CheckFeatures, NamesWhatDoesNotFit) {
  Rng rng(11);
  const Model model = random_model("FC(4) - FGNN(4) - FGNN(4, q=mixture) - Out(2)");
  const Batch good = random_features(rng, random_structure(rng, 9, 10, 3), 2);
  EXPECT_NO_THROW(check_features(model.program, good));
  const auto expect = [&](const std::string& error, auto change) {
    Batch b = good;
    change(b);
    expect_error(ErrorCode::usage, error, [&] { check_features(model.program, b); });
    expect_error(ErrorCode::usage, error, [&] { Runner<float>(model).run(b); });
  };
  expect("variable features: has 35 numbers where the network takes 36 (2 each)",
         [](Batch& b) { b.variable.pop_back(); });
  expect("factor features of relation 0: has 81 numbers where the network takes 80 (4 each)",
         [](Batch& b) { b.relations[0].factor.push_back(1); });
  expect("factor features of relation 1: has 0 numbers",
         [](Batch& b) { b.relations[1].factor.clear(); });
  expect("edge features of relation 1: has 80 numbers where the network takes 81 (9 each)",
         [](Batch& b) { b.relations[1].edge.pop_back(); });
  expect("mask of relation 0: needs one entry per edge",
         [](Batch& b) { b.relations[0].mask.assign(20, 1); });  // 20 edges, two copies
  expect("batch: has 2 factor types", [](Batch& b) { b.relations.pop_back(); });
  expect("batch: has 0 factor types where the network takes 2", [](Batch& b) {
    b.structure = std::make_shared<const Structure>(9, std::vector<Relation>{});
    b.relations.clear();
  });
  expect("relation 0: has 3 kinds of edges where the network knows 2", [](Batch& b) {
    auto relations = b.structure->relations();
    relations[0].kinds = 3;
    b.structure = std::make_shared<const Structure>(9, relations);
    b.relations[0].edge.resize(6);
  });
}

TEST(CheckFeatures, NamesTheGraphOfAnotherSize) {
  Rng rng(16);
  Description d = Description::parse(R"json({"network": "GraphConv(3)"})json", "test");
  d.schema = testing::pair_and_budget();
  d.schema.variables = 5;
  const Model model = random_model(d);
  const Batch five = random_features(rng, random_structure(rng, 5, 4, 1), 2);
  EXPECT_NO_THROW(check_features(model.program, five));
  const Batch graphs[] = {random_features(rng, five.structure),
                          random_features(rng, random_structure(rng, 6, 4, 1))};
  const Batch mixed = Batch::of(graphs);
  expect_error(ErrorCode::usage, "graph 1: has 6 variables where the network takes 5",
               [&] { Runner<float>(model).run(mixed); });
}

TEST(CheckFeatures, CoefficientsByKindNeedTheModelsKinds) {
  Rng rng(17);
  const Model model = random_model("FGNN(4, q=mixture, mix=table)");
  const Batch own = with_own_kinds(random_features(rng, random_structure(rng, 5, 1, 1)));
  expect_error(ErrorCode::usage, "relation 0: has kinds of edges of its own",
               [&] { Runner<float>(model).run(own); });
}

// ---- batches ----

TEST(Batch, FeaturesOfUnionsStandOneAfterAnother) {
  Rng rng(12);
  const Batch graphs[] = {random_batch(rng), random_batch(rng)};
  const Batch all = Batch::of(graphs);
  EXPECT_EQ(all.structure->graphs(), 2u);
  EXPECT_EQ(all.graphs(), 2u);
  EXPECT_EQ(all.variable.size(), graphs[0].variable.size() + graphs[1].variable.size());
  EXPECT_TRUE(
      std::equal(graphs[1].variable.begin(), graphs[1].variable.end(),
                 all.variable.begin() + static_cast<std::ptrdiff_t>(graphs[0].variable.size())));
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(all.relations[r].edge, graphs[0].relations[r].edge);  // the model's: once
    EXPECT_TRUE(all.relations[r].mask.empty());
  }
}

TEST(Batch, CopiesShareTheStructure) {
  Rng rng(13);
  const auto structure = random_structure(rng, 9, 10, 3);
  const Batch graphs[] = {random_features(rng, structure), random_features(rng, structure, 2)};
  const Batch all = Batch::of(graphs);
  EXPECT_EQ(all.structure, structure);
  EXPECT_EQ(all.copies, 3u);
  EXPECT_EQ(all.graphs(), 3u);
  EXPECT_EQ(all.variable.size(), 3u * 9 * 2);
}

TEST(Batch, MasksLeftOutAreFilledWithOnes) {
  Rng rng(14);
  const auto structure = random_structure(rng, 9, 10, 3);
  Batch a = random_features(rng, structure), b = random_features(rng, structure);
  b.relations[0].mask.assign(20, 0);
  const Batch graphs[] = {a, b};
  const Batch all = Batch::of(graphs);
  std::vector<std::uint8_t> want(40);
  std::fill_n(want.begin(), 20, 1);
  EXPECT_EQ(all.relations[0].mask, want);
  EXPECT_TRUE(all.relations[1].mask.empty());
}

TEST(Batch, ChecksWhatItIsGiven) {
  expect_error(ErrorCode::usage, "batch: has no graphs", [] { Batch::of({}); });
  Rng rng(15);
  Batch graphs[] = {random_batch(rng), random_batch(rng)};
  graphs[1].relations.pop_back();
  expect_error(ErrorCode::usage, "batch: has a graph without features of every relation",
               [&] { Batch::of(graphs); });
}

}  // namespace
}  // namespace fgnn::network
