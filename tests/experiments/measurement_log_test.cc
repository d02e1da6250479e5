#include "fgnn/experiments/measurement_log.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fgnn/io/read_text.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::experiments {
namespace {

using testing::expect_error;

void check_number(const Json& result) { result.at("number").get<double>(); }

class Measurements : public ::testing::Test {
 protected:
  MeasurementLog open(const std::string& file) const { return {file, "counting", check_number}; }

  testing::Scratch scratch_;
  const std::string file_ = (scratch_.path() / "log.jsonl").string();
  const Json first_{{"what", "apples"}, {"seed", 1}}, second_{{"what", "apples"}, {"seed", 2}};
};

TEST_F(Measurements, CountForExactlyTheSame) {
  open(file_).add(first_, {{"number", 1.0 / 3}});
  auto log = open(file_);
  EXPECT_EQ(log.known(first_).at("number").get<double>(), 1.0 / 3);
  EXPECT_TRUE(log.known(second_).is_null());
  EXPECT_TRUE(log.known(Json{{"what", "apples"}}).is_null());
  log.add(second_, {{"number", 2}});
  const auto both = log.known(std::vector<Json>{second_, first_});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].at("number"), 2);
  log.add(first_, {{"number", 5}});
  EXPECT_EQ(open(file_).known(first_).at("number"), 5) << "the last line counts";
}

TEST_F(Measurements, WithoutAFileAreForgotten) {
  auto log = open("");
  log.add(first_, {{"number", 1}});
  EXPECT_TRUE(log.known(first_).is_null());
}

TEST_F(Measurements, SurviveAKill) {
  open(file_).add(first_, {{"number", 1}});
  std::ofstream(file_, std::ios::app) << R"({"experiment":"counting","measured":{"wh)";
  EXPECT_EQ(open(file_).known(first_).at("number"), 1);
  open(file_).add(second_, {{"number", 2}});
  EXPECT_EQ(open(file_).known(second_).at("number"), 2);
}

TEST_F(Measurements, AreNamedWhereTheyAreDamaged) {
  for (const char* line : {"no JSON", "[]", "{}", R"({"experiment":"counting","measured":{}})",
                           R"({"experiment":"counting","measured":{},"result":{"number":"x"}})",
                           R"({"experiment":"counting","result":{"number":1}})",
                           R"({"experiment":"other","measured":{},"result":{"number":1}})"}) {
    std::filesystem::remove(file_);
    open(file_).add(first_, {{"number", 1}});
    std::ofstream(file_, std::ios::app) << line << "\n";
    const std::string before = read_text(file_);
    expect_error(ErrorCode::format,
                 file_ + ":2: is not a measurement of reproduce counting; name a file that fgnn",
                 [&] { open(file_); });
    EXPECT_EQ(read_text(file_), before) << line;
  }
}

}  // namespace
}  // namespace fgnn::experiments
