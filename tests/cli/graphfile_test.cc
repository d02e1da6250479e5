// fgnn train file: the example of docs/graphfile.md, from making the graphs to measuring the
// network.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "fgnn/io/outside_program.h"
#include "tests/cli/process.h"
#include "tests/places.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

using testing::Program;

std::string output(const testing::Words& arguments) {
  Program program(arguments);
  EXPECT_TRUE(program.wait());
  EXPECT_EQ(program.exit_code(), 0) << program.err();
  return program.out();
}

TEST(Graphfile, GraphsOfAFileAreLearned) {
  const testing::Scratch scratch;
  const std::string data = (scratch.path() / "rings.jsonl").string();
  const std::string run = (scratch.path() / "rings").string();
  ASSERT_TRUE(output_of("awk -f " + shell_word(FGNN_SOURCE_DIR "/examples/graphfile/rings.awk") +
                        " -v count=500 > " + shell_word(data)));
  const std::string said =
      output({"train", "file", "--data", data, "--network", "2*FGNN(16) - Out(2)", "--set",
              "steps=200", "--set", "interval=100", "--set", "rate=1e-2", "--out", run});
  EXPECT_NE(said.find("accuracy"), std::string::npos);
  const auto measured = nlohmann::json::parse(output({"eval", run, "--json"}));
  EXPECT_EQ(measured.at("graphs"), 50);
  EXPECT_GT(measured.at("accuracy").get<double>(), 0.95);
  // Other graphs of the same kind.
  const std::string other = (scratch.path() / "other.jsonl").string();
  ASSERT_TRUE(output_of("awk -f " + shell_word(FGNN_SOURCE_DIR "/examples/graphfile/rings.awk") +
                        " -v count=100 -v seed=7 > " + shell_word(other)));
  const auto again = nlohmann::json::parse(output({"eval", run, "--data", other, "--json"}));
  EXPECT_EQ(again.at("graphs"), 10);
}

TEST(Graphfile, WithoutAFileItSaysWhatIsWanted) {
  Program program({"train", "file"});
  ASSERT_TRUE(program.wait());
  EXPECT_EQ(program.exit_code(), 2);
  EXPECT_NE(program.err().find("docs/graphfile.md"), std::string::npos);
}

}  // namespace
}  // namespace fgnn
