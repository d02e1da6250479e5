// Molecules from text: XYZ, SDF, tables of targets, folders.
#include <gtest/gtest.h>

#include <fstream>

#include "fgnn/experiments/molecules/molecule_file.h"
#include "fgnn/experiments/molecules/qm9_file.h"
#include "fgnn/experiments/molecules/sdf.h"
#include "fgnn/experiments/molecules/smiles.h"
#include "fgnn/experiments/molecules/target_table.h"
#include "fgnn/experiments/molecules/xyz.h"
#include "fgnn/io/safetensors.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::molecules {
namespace {

using fgnn::testing::expect_error;
using fgnn::testing::Scratch;

const std::string kWater = "3\nwater\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n";
// As QM9's authors write it: rotational constants, charges, frequencies, SMILES, InChI.
const std::string kMethane =
    "5\n"
    "gdb 1\t157.7118\t157.70997\t157.70699\t0.\t13.21\t-0.3877\t0.1171\t0.5048\t35.3641\t0.044749"
    "\t-40.47893\t-40.476062\t-40.475117\t-40.498597\t6.469\n"
    "C\t-0.0126981359\t 1.0858041578\t 0.0080009958\t-0.535689\n"
    "H\t 0.002150416\t-0.0060313176\t 0.0019761204\t 0.133921\n"
    "H\t 1.0117308433\t 1.4637511618\t 2.765*^-4\t 0.133922\n"
    "H\t-0.540815069\t 1.4475266138\t-0.8766437152\t 0.133923\n"
    "H\t-0.5238136345\t 1.4379326443\t 0.9063972942\t 0.133923\n"
    "1341.307\t1341.3284\t1341.365\n"
    "C\tC\t\n"
    "InChI=1S/CH4/h1H4\tInChI=1S/CH4/h1H4\n";

std::string mol(const std::string& name = "water") {
  return name +
         "\n  made up\n\n"
         "  3  2  0  0  0  0  0  0  0  0999 V2000\n"
         "    0.0000    0.0000    0.0000 O   0  0  0  0  0  0  0  0  0  0  0  0\n"
         "    0.9600    0.0000    0.0000 H   0  0  0  0  0  0  0  0  0  0  0  0\n"
         "   -0.2400    0.9300    0.0000 H   0  0  0  0  0  0  0  0  0  0  0  0\n"
         "  1  2  1  0\n"
         "  3  1  1  0\n"
         "M  END\n";
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

TEST(Xyz, MoleculesFollowOneAnother) {
  const auto all = parse_xyz(kWater + "\n" + kMethane + kWater, "f");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "water");
  EXPECT_TRUE(all[0].targets.empty());
  EXPECT_EQ(all[0].elements, (std::vector<std::uint8_t>{8, 1, 1}));
  EXPECT_FLOAT_EQ(all[0].places[1][0], 0.96f);
  EXPECT_EQ(all[1].name, "1");
  EXPECT_EQ(all[1].atoms(), 5u);
  EXPECT_FLOAT_EQ(all[1].places[2][2], 2.765e-4f);
  ASSERT_EQ(all[1].targets.size(), kTargets);
  EXPECT_EQ(all[1].targets[0], 0);
  EXPECT_EQ(all[1].targets[1], 13.21);
  EXPECT_EQ(all[1].targets[7], -40.47893);
  EXPECT_EQ(all[1].targets[11], 6.469);
}

TEST(Xyz, CommentsWithoutRotationalConstantsAndWindowsLineEnds) {
  const auto all = parse_xyz(
      "1\r\ngdb 7\t0\t23.95\t-0.3385\t0.1041\t0.4426\t109.5031\t0.074542\t-79.764152\t-79.760666\t"
      "-79.759722\t-79.787269\t10.098\tCC\r\nC 0 0 0\r\n",
      "f");
  ASSERT_EQ(all[0].targets.size(), kTargets);
  EXPECT_EQ(all[0].targets[1], 23.95);
  EXPECT_EQ(all[0].targets[11], 10.098);
}

TEST(Xyz, TextComesBack) {
  auto all = parse_xyz(kWater + kMethane, "f");
  EXPECT_EQ(parse_xyz(xyz_text(all), "f"), all);
}

TEST(Xyz, WhatIsBrokenIsNamed) {
  const auto refuse = [](const std::string& text, const std::string& what) {
    expect_error(ErrorCode::format, what, [&] { (void)parse_xyz(text, "f"); });
  };
  refuse("", "f:1: has no molecule");
  refuse("x\n", "f:1: 'x' is not a number of atoms");
  refuse("0\n\n", "f:1: '0' is not a number of atoms");
  refuse("99999999\n\n", "not a number of atoms");
  refuse("2\nname\nO 0 0 0\n", "f:4: the file ends where an atom should be");
  refuse("1\nname\nXx 0 0 0\n", "f:3: 'Xx' is not an element");
  refuse("1\nname\nO 0 0\n", "expected an element and three coordinates");
  refuse("1\nname\nO 0 0 nan\n", "'nan' is not a coordinate");
  refuse("1\nname\nO 0 0 1e30\n", "'1e30' is not a coordinate");
  refuse("1\ngdb 1 a b c d e f g h i j k l\nO 0 0 0\n", "target mu is 'a', not a number");
}

TEST(Sdf, RecordsHaveAtomsAndBonds) {
  const auto all = parse_sdf(mol() + "> <mass>\n18\n\n$$$$\n" + mol("again"), "f");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "water");
  EXPECT_EQ(all[0].elements, (std::vector<std::uint8_t>{8, 1, 1}));
  EXPECT_EQ(all[0].bonds, (std::vector<Bond>{{0, 1, 1}, {0, 2, 1}}));
  EXPECT_EQ(all[1].name, "again");
  EXPECT_EQ(parse_sdf(sdf_text(all), "f"), all);
}

TEST(Sdf, CountsMayTouch) {
  // 100 atoms and 100 bonds are "100100".
  std::string text = "ring\n\n\n100100  0  0  0  0  0  0  0  0999 V2000\n";
  for (int i = 0; i < 100; ++i) {
    text += fmt::format("{:10.4f}    0.0000    0.0000 C   0  0\n", static_cast<double>(i));
  }
  for (int i = 1; i <= 100; ++i) text += fmt::format("{:3}{:3}  1\n", i, i % 100 + 1);
  const auto all = parse_sdf(text + "M  END\n", "f");
  EXPECT_EQ(all[0].atoms(), 100u);
  EXPECT_EQ(all[0].bonds.size(), 100u);
  EXPECT_EQ(all[0].bonds.back(), (Bond{0, 99, 1}));
}

TEST(Sdf, WhatIsBrokenIsNamed) {
  const auto refuse = [](std::string text, const std::string& from, const std::string& to,
                         const std::string& what) {
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    expect_error(ErrorCode::format, what, [&] { (void)parse_sdf(text, "f"); });
  };
  refuse("", "", "", "f:1: has no molecule");
  refuse("a\nb\n", "", "", "the file ends where");
  refuse(mol(), "V2000", "V3000", "f:4: is of version V3000");
  refuse(mol(), "  3  2", "  x  2", "f:4: 'x' is not a number of atoms");
  refuse(mol(), "  3  2", "  3 99", "is not an atom");
  refuse(mol(), " O ", " Q ", "f:5: 'Q' is not an element");
  refuse(mol(), "    0.9600", "   0.96.00", "f:6: '0.96.00' is not a coordinate");
  refuse(mol(), "  1  2  1", "  1  9  1", "f:8: '9' is not an atom from 1 to 3");
  refuse(mol(), "  1  2  1", "  2  2  1", "joins an atom to itself");
  refuse(mol(), "  1  2  1", "  1  2  9", "'9' is not a type of bond");
}

constexpr const char* kHeading =
    "mol_id,A,B,C,mu,alpha,homo,lumo,gap,r2,zpve,u0,u298,h298,g298,cv,u0_atom\n";

TEST(TargetTables, ColumnsAreKnownByName) {
  const auto table = parse_target_table(
      std::string(kHeading) + "gdb_1,9,8,7,0,1,2,3,4,5,6,-7.5,8,9,10,11,99\n", "f");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.ids[0], "1");
  EXPECT_EQ(table.rows[0], (std::vector<double>{0, 1, 2, 3, 4, 5, 6, -7.5, 8, 9, 10, 11}));
}

TEST(TargetTables, AlchemysHeadingsAreKnown) {
  std::string plain = "gdb_idx", units = "gdb_idx,\"atom\nnumber\"", row = "100,9";
  for (int t = 0; t < 12; ++t) plain += fmt::format(",property_{}", t);
  const char* names[] = {
      "mu\n(D)", "alpha (a_0^3)", "homo (Ha)", "lumo", "gap", "R2", "zpve", "U0", "U",
      "H",       "\"G\"",         "Cv"};
  for (const std::string name : names) {
    units += "," + (name.find('\n') == name.npos ? name : "\"" + name + "\"");
  }
  std::string values;
  for (int t = 0; t < 12; ++t) values += fmt::format(",{}", t);
  const auto a = parse_target_table(plain + "\n100" + values + "\n", "f");
  const auto b = parse_target_table(units + "\n100,9" + values + "\n", "f");
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.ids[0], "100");
  EXPECT_EQ(a.rows[0][11], 11);
}

TEST(TargetTables, WhatIsBrokenIsNamed) {
  const auto refuse = [](const std::string& text, const std::string& what) {
    expect_error(ErrorCode::format, what, [&] { (void)parse_target_table(text, "f"); });
  };
  refuse("", "the file ends where a row should be");
  refuse("id,mu\n", "there is no column 'alpha'");
  refuse("mu\n", "there is no column 'mol_id'");
  const std::string row = "1,9,8,7,0,1,2,3,4,5,6,7,8,9,10,11,99\n";
  refuse(kHeading + row + row, "f:3: molecule '1' comes twice");
  refuse(std::string(kHeading) + "1,2\n", "f:2: has 2 fields where the heading has 17");
  refuse(std::string(kHeading) + "1,9,8,7,x,1,2,3,4,5,6,7,8,9,10,11,99\n", "'x' is not a number");
  refuse(std::string(kHeading) + "\"1\n", "a quote is not closed");
}

TEST(MoleculeFiles, TheAuthorsFolderIsRead) {
  Scratch folder;
  write(folder.path() / "gdb9.sdf", mol("gdb_1") + "$$$$\n" + mol("gdb_2") + "$$$$\n");
  write(folder.path() / "gdb9.sdf.csv", std::string(kHeading) +
                                            "gdb_1,9,8,7,0,1,2,3,4,5,6,7,8,9,10,11,99\n"
                                            "gdb_2,9,8,7,1,1,2,3,4,5,6,7,8,9,10,12,99\n");
  write(folder.path() / "uncharacterized.txt", "Index\n======\n 1 C\n====\n1 compounds\n");
  const MoleculeSet set = read_molecules(folder.path(), {}, 1);
  ASSERT_EQ(set.size(), 1u);
  EXPECT_EQ(set.name(0), "2");
  EXPECT_EQ(set[0].targets[11], 12);
  EXPECT_EQ(set[0].bonds.size(), 2u);
}

TEST(MoleculeFiles, AlchemysFolderIsRead) {
  Scratch folder;
  write(folder.path() / "sdf/atom_9/100.sdf", mol(""));
  write(folder.path() / "sdf/atom_10/200.sdf", mol(""));
  write(folder.path() / "sdf/atom_10/300.sdf", mol(""));  // of another part
  std::string table = "gdb_idx";
  for (int t = 0; t < 12; ++t) table += fmt::format(",property_{}", t);
  table += "\n200,1,2,3,4,5,6,7,8,9,10,11,12\n100,0,2,3,4,5,6,7,8,9,10,11,12\n";
  write(folder.path() / "target.csv", table);
  const MoleculeSet set = read_molecules(folder.path(), {}, 1);
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set.name(0), "200");
  EXPECT_EQ(set[0].targets[0], 1);
  EXPECT_EQ(set[1].targets[0], 0);
}

TEST(MoleculeFiles, UnknownEndingsAndEmptyFoldersAreRefused) {
  Scratch folder;
  write(folder.path() / "x.pdb", "ATOM\n");
  expect_error(ErrorCode::usage, "is not known by its ending",
               [&] { (void)read_molecules(folder.path() / "x.pdb", {}, 1); });
  expect_error(ErrorCode::format, "has no SDF files beside a table",
               [&] { (void)read_molecules(folder.path(), {}, 1); });
  expect_error(ErrorCode::io, "absent.xyz",
               [&] { (void)read_molecules(folder.path() / "absent.xyz", {}, 1); });
}

TEST(Smiles, BecomeMoleculesWithHydrogens) {
  try {
    const auto all = parse_smiles("CCO ethanol\n\n# a remark\nc1ccccc1\n", "f");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].name, "ethanol");
    EXPECT_EQ(formula(all[0].elements), "C2H6O");
    EXPECT_EQ(all[1].name, "c1ccccc1");
    const Bonds benzene = perceive_bonds(all[1].elements, all[1].places);
    EXPECT_TRUE(benzene.solved);
    EXPECT_EQ(benzene.bonds.size(), 12u);
    EXPECT_EQ(parse_smiles("CCO ethanol\n", "f")[0].places, all[0].places);  // the same each time
    expect_error(ErrorCode::format, "f:1: 'C(' is not a SMILES",
                 [&] { (void)parse_smiles("C(\n", "f"); });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    GTEST_SKIP() << error.what();
  }
}

TensorFile small_qm9() {
  TensorFile file;
  file.file = "f";
  file.add("z", {3}, std::vector<std::uint8_t>{8, 1, 1});
  file.add("pos", {3, 3}, std::vector<float>{0, 0, 0, .96f, 0, 0, -.24f, .93f, 0});
  file.add("id", {1}, std::vector<std::int32_t>{5});
  file.add("atom_offset", {2}, std::vector<std::int32_t>{0, 3});
  file.add("targets", {1, 12}, std::vector<double>(12, 1.5));
  return file;
}

TEST(Qm9File, TensorsMustFitTogether) {
  EXPECT_EQ(qm9_molecules(small_qm9(), 1)[0].bonds.size(), 2u);
  const auto refuse = [](const std::string& tensor, const std::string& what, auto change) {
    TensorFile file = small_qm9();
    std::erase_if(file.tensors, [&](const SavedTensor& t) { return t.name == tensor; });
    change(file);
    expect_error(ErrorCode::format, what, [&] { (void)qm9_molecules(file, 1); });
  };
  refuse("z", "z", [](TensorFile&) {});
  refuse("pos", "tensor 'pos' does not have 3 rows of 3", [](TensorFile& f) {
    f.add("pos", {2, 3}, std::vector<float>(6));
  });
  refuse("z", "molecule 5 has an atom of element 0", [](TensorFile& f) {
    f.add("z", {3}, std::vector<std::uint8_t>{0, 1, 1});
  });
  refuse("atom_offset", "does not rise", [](TensorFile& f) {
    f.add("atom_offset", {2}, std::vector<std::int32_t>{0, 2});
  });
  refuse("targets", "not finite", [](TensorFile& f) {
    std::vector<double> values(12, 1);
    values[3] = std::numeric_limits<double>::infinity();
    f.add("targets", {1, 12}, values);
  });
}

}  // namespace
}  // namespace fgnn::molecules
