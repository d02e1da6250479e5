// Items of networks against plain loops over rows, written from the equations in builder.h.
#include "fgnn/network/layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "fgnn/network/learner.h"
#include "fgnn/network/run.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"

namespace fgnn::network {
namespace {

using testing::random_features;
using testing::random_structure;
using testing::same_numbers;

using Row = std::vector<double>;
using Rows = std::vector<Row>;

Rows rows_of(const std::vector<double>& numbers, std::size_t width) {
  Rows rows;
  for (std::size_t i = 0; i < numbers.size(); i += width) {
    rows.emplace_back(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                      numbers.begin() + static_cast<std::ptrdiff_t>(i + width));
  }
  return rows;
}

std::vector<double> flat(const Rows& rows) {
  std::vector<double> all;
  for (const auto& r : rows) all.insert(all.end(), r.begin(), r.end());
  return all;
}

Row beside(Row a, const Row& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Row plus(Row a, const Row& b) {
  for (std::size_t j = 0; j < a.size(); ++j) a[j] += b[j];
  return a;
}
Row scaled(Row a, double by) {
  for (double& x : a) x *= by;
  return a;
}
Row each(Row a, double (*f)(double)) {
  for (double& x : a) x = f(x);
  return a;
}
double relu(double x) { return std::max(x, 0.0); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double dot(const Row& a, const Row& b) { return testing::dot(a, b); }

// A model with its weights by name.
struct Plain {
  Model model;

  explicit Plain(const std::string& network, Schema schema = testing::pair_and_budget())
      : model({network, {{"norm", "none"}}, std::move(schema)}, 3) {}

  const std::vector<double>& weight(const std::string& name) const {
    for (std::size_t i = 0; i < model.weights.size(); ++i) {
      if (model.program.parameters[i].name == name) return model.weights[i];
    }
    throw std::runtime_error("no weight " + name);
  }
  // x times the matrix that begins at row `first` of a weight.
  Row times(const Row& x, const std::string& name, std::size_t out, std::size_t first = 0) const {
    Row y(out);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < out; ++j) y[j] += x[i] * weight(name)[(first + i) * out + j];
    }
    return y;
  }
  Row linear(const Row& x, const std::string& name) const {
    const Row& bias = weight(name + ".bias");
    return plus(times(x, name + ".weight", bias.size()), bias);
  }
  std::vector<double> run(const Batch& batch) const {
    Runner<double> runner(model);
    const auto out = runner.run(batch);
    return {out.begin(), out.end()};
  }
};

Batch two_graphs(Rng& rng) {
  const Batch graphs[] = {random_features(rng, random_structure(rng, 7, 8, 2)),
                          random_features(rng, random_structure(rng, 5, 4, 1))};
  return Batch::of(graphs);
}

// ---- readouts ----

Row set_to_set(const Plain& p, const Rows& x, std::size_t steps) {
  const std::size_t w = x[0].size();
  Row q(w), c(w), r(w);
  for (std::size_t t = 0; t < steps; ++t) {
    const Row gates = plus(p.linear(beside(q, r), "0.lstm.input"), p.linear(q, "0.lstm.hidden"));
    for (std::size_t j = 0; j < w; ++j) {
      c[j] = sigmoid(gates[w + j]) * c[j] + sigmoid(gates[j]) * std::tanh(gates[2 * w + j]);
      q[j] = sigmoid(gates[3 * w + j]) * std::tanh(c[j]);
    }
    double sum = 0;
    for (const Row& row : x) sum += std::exp(dot(row, q));
    r.assign(w, 0);
    for (const Row& row : x) r = plus(r, scaled(row, std::exp(dot(row, q)) / sum));
  }
  return beside(q, r);
}

TEST(Layers, Set2SetEqualsItsEquations) {
  Rng rng(1);
  const Batch batch = two_graphs(rng);
  const Plain p("Set2Set(3)");
  const Rows x = rows_of(batch.variable, 2);
  const Rows first(x.begin(), x.begin() + 7), second(x.begin() + 7, x.end());
  EXPECT_TRUE(
      same_numbers(p.run(batch), beside(set_to_set(p, first, 3), set_to_set(p, second, 3)), 1e-12));
  EXPECT_EQ(p.model.program.trained_numbers(), 8 * (4 + 2) + 2 * 8u);  // as PyTorch's LSTM
}

TEST(Layers, CatStandsBesideItsInput) {
  Rng rng(2);
  const Batch batch = two_graphs(rng);
  const Plain p("Cat[FC(3, activation=relu)]");
  Rows want;
  for (const Row& x : rows_of(batch.variable, 2)) {
    want.push_back(beside(x, each(p.linear(x, "0.0.variable.linear"), relu)));
  }
  EXPECT_TRUE(same_numbers(p.run(batch), flat(want), 1e-12));
}

TEST(Layers, UnitHasLengthOneAndTimesItsNumber) {
  Rng rng(3);
  Batch batch = two_graphs(rng);
  batch.variable[0] = batch.variable[1] = 0;  // no direction: stays 0
  const Plain p("Unit() - Times(2.5)");
  ASSERT_EQ(p.weight("1.times"), std::vector<double>{2.5});
  Rows want;
  for (const Row& x : rows_of(batch.variable, 2)) {
    want.push_back(scaled(x, x[0] == 0 ? 0 : 2.5 / std::sqrt(dot(x, x))));
  }
  EXPECT_TRUE(same_numbers(p.run(batch), flat(want), 1e-9));
}

// ---- MPNN ----

struct Arc {
  std::size_t from, to, factor;
};

std::vector<Arc> arcs(const Structure& s, bool forward, bool backward) {
  const Relation& r = s.relations()[0];
  std::vector<Arc> all;
  for (std::size_t e = 0; e < r.edges(); e += 2) {
    const Index a = r.variable[e], b = r.variable[e + 1], c = r.factor[e];
    if (forward) all.push_back({a, b, c});
    if (backward) all.push_back({b, a, c});
  }
  return all;
}

// One layer of width 2, with everything that it may have: as NNConv and a GRU of PyTorch Geometric.
Rows mpnn(const Plain& p, const Rows& x, const Rows& features,
          const std::vector<std::pair<std::string, std::vector<Arc>>>& directions) {
  Rows received(x.size(), Row(2));
  for (const auto& [name, all] : directions) {
    std::vector<int> degree(x.size());
    Rows sum(x.size(), Row(2));
    for (const Arc& arc : all) {
      const Row a = each(p.linear(features[arc.factor], name + ".q.hidden"), relu);
      ++degree[arc.to];
      for (std::size_t b = 0; b < a.size(); ++b) {
        sum[arc.to] =
            plus(sum[arc.to], scaled(p.times(x[arc.from], name + ".q.bases", 2, 2 * b), a[b]));
      }
      sum[arc.to] = plus(sum[arc.to], p.times(x[arc.from], name + ".q.bias.weight", 2));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      received[i] = plus(received[i], scaled(sum[i], 1. / std::max(1, degree[i])));
    }
  }
  Rows next;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Row m = each(plus(received[i], p.linear(x[i], "0.root")), relu);
    const Row a = p.linear(m, "0.gru.input"), b = p.linear(x[i], "0.gru.hidden");
    Row h(2);
    for (std::size_t j = 0; j < 2; ++j) {
      const double z = sigmoid(a[2 + j] + b[2 + j]);
      const double n = std::tanh(a[4 + j] + sigmoid(a[j] + b[j]) * b[4 + j]);
      h[j] = (1 - z) * n + z * x[i][j];
    }
    next.push_back(h);
  }
  return next;
}

TEST(Layers, MpnnEqualsItsEquationsInEveryDirection) {
  Rng rng(4);
  const Batch batch = two_graphs(rng);
  const Structure& s = *batch.structure;
  const std::string later = "0.pair.later", earlier = "0.pair.earlier";
  const std::pair<std::string, std::vector<std::pair<std::string, std::vector<Arc>>>> all[] = {
      {"forward", {{later, arcs(s, true, false)}}},
      {"backward", {{earlier, arcs(s, false, true)}}},
      {"symmetric", {{"0.pair.pair", arcs(s, true, true)}}},
      {"both", {{later, arcs(s, true, false)}, {earlier, arcs(s, false, true)}}}};
  for (const auto& [direction, directions] : all) {
    SCOPED_TRACE(direction);
    const Plain p(
        "3@MPNN(2, root=yes, q_bias=yes, aggregate=mean, received=relu, q_hidden=5, "
        "direction=" +
        direction + ")");
    Rows x = rows_of(batch.variable, 2);
    const Rows features = rows_of(batch.relations[0].factor, 4);
    for (int t = 0; t < 3; ++t) x = mpnn(p, x, features, directions);
    EXPECT_TRUE(same_numbers(p.run(batch), flat(x), 1e-12));
  }
}

// ---- Pairs ----

// One layer of width 2 by its equation; the largest message, or none.
Rows pairs_layer(const Plain& p, const std::string& name, const Rows& x, const Rows& features,
                 const std::vector<Arc>& all, bool diagonal) {
  const std::string code = diagonal ? "pair.code5.3" : "pair.code5.3m";
  Rows largest(x.size(), Row(2));
  std::vector<bool> any(x.size());
  for (const Arc& arc : all) {
    const Row hidden = each(p.linear(features[arc.factor], code + ".hidden"), relu);
    Row c = p.linear(hidden, code + ".mix");
    if (diagonal) c = each(c, relu);
    Row h = plus(p.linear(x[arc.to], name + ".target"),
                 p.times(x[arc.from], name + ".source.weight", 2));
    Row message(2);
    if (diagonal) {
      h = each(plus(h, p.times(c, name + ".shift.weight", 2)), relu);
      const Row gate = p.linear(c, name + ".gate");
      for (std::size_t j = 0; j < 2; ++j) message[j] = h[j] * gate[j];
    } else {
      h = each(h, relu);
      for (std::size_t b = 0; b < 3; ++b) {
        message = plus(message, scaled(p.times(h, name + ".q.bases", 2, 2 * b), c[b]));
      }
    }
    for (std::size_t j = 0; j < 2; ++j) {
      double& best = largest[arc.to][j];
      best = any[arc.to] ? std::max(best, message[j]) : message[j];
    }
    any[arc.to] = true;
  }
  Rows next;
  for (std::size_t i = 0; i < x.size(); ++i) {
    next.push_back(plus(each(p.linear(largest[i], name + ".update.linear"), std::tanh), x[i]));
  }
  return next;
}

TEST(Layers, PairsEqualTheirEquationWithEitherMatrix) {
  Rng rng(6);
  const Batch batch = two_graphs(rng);
  for (const bool diagonal : {true, false}) {
    SCOPED_TRACE(diagonal);
    const Plain p(std::string("2*Pairs(2, relation=pair, updated=tanh, q_hidden=5, bases=3, q=") +
                  (diagonal ? "diagonal)" : "mixture)"));
    Rows x = rows_of(batch.variable, 2);
    const Rows features = rows_of(batch.relations[0].factor, 4);
    const auto all = arcs(*batch.structure, true, false);
    for (const char* name : {"0_0", "0_1"}) x = pairs_layer(p, name, x, features, all, diagonal);
    EXPECT_TRUE(same_numbers(p.run(batch), flat(x), 1e-12));
  }
}

TEST(Layers, FgnnOfSomeRelationsLeavesOthersAlone) {
  Rng rng(7);
  Batch batch = two_graphs(rng);
  const Plain p("2*FGNN(4, relation=budget) - Out(2)");
  const auto before = p.run(batch);
  for (double& x : batch.relations[0].factor) x = rng.normal();
  EXPECT_EQ(p.run(batch), before);
  for (double& x : batch.relations[1].factor) x = rng.normal();
  EXPECT_NE(p.run(batch), before);
}

TEST(Layers, TiedLayersMakeTheirEdgeNetworkOnce) {
  const auto operations = [](const char* text) {
    return Plain(text).model.program.operations.size();
  };
  const std::size_t one = operations("FC(2) - 1@MPNN(2)"), two = operations("FC(2) - 2@MPNN(2)");
  EXPECT_EQ(operations("FC(2) - 5@MPNN(2)"), one + 4 * (two - one));
  EXPECT_EQ(operations("FC(2) - 2*MPNN(2)"), two + 2);  // one for each direction
}

// ---- GraphConv and norm=position ----

Schema six_variables() { return {2, {}, 6}; }

Batch graphs_of_six(Rng& rng, std::size_t copies) {
  const auto structure = std::make_shared<const Structure>(6, std::vector<Relation>{});
  return {structure, copies, testing::normal_numbers<double>(rng, copies * 12), {}};
}

TEST(Layers, GraphConvEqualsItsEquation) {
  Rng rng(5);
  const Batch batch = graphs_of_six(rng, 3);
  for (const std::size_t w : {1, 5}) {  // narrower and wider than its input
    const Plain p("GraphConv(" + std::to_string(w) + ", activation=tanh)", six_variables());
    const Rows x = rows_of(batch.variable, 2);
    Rows want;
    for (std::size_t g = 0; g < 3; ++g) {
      for (std::size_t i = 0; i < 6; ++i) {
        Row y = p.weight("0.bias");
        for (std::size_t j = 0; j < 6; ++j) {
          y = plus(y,
                   scaled(p.times(x[g * 6 + j], "0.weight", w), p.weight("0.between")[i * 6 + j]));
        }
        want.push_back(each(y, std::tanh));
      }
    }
    EXPECT_TRUE(same_numbers(p.run(batch), flat(want), 1e-12));
  }
}

// The network of Mao et al. 2019 for 48 angles and 20 coefficients: 2.26 million numbers.
TEST(Layers, MotionNetworkHasAsManyWeightsAsPublished) {
  const std::string conv = "GraphConv(256, norm=position, activation=tanh) - Dropout(0.5)";
  const Plain p("Res[" + conv + " - 12*Res[2*[" + conv +
                    "]] - GraphConv(20, norm=none, activation=identity)]",
                {20, {}, 48});
  EXPECT_EQ(p.model.program.trained_numbers(), 7680 + 24 * 68096 + 7444 + 25 * 24576u);
}

TEST(Layers, NormByPositionIsBatchNormOverAllNumbersOfAGraph) {
  Rng rng(6);
  const Batch first = graphs_of_six(rng, 3), second = graphs_of_six(rng, 2);
  const Plain p("FC(2, norm=position, activation=identity)", six_variables());
  Rows graphs;  // of x W, 12 numbers each
  for (const Batch* b : {&first, &second}) {
    std::vector<double> y;
    for (const Row& x : rows_of(b->variable, 2)) {
      y = beside(y, p.times(x, "0.variable.linear.weight", 2));
    }
    for (const Row& g : rows_of(y, 12)) graphs.push_back(g);
  }
  Row mean(12), variance(12);
  for (const Row& g : graphs) mean = plus(mean, scaled(g, 0.2));
  for (const Row& g : graphs) {
    for (std::size_t j = 0; j < 12; ++j) variance[j] += (g[j] - mean[j]) * (g[j] - mean[j]) / 5;
  }
  std::vector<double> want, got;
  for (const Row& g : graphs) {
    for (std::size_t j = 0; j < 12; ++j) {
      want.push_back((g[j] - mean[j]) / std::sqrt(variance[j] + 1e-5));
    }
  }
  Learner<double> learner(p.model);
  const Batch* parts[] = {&first, &second};
  LearnOptions options;
  options.momentum = 1;
  learner.forward(parts, options, [&](std::size_t, std::span<const double> out) {
    got.insert(got.end(), out.begin(), out.end());
  });
  EXPECT_TRUE(same_numbers(got, want, 1e-12));
  Plain trained = p;
  learner.store(trained.model);
  EXPECT_TRUE(same_numbers(trained.weight("0.variable.norm.mean"), mean, 1e-12));
  EXPECT_TRUE(
      same_numbers(trained.weight("0.variable.norm.variance"), scaled(variance, 5. / 4), 1e-12));
}

// ---- FGNN ----

// Both directions of one relation, without update and norm: what the options name, one by one.
TEST(Layers, FgnnSeesEdgesAndMixesByATable) {
  Rng rng(7);
  const Batch batch = two_graphs(rng);
  const Relation& r = batch.structure->relations()[0];
  Schema schema = testing::pair_and_budget();
  schema.relations.pop_back();
  Batch pairs = batch;
  pairs.relations.pop_back();
  pairs.structure = std::make_shared<const Structure>(
      batch.structure->variables(), std::vector<Relation>{r}, std::vector<std::size_t>{0, 7, 12},
      std::vector<std::vector<std::size_t>>{{0, 8, 12}});
  const Plain p(
      "FGNN(2, factor=3, m=5, to_factor=max, to_variable=sum, edges=yes, q=mixture, "
      "mix=table, bases=4, update=no, residual=no, activation=relu)",
      schema);
  const Rows f = rows_of(batch.variable, 2), g = rows_of(batch.relations[0].factor, 4),
             kinds = rows_of(batch.relations[0].edge, 2);
  const auto message = [&](const std::string& name, std::size_t e, const Row& source,
                           const Row& target, std::size_t out) {
    Row h = plus(p.linear(source, name + ".source"), p.times(target, name + ".target.weight", 5));
    h = each(plus(h, p.times(kinds[r.kind[e]], name + ".edge.weight", 5)), relu);
    Row y(out);
    for (std::size_t b = 0; b < 4; ++b) {
      const double c = p.weight(name + ".q.table")[r.kind[e] * 4 + b];
      y = plus(y, scaled(p.times(h, name + ".q.bases", out, b * 5), c));
    }
    return y;
  };
  Rows factors(g.size(), Row(3, -1e300)), variables(f.size(), Row(2));
  for (std::size_t e = 0; e < r.edges(); ++e) {
    const Row y = message("0.pair.vf", e, f[r.variable[e]], g[r.factor[e]], 3);
    for (std::size_t j = 0; j < 3; ++j) {
      factors[r.factor[e]][j] = std::max(factors[r.factor[e]][j], y[j]);
    }
  }
  for (Row& x : factors) x = each(x, relu);
  for (std::size_t e = 0; e < r.edges(); ++e) {
    Row& sum = variables[r.variable[e]];
    sum = plus(sum, message("0.pair.fv", e, factors[r.factor[e]], f[r.variable[e]], 2));
  }
  for (Row& x : variables) x = each(x, relu);
  EXPECT_TRUE(same_numbers(p.run(pairs), flat(variables), 1e-12));
}

// ---- Factors ----

TEST(Layers, FactorsAreFilledFromTheirVariables) {
  Rng rng(8);
  const Batch batch = two_graphs(rng);
  const Relation& r = batch.structure->relations()[0];
  const Rows f = rows_of(batch.variable, 2), g = rows_of(batch.relations[0].factor, 4);
  for (const bool product : {true, false}) {
    for (const std::string more : {"", ", first=1, columns=1", ", positions=3"}) {
      const bool columns = more.find("columns") != more.npos;
      Plain p(std::string("Factors(3, relation=pair, aggregate=") + (product ? "product" : "sum") +
              more + ")");
      Rows want;
      for (std::size_t c = 0; c < r.factors; ++c) {
        Row all(3, product ? 1 : 0);
        std::size_t position = 0;
        for (std::size_t e = 0; e < r.edges(); ++e) {
          if (r.factor[e] != c) continue;
          const Row x = columns ? Row{f[r.variable[e]][1]} : f[r.variable[e]];
          const std::size_t q = more.find("positions") == more.npos ? r.kind[e] : position++;
          const Row y = p.times(x, "0.pair.q", 3, q * x.size());
          for (std::size_t j = 0; j < 3; ++j) all[j] = product ? all[j] * y[j] : all[j] + y[j];
        }
        want.push_back(beside(g[c], all));
      }
      // What factors have does not come out of a network: the last register of factors does here.
      p.model.program.output = static_cast<int>(p.model.program.registers.size()) - 1;
      EXPECT_TRUE(same_numbers(p.run(batch), flat(want), 1e-12));
    }
  }
}

// The paper's matching: a factor starts as the entrywise maximum of its members.
TEST(Layers, FactorsMayStartAsTheMaximumOfTheirVariables) {
  Rng rng(9);
  const Batch batch = two_graphs(rng);
  const Relation& r = batch.structure->relations()[0];
  const Rows f = rows_of(batch.variable, 2), g = rows_of(batch.relations[0].factor, 4);
  Plain p("Factors(2, relation=pair, q=identity, aggregate=max)");
  Rows want;
  for (std::size_t c = 0; c < r.factors; ++c) {
    Row largest(2, -1e9);
    for (std::size_t e = 0; e < r.edges(); ++e) {
      if (r.factor[e] != c) continue;
      for (std::size_t j = 0; j < 2; ++j) {
        largest[j] = std::max(largest[j], f[r.variable[e]][j]);
      }
    }
    want.push_back(beside(g[c], largest));
  }
  p.model.program.output = static_cast<int>(p.model.program.registers.size()) - 1;
  EXPECT_TRUE(same_numbers(p.run(batch), flat(want), 1e-12));
}

TEST(Layers, ANormOfTheSumIsOfTheInputAndTheUpdate) {
  Rng rng(10);
  const Batch batch = two_graphs(rng);
  const Plain sum("FGNN(2, relation=pair, norm=layer, normed=sum)");
  // Rows of a layer norm have mean 0 and variance 1, whatever was added to them.
  for (const Row& x : rows_of(sum.run(batch), 2)) {
    EXPECT_NEAR(x[0] + x[1], 0, 1e-9);
    EXPECT_NEAR(x[0] * x[0], 1, 1e-2);
  }
  // Without a norm both orders are the same sum.
  const Plain one("FGNN(2, relation=pair, norm=none, normed=sum)");
  const Plain other("FGNN(2, relation=pair, norm=none, normed=update)");
  EXPECT_TRUE(same_numbers(one.run(batch), other.run(batch), 1e-12));
}

}  // namespace
}  // namespace fgnn::network
