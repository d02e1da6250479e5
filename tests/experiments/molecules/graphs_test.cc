#include "fgnn/experiments/molecules/graphs.h"

#include <gtest/gtest.h>

#include "fgnn/experiments/molecules/atom_features.h"
#include "fgnn/experiments/molecules/networks.h"
#include "fgnn/experiments/molecules/xyz.h"
#include "fgnn/network/model.h"
#include "fgnn/network/run.h"
#include "tests/experiments/molecules/small_molecules.h"
#include "tests/places.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/gradient.h"
#include "tests/reference/numbers.h"

namespace fgnn::molecules {
namespace {

using fgnn::testing::expect_error;
using fgnn::testing::made_up_set;
using fgnn::testing::molecule_of;
using fgnn::testing::permuted;
using fgnn::testing::same_numbers;
using fgnn::testing::turned;

constexpr Form kForms[] = {Form::paper, Form::positions, Form::invariant};
constexpr Sharing kSharings[] = {Sharing::cat, Sharing::bt, Sharing::cabt, Sharing::cabta};

// Formaldehyde: C, O, H, H.
MoleculeSet formaldehyde() {
  MoleculeSet set;
  set.add(parse_xyz("4\nx\nC 0 0 0\nO 1.21 0 0\nH -.55 .94 0\nH -.55 -.94 0\n", "f")[0]);
  return set;
}

network::Model model_of(const NetworkOptions& options, Sharing sharing, std::uint64_t seed) {
  network::Description d = network_of(options);
  d.schema = schema({options.form, sharing, Pairs::complete});
  network::Model model(std::move(d), seed);
  fgnn::testing::draw_weights(model, seed);
  return model;
}

std::vector<double> said(const network::Model& model, const Molecule& m, const GraphOptions& o) {
  MoleculeSet set;
  set.add(m);
  network::Runner<double> runner(model);
  const auto out = runner.run(graph(set[0], o));
  return {out.begin(), out.end()};
}

TEST(MoleculeGraphs, FactorsHaveAnAtomAndItsNeighbours) {
  const MoleculeSet set = formaldehyde();
  const auto batch = graph(set[0], {Form::paper, Sharing::cabt, Pairs::complete});
  const auto& atom = batch.structure->relations()[1];
  EXPECT_EQ(atom.factors, 4u);
  EXPECT_EQ(atom.kinds, 20u);
  EXPECT_EQ(atom.factor, (std::vector<network::Index>{0, 0, 0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(atom.variable, (std::vector<network::Index>{0, 1, 2, 3, 1, 0, 2, 0, 3, 0}));
  // Carbon is element 1: itself 4, double bond 6, single bond 5; oxygen 3: 12 and 14; hydrogen 0.
  EXPECT_EQ(atom.kind, (std::vector<network::Index>{4, 6, 5, 5, 12, 14, 0, 1, 0, 1}));
}

TEST(MoleculeGraphs, KindsDependOnWhatIsShared) {
  const MoleculeSet set = formaldehyde();
  const auto kinds = [&](Sharing sharing) {
    return graph(set[0], {Form::paper, sharing, Pairs::complete}).structure->relations()[1].kind;
  };
  EXPECT_EQ(kinds(Sharing::cat), (std::vector<network::Index>{1, 1, 1, 1, 3, 3, 0, 0, 0, 0}));
  EXPECT_EQ(kinds(Sharing::bt), (std::vector<network::Index>{0, 2, 1, 1, 0, 2, 0, 1, 0, 1}));
  // 16 kinds per central element: itself, then five neighbours for each order.
  EXPECT_EQ(kinds(Sharing::cabta),
            (std::vector<network::Index>{16, 16 + 6 + 3, 17, 17, 48, 48 + 6 + 1, 0, 2, 0, 2}));
}

TEST(MoleculeGraphs, PairsCarryOrderAndDistance) {
  const MoleculeSet set = formaldehyde();
  const auto complete = graph(set[0], {Form::paper, Sharing::bt, Pairs::complete});
  EXPECT_EQ(complete.structure->relations()[0].factors, 6u);
  const auto& features = complete.relations[0].factor;
  EXPECT_TRUE(same_numbers(std::vector<double>(features.begin(), features.begin() + 4),
                           std::vector<double>{0, 1, 0, 1.21}, 1e-6));
  const auto sparse = graph(set[0], {Form::paper, Sharing::bt, Pairs::sparse});
  EXPECT_EQ(sparse.structure->relations()[0].factors, 3u);
  EXPECT_EQ(sparse.relations[0].factor.size(), 12u);
  const auto bonds = graph(set[0], {Form::paper, Sharing::bt, Pairs::sparse_without_distance});
  EXPECT_EQ(bonds.relations[0].factor, (std::vector<double>{0, 1, 0, 1, 0, 0, 1, 0, 0}));
}

TEST(MoleculeGraphs, AtomsHaveElevenFeatures) {
  const MoleculeSet set = formaldehyde();
  const auto batch = graph(set[0], {});
  const auto row = [&](std::size_t i) {
    return std::vector<double>(batch.variable.begin() + 11 * i,
                               batch.variable.begin() + 11 * (i + 1));
  };
  EXPECT_EQ(row(0), (std::vector<double>{0, 1, 0, 0, 0, 6, 0, 0, 1, 0, 2}));
  EXPECT_EQ(row(1), (std::vector<double>{0, 0, 0, 1, 0, 8, 0, 0, 1, 0, 0}));
  EXPECT_EQ(row(2), (std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}));
}

TEST(AtomFeatures, BenzeneIsAromaticAndCyclohexaneIsNot) {
  for (const bool flat : {true, false}) {
    Molecule m;
    for (int i = 0; i < 6; ++i) {
      const double angle = i * std::acos(-1.0) / 3;
      const float r = flat ? 1.39f : 1.45f, z = flat ? 0.f : (i % 2 == 0 ? .25f : -.25f);
      m.elements.push_back(6);
      m.places.push_back(
          {r * static_cast<float>(std::cos(angle)), r * static_cast<float>(std::sin(angle)), z});
      m.elements.push_back(1);
      m.places.push_back({(r + 1.05f) * static_cast<float>(std::cos(angle)),
                          (r + 1.05f) * static_cast<float>(std::sin(angle)), z});
      if (flat) continue;
      m.elements.push_back(1);
      m.places.push_back({r * static_cast<float>(std::cos(angle)),
                          r * static_cast<float>(std::sin(angle)), z + (z > 0 ? 1.1f : -1.1f)});
    }
    MoleculeSet set;
    set.add(m);
    ASSERT_TRUE(set.solved(0));
    const AtomKinds kinds = atom_kinds(set[0]);
    EXPECT_EQ(kinds.aromatic[0], flat ? 1 : 0);
    EXPECT_EQ(kinds.hybrid[0], flat ? Hybrid::sp2 : Hybrid::sp3);
    EXPECT_EQ(kinds.hydrogens[0], flat ? 1 : 2);
  }
}

TEST(MoleculeGraphs, UnknownElementsAreRefused) {
  MoleculeSet set;
  set.add(parse_xyz("1\nx\nS 0 0 0\n", "f")[0]);
  expect_error(ErrorCode::usage, "element S", [&] { (void)graph(set[0], {}); });
}

TEST(MoleculeNetworks, TheOrderOfAtomsChangesNothing) {
  const MoleculeSet set = made_up_set(4);
  for (const Form form : kForms) {
    for (const Sharing sharing : kSharings) {
      const auto model = model_of({"fgnn", form, 16}, sharing, 3);
      for (std::size_t m = 0; m < set.size(); ++m) {
        const GraphOptions o{form, sharing, Pairs::complete};
        const Molecule one = molecule_of(set[m]);
        EXPECT_TRUE(same_numbers(said(model, permuted(one, m), o), said(model, one, o), 1e-7))
            << name(form) << " " << name(sharing);
      }
    }
  }
}

TEST(MoleculeNetworks, TurningAndMovingChangesNothingButWhereCoordinatesAreRead) {
  const MoleculeSet set = made_up_set(3);
  for (const Form form : kForms) {
    const auto model = model_of({"fgnn", form, 16}, Sharing::cabt, 5);
    const GraphOptions o{form, Sharing::cabt, Pairs::complete};
    for (std::size_t m = 0; m < set.size(); ++m) {
      const Molecule one = molecule_of(set[m]);
      const auto before = said(model, one, o);
      // Single precision of the places.
      EXPECT_TRUE(same_numbers(said(model, turned(one, 0, 1.5), o), before, 1e-4)) << name(form);
      EXPECT_EQ(same_numbers(said(model, turned(one, 0.7, 0), o), before, 1e-4),
                form != Form::positions)
          << name(form);
    }
  }
}

TEST(MoleculeNetworks, GradientsAreThoseOfDifferences) {
  const MoleculeSet set = made_up_set(4);
  for (const Form form : kForms) {
    for (const char* network : {"fgnn", "mpnn"}) {
      NetworkOptions options{network, form, std::size_t(network[0] == 'f' ? 8 : 0), 3};
      const auto model = model_of(options, Sharing::cabt, 7);
      std::vector<network::Batch> graphs;
      for (std::size_t m = 0; m < set.size(); ++m) {
        graphs.push_back(graph(set[m], {form, Sharing::cabt, Pairs::complete}));
      }
      const auto first = network::Batch::of(std::span(graphs).first(2));
      const auto second = network::Batch::of(std::span(graphs).last(2));
      SCOPED_TRACE(name(form) + " " + network);
      fgnn::testing::expect_gradient(model, {&first, &second}, true, 30 / FGNN_PATIENCE);
    }
  }
}

TEST(MoleculeNetworks, AreOfThePapersSizes) {
  const auto numbers = [](const NetworkOptions& o) {
    network::Description d = network_of(o);
    d.schema = schema({o.form, Sharing::cabt, Pairs::complete});
    return network::Model(std::move(d), 0).program.trained_numbers();
  };
  // PyTorch Geometric's example has 617,025 with one output; here pairs have no aromatic column.
  EXPECT_EQ(numbers({"mpnn", Form::paper, 0, 1}), 617025u - 128u);
  for (const Form form : {Form::paper, Form::invariant}) {
    const double fgnn = static_cast<double>(numbers({"fgnn", form, 0, 12}));
    const double large = static_cast<double>(numbers({"mpnn-large", form, 0, 12}));
    EXPECT_NEAR(large / fgnn, 1, 0.1);
  }
}

TEST(MoleculeNetworks, UnknownOnesAreRefused) {
  expect_error(ErrorCode::usage, "is 'gcn'", [] { (void)network_of({"gcn"}); });
  expect_error(ErrorCode::usage, "rank", [] { (void)network_of({"mpnn", Form::paper, 64}); });
}

}  // namespace
}  // namespace fgnn::molecules
