#include "fgnn/experiments/folders/model_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::folders {
namespace {

using ::testing::ElementsAre;

TEST(ModelFiles, FamiliesAreHowNamesBegin) {
  const std::vector<std::pair<std::string, std::string>> known{{"Grids_11", "Grids"},
                                                               {"linkage_16", "linkage"},
                                                               {"grid-0-000003", "grid"},
                                                               {"noisy-or-7-000001", "noisy-or"},
                                                               {"D5-7-000000", "D5"},
                                                               {"pedigree12", "pedigree"},
                                                               {"or_chain_10.fg", "or"},
                                                               {"50-20-5", "50"},
                                                               {"404", "404"},
                                                               {"plain", "plain"},
                                                               {"_x", "_x"}};
  for (const auto& [name, family] : known) EXPECT_EQ(family_of(name), family) << name;
}

class Folder : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text = "x") const {
    const auto path = scratch_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }
  std::vector<std::string> names(const std::vector<std::string>& inputs) const {
    std::vector<std::string> all;
    for (const ModelFile& model : find_models(inputs)) all.push_back(model.name);
    return all;
  }

  testing::Scratch scratch_;
};

TEST_F(Folder, HoldsModelsAndWhatLiesBesideThem) {
  file("m/b_2.uai");
  file("m/b_2.uai.evid");
  file("m/b_2.PR");
  file("m/a_1.fgt");
  file("m/a_1.fgt.MAR");
  file("m/a_1.MPE");
  file("m/notes.txt");
  const auto models = find_models({path("m")});
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].name, "a_1");
  EXPECT_EQ(models[0].evidence, "");
  EXPECT_EQ(models[0].marginals, path("m/a_1.fgt.MAR"));
  EXPECT_EQ(models[0].assignment, path("m/a_1.MPE"));
  EXPECT_EQ(models[1].name, "b_2");
  EXPECT_EQ(models[1].evidence, path("m/b_2.uai.evid"));
  EXPECT_EQ(models[1].partition, path("m/b_2.PR"));
  EXPECT_EQ(models[1].marginals, "");
}

TEST_F(Folder, IsMatchedByPatternsAndEachModelIsTakenOnce) {
  file("m/b_2.uai");
  file("m/b_10.uai");
  file("m/a_1.uai");
  file("m/a_1.uai.MAR");
  EXPECT_THAT(names({path("m/b*"), path("m/b_2.uai")}), ElementsAre("b_10", "b_2"));
  EXPECT_THAT(names({path("?")}), ElementsAre("a_1", "b_10", "b_2"));
  EXPECT_TRUE(names_many(path("m")));
  EXPECT_TRUE(names_many(path("m/*.uai")));
  EXPECT_FALSE(names_many(path("m/a_1.uai")));
  EXPECT_FALSE(names_many(path("nothing.uai")));
}

TEST_F(Folder, ModelsOfOneNameAreToldApartByTheirPaths) {
  const std::string first = file("m/a_1.uai"), second = file("n/a_1.uai");
  EXPECT_THAT(names({path("m"), path("n")}), ElementsAre(first, second));
  for (const ModelFile& model : find_models({path("m"), path("n")})) EXPECT_EQ(model.family, "a");
}

TEST_F(Folder, ThatNamesNothingIsAnError) {
  file("empty/notes.txt");
  using testing::expect_error;
  expect_error(ErrorCode::io, "holds no models", [&] { find_models({path("empty")}); });
  expect_error(ErrorCode::io, "matches no model", [&] { find_models({path("*.uai")}); });
  expect_error(ErrorCode::io, "there is no such file", [&] { find_models({path("a.uai")}); });
}

TEST_F(Folder, FingerprintsDifferWhenAnythingDoes) {
  file("m/a_1.uai", "model");
  const auto print = [&] { return find_models({path("m")})[0].fingerprint(); };
  const std::string first = print();
  EXPECT_EQ(print(), first);
  file("m/a_1.uai.evid", "1 0 1");
  const std::string second = print();
  EXPECT_NE(second, first);
  file("m/a_1.uai.evid", "1 0 0");
  EXPECT_NE(print(), second);
  std::filesystem::rename(path("m/a_1.uai.evid"), path("m/a_1.uai.MAR"));
  EXPECT_NE(print(), first);
}

}  // namespace
}  // namespace fgnn::folders
