#include "fgnn/experiments/molecules/bonds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/experiments/molecules/molecule_file.h"
#include "fgnn/experiments/molecules/qm9_file.h"
#include "fgnn/io/outside_program.h"
#include "tests/reference/data_folder.h"

namespace fgnn::molecules {
namespace {

std::vector<int> orders(const Bonds& bonds) {
  std::vector<int> all;
  for (const Bond& b : bonds.bonds) all.push_back(b.order);
  return all;
}

TEST(MoleculeBonds, WaterHasTwoSingleBonds) {
  const std::uint8_t z[] = {8, 1, 1};
  const Point p[] = {{0, 0, 0}, {0.96f, 0, 0}, {-0.24f, 0.93f, 0}};
  const Bonds bonds = perceive_bonds(z, p);
  EXPECT_TRUE(bonds.solved);
  EXPECT_EQ(bonds.bonds, (std::vector<Bond>{{0, 1, 1}, {0, 2, 1}}));
}

TEST(MoleculeBonds, HydrogensNeverBondEachOther) {
  const std::uint8_t z[] = {1, 1};
  const Point p[] = {{0, 0, 0}, {0.6f, 0, 0}};
  const Bonds bonds = perceive_bonds(z, p);
  EXPECT_TRUE(bonds.bonds.empty());
  EXPECT_FALSE(bonds.solved);  // their valences are left over
}

TEST(MoleculeBonds, AcetyleneIsTripleAndEthyleneDouble) {
  const std::uint8_t z[] = {6, 6, 1, 1};
  const Point p[] = {{0, 0, 0}, {1.2f, 0, 0}, {-1.06f, 0, 0}, {2.26f, 0, 0}};
  EXPECT_EQ(orders(perceive_bonds(z, p)), (std::vector<int>{3, 1, 1}));
  const std::uint8_t e[] = {6, 6, 1, 1, 1, 1};
  const Point q[] = {{0, 0, 0},           {1.33f, 0, 0},     {-0.55f, 0.93f, 0},
                     {-0.55f, -0.93f, 0}, {1.88f, 0.93f, 0}, {1.88f, -0.93f, 0}};
  EXPECT_EQ(orders(perceive_bonds(e, q)), (std::vector<int>{2, 1, 1, 1, 1}));
}

TEST(MoleculeBonds, OfTwoWaysShorterBondsAreDouble) {
  // Butadiene's carbon chain without its hydrogens would be C=C=C…; with them the ends are double.
  const std::uint8_t z[] = {6, 6, 6, 6, 1, 1, 1, 1, 1, 1};
  const Point p[] = {{0, 0, 0},         {1.34f, 0, 0},      {2.1f, 1.24f, 0},  {3.44f, 1.24f, 0},
                     {-0.5f, 0.95f, 0}, {-0.5f, -0.95f, 0}, {1.9f, -0.93f, 0}, {1.5f, 2.15f, 0},
                     {3.95f, 0.3f, 0},  {3.95f, 2.2f, 0}};
  const Bonds bonds = perceive_bonds(z, p);
  ASSERT_TRUE(bonds.solved);
  EXPECT_EQ(bonds.bonds[0], (Bond{0, 1, 2}));
  EXPECT_EQ(bonds.bonds[3], (Bond{1, 2, 1}));
}

TEST(MoleculeBonds, TooManyBondsLoseTheLongest) {
  // A hydrogen between two oxygens stays with the nearer one.
  const std::uint8_t z[] = {8, 1, 8};
  const Point p[] = {{0, 0, 0}, {1.0f, 0, 0}, {2.15f, 0, 0}};
  EXPECT_EQ(perceive_bonds(z, p).bonds, (std::vector<Bond>{{0, 1, 1}}));
}

TEST(MoleculeBonds, LargeSheetsOfCarbonAreSolvedInTime) {
  // A graphene flake: thousands of Kekulé structures, of which the search takes a good one.
  std::vector<std::uint8_t> z;
  std::vector<Point> p;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 2; ++k) {
        z.push_back(6);
        p.push_back({2.46f * static_cast<float>(i) + 1.23f * static_cast<float>(j),
                     2.13f * static_cast<float>(j) + 1.42f * static_cast<float>(k), 0});
      }
    }
  }
  EXPECT_GT(perceive_bonds(z, p).bonds.size(), 70u);
}

// The counts of the data's README.
TEST(MoleculeBonds, Qm9HasTheBondsThatTheRuleGives) {
  FGNN_SKIP_WITHOUT_DATA("qm9");
  const MoleculeSet set = read_qm9(testing::data_folder() / "qm9" / "qm9.safetensors", 2);
  const Census all = census(set);
  EXPECT_EQ(all.molecules, 130831u);
  EXPECT_EQ(all.atoms, 2359210u);
  EXPECT_EQ(all.largest, 29u);
  EXPECT_EQ(all.solved, 130357u);
  EXPECT_EQ(all.of_order[1], 2266812u);
  EXPECT_EQ(all.of_order[2], 136947u);
  EXPECT_EQ(all.of_order[3], 36597u);
  for (std::size_t m = 0; m < set.size(); ++m) {
    if (set.name(m) == "271" || set.name(m) == "1648") {
      EXPECT_FALSE(set.solved(m));
    }
  }
}

TEST(MoleculeBonds, TheSubsetHasThemToo) {
  FGNN_SKIP_WITHOUT_DATA("qm9");
  if (!have_program("xz")) GTEST_SKIP() << "no xz";
  const MoleculeSet set =
      read_molecules(testing::data_folder() / "qm9" / "qm9_subset.xyz.xz", {}, 2);
  const Census all = census(set);
  EXPECT_EQ(all.molecules, 16845u);
  EXPECT_EQ(all.solved, 16792u);
  ASSERT_TRUE(set.has_targets());
  EXPECT_EQ(set.name(1), "7");
  EXPECT_DOUBLE_EQ(set[1].targets[1], 23.95);
}

}  // namespace
}  // namespace fgnn::molecules
