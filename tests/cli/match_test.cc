// fgnn match on pictures and points made here.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/reference/scratch.h"

namespace fgnn::testing {
namespace {

using nlohmann::json;

class Match : public ::testing::Test {
 protected:
  Scratch scratch_;  // before what is put there

  // A grey picture of 40 x 30 pixels with a list of points beside it; its name without ending.
  std::string picture(const std::string& name, const std::string& points) const {
    const auto base = scratch_.path() / name;
    std::ofstream(base.string() + ".ppm") << "P6\n40 30\n255\n" << std::string(40 * 30 * 3, '\x80');
    std::ofstream(base.string() + ".tsv") << "name\tx\ty\n" << points;
    return base.string();
  }
  const std::string first_ = picture("a", "nose\t5\t5\ntail\t35\t6\nfoot\t30\t25\nback\t20\t4\n");
  // The same points in another order, a little further down.
  const std::string second_ = picture("b", "foot\t30\t27\nback\t20\t6\nnose\t5\t7\ntail\t35\t8\n");

  std::string pair(const std::string& more) const {
    return "match '" + first_ + ".ppm' '" + second_ + ".ppm' " + more;
  }
};

TEST_F(Match, EveryMethodFindsPointsThatMovedTogether) {
  for (const std::string method :
       {"hungarian", "exact", "max-product", "ad3", "ad3-exact", "mplp"}) {
    const Ran ran = run_program_fully(pair("--json --method " + method));
    ASSERT_EQ(ran.exit, 0) << method << ": " << ran.err;
    const json answer = json::parse(ran.out);
    EXPECT_EQ(answer.at("method"), method);
    ASSERT_EQ(answer.at("matches").size(), 4u);
    for (const json& match : answer.at("matches")) {
      EXPECT_EQ(match.at("first"), match.at("second")) << method;
    }
  }
}

TEST_F(Match, WritesThePictureAndTheGraph) {
  const auto svg = (scratch_.path() / "m.svg").string(),
             graph = (scratch_.path() / "m.fgt").string();
  const Ran ran =
      run_program_fully(pair("--method exact --svg '" + svg + "' --graph '" + graph + "'"));
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("nose"), std::string::npos);
  std::ifstream file(svg);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("<svg"), std::string::npos);
  EXPECT_NE(text.find("</svg>"), std::string::npos);
  const json solved = json::parse(run_program("map '" + graph + "' --json"));
  EXPECT_EQ(solved.at("status"), "exact");
}

TEST_F(Match, BadInputIsOneClearLine) {
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Ran ran = run_program_fully(arguments);
    EXPECT_GT(ran.exit, 0) << arguments;
    EXPECT_TRUE(ran.out.empty());
    EXPECT_NE(ran.err.find(why), std::string::npos) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  };
  const std::string outside = picture("outside", "nose\t5\t5\ntail\t41\t6\n");
  const std::string lonely = picture("lonely", "nose\t5\t5\n");
  refused("match '" + first_ + ".ppm' '" + outside + ".ppm' --method exact", "outside");
  refused("match '" + first_ + ".ppm' '" + lonely + ".ppm' --method exact", "two or more");
  refused("match '" + first_ + ".ppm' '" + first_ + "x.ppm' --method exact", "ax.ppm");
  refused("match '" + first_ + ".ppm'", "B");
  refused(pair("--method nonsense"), "nonsense");
  refused(pair("--method fgnn:d3"), "");
}

}  // namespace
}  // namespace fgnn::testing
