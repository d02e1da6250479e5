#include "fgnn/experiments/molecules/predictor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fgnn/experiments/molecules/networks.h"
#include "fgnn/experiments/molecules/picture.h"
#include "fgnn/experiments/molecules/task.h"
#include "fgnn/experiments/molecules/xyz.h"
#include "fgnn/network/run.h"
#include "tests/experiments/molecules/small_molecules.h"
#include "tests/reference/expect_error.h"

namespace fgnn::molecules {
namespace {

using fgnn::testing::expect_error;
using fgnn::testing::made_up_set;
using ::testing::HasSubstr;

// An untrained network with the settings of a task on made-up molecules.
network::Model untrained(const MoleculeTask& task) {
  network::Description d = network_of({"fgnn", Form::invariant, 16, task.targets().size()});
  d.schema = task.schema();
  network::Model model(std::move(d), 3);
  model.metadata = task.settings();
  model.metadata["task"] = task.name();
  return model;
}

MoleculeTask invariant_task(std::shared_ptr<const MoleculeSet> set, const std::string& targets) {
  TaskOptions options;
  options.graph.form = Form::invariant;
  options.reference = Reference::moments;
  options.targets = targets;
  return MoleculeTask(options, std::move(set));
}

TEST(MoleculePredictor, SaysWhatTheNetworkSaysInTheFilesUnits) {
  const auto set = std::make_shared<const MoleculeSet>(made_up_set(70));
  const MoleculeTask task = invariant_task(set, "mu+u0");
  const auto model = untrained(task);
  const Predictor predictor(model, "f");
  const auto all = predictor.predict(*set, 2);
  ASSERT_EQ(all.size(), 70u);
  network::Runner<float> runner(model);
  for (const std::size_t m : {0u, 33u, 69u}) {
    const auto out =
        runner.run(graph((*set)[m], {Form::invariant, Sharing::cabt, Pairs::complete}));
    ASSERT_EQ(all[m].values.size(), 2u);
    EXPECT_EQ(all[m].name, std::to_string(m));
    const double want = task.scaling().value(7, double(out[1]), regressors((*set)[m]));
    EXPECT_NEAR(all[m].values[1], want, 1e-4 * std::abs(want));
  }
}

TEST(MoleculePredictor, WarnsOfWhatItDoesNotKnow) {
  const auto set = std::make_shared<const MoleculeSet>(made_up_set(40));
  const Predictor predictor(untrained(invariant_task(set, "all")), "f");
  const auto said = [&](const std::string& xyz) {
    MoleculeSet one;
    one.add(parse_xyz(xyz, "f")[0]);
    return predictor.predict(one, 1)[0];
  };
  const Prediction sulphur = said("3\nx\nS 0 0 0\nH 1.3 0 0\nH -.3 1.3 0\n");
  EXPECT_TRUE(sulphur.values.empty());
  ASSERT_EQ(sulphur.warnings.size(), 1u);
  EXPECT_THAT(sulphur.warnings[0], HasSubstr("element S"));
  const Prediction bare = said("2\nx\nC 0 0 0\nO 5 0 0\n");
  EXPECT_EQ(bare.values.size(), kTargets);
  ASSERT_EQ(bare.warnings.size(), 3u);
  EXPECT_THAT(bare.warnings[0], HasSubstr("no hydrogen"));
  EXPECT_THAT(bare.warnings[1], HasSubstr("valences"));
  EXPECT_THAT(bare.warnings[2], HasSubstr("2 pieces"));
  std::string chain = "40\nlong\n";
  for (int i = 0; i < 40; ++i) chain += fmt::format("C {} 0 0\n", 1.3 * i);
  EXPECT_THAT(said(chain).warnings[0], HasSubstr("40 atoms, 40 of them heavy, are more than any"));
}

TEST(MoleculePredictor, OtherModelsAreRefused) {
  network::Description d;
  d.network = "FC(4) - Out(2)";
  d.schema = {2, {}};
  expect_error(ErrorCode::usage, "is not a network for molecules",
               [&] { Predictor(network::Model(d, 0), "f"); });
}

TEST(MoleculePicture, HasAtomsBondsAndFactors) {
  MoleculeSet set;
  set.add(parse_xyz("4\nx\nC 0 0 0\nO 1.21 0 0\nH -.55 .94 0\nH -.55 -.94 0\n", "f")[0]);
  const std::string svg = molecule_svg(set[0], "a < b");
  const auto count = [&](const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = svg.find(what); at != svg.npos; at = svg.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("<circle"), 4u);
  EXPECT_EQ(count("stroke=\"#444\" stroke-width=\"2\""), 4u);  // two single bonds, one double
  EXPECT_EQ(count("fill=\"#a142f4\""), 1u);                    // the carbon's factor
  EXPECT_THAT(svg, HasSubstr("a &lt; b"));
}

// A regular hexagon of carbon, 1.394 Å on a side, with hydrogen 1.086 Å outside; turned by an angle
// about an axis that is none of its own.
std::string benzene(double turned) {
  std::string text = "12\nbenzene\n";
  for (const auto& [element, radius] : {std::pair("C", 1.394), std::pair("H", 1.394 + 1.086)}) {
    for (int k = 0; k < 6; ++k) {
      const double at = k * std::numbers::pi / 3, x = radius * std::cos(at);
      const double y = radius * std::sin(at);
      text += fmt::format("{} {:.6f} {:.6f} {:.6f}\n", element, x, y * std::cos(turned),
                          y * std::sin(turned));
    }
  }
  return text;
}

// Its properties at the level of QM9 are published: the molecule of number 214.
TEST(MoleculePredictor, TheShippedNetworkKnowsBenzene) {
  const auto predictor = Predictor::load("molecules");
  const auto predict = [&](double turned) {
    MoleculeSet one;
    one.add(parse_xyz(benzene(turned), "benzene.xyz")[0]);
    const Prediction p = predictor.predict(one, 1)[0];
    EXPECT_EQ(p.formula, "C6H6");
    EXPECT_TRUE(p.warnings.empty());
    return p.values;
  };
  const double known[] = {0,       57.28,     -0.2475,   0.0029,    0.2503,    456.68,
                          0.10018, -232.1646, -232.1602, -232.1592, -232.1921, 17.214};
  const double within[] = {0.3, 2, 0.012, 0.012, 0.018, 15, 0.002, 0.02, 0.02, 0.02, 0.02, 0.8};
  const auto flat = predict(0), turned = predict(1.1);
  ASSERT_EQ(flat.size(), kTargets);
  for (std::size_t t = 0; t < kTargets; ++t) {
    EXPECT_NEAR(flat[t], known[t], within[t]) << targets()[t].name;
    EXPECT_NEAR(turned[t], flat[t], 1e-2 * within[t]) << targets()[t].name;
  }
}

}  // namespace
}  // namespace fgnn::molecules
