#include "fgnn/io/json_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

using ::testing::ElementsAre;
using testing::expect_error;

const std::vector<std::string> kBegins{"{\"n\":"};

class JsonLogTest : public ::testing::Test {
 protected:
  void put(const std::string& text) { std::ofstream(file_) << text; }
  std::string text() const {
    std::stringstream all;
    all << std::ifstream(file_).rdbuf();
    return all.str();
  }
  JsonLog::Take take() {
    taken_.clear();
    return [this](std::string_view line, std::size_t number) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (!json.is_object() || !json.contains("n")) {
        throw Error(ErrorCode::format, std::to_string(number), "is none of this log");
      }
      taken_.push_back(json["n"]);
    };
  }

  testing::Scratch scratch_;
  const std::filesystem::path file_ = scratch_.path() / "log";
  std::vector<int> taken_;
};

TEST_F(JsonLogTest, GrowsAtItsEnd) {
  {
    JsonLog log(file_, kBegins, take());
    log.append("{\"n\":1}");
    log.append("{\"n\":2}");
  }
  JsonLog log(file_, kBegins, take());
  EXPECT_THAT(taken_, ElementsAre(1, 2));
  log.append("{\"n\":3}");
  EXPECT_EQ(text(), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
  read_json_log(file_, take());
  EXPECT_THAT(taken_, ElementsAre(1, 2, 3));
}

TEST_F(JsonLogTest, ALineCutShortByACrashGoes) {
  for (const std::string torn : {"{", "{\"n", "{\"n\":1", "{\"n\":3,\"text\":\"a", "{\"n\":tr"}) {
    put("{\"n\":1}\n" + torn);
    read_json_log(file_, take());
    EXPECT_THAT(taken_, ElementsAre(1)) << torn;
    JsonLog log(file_, kBegins, take());
    EXPECT_THAT(taken_, ElementsAre(1)) << torn;
    EXPECT_EQ(text(), "{\"n\":1}\n") << torn;
  }
  put("{\"n\":3,\"text\":\"a");  // the first line of all
  JsonLog log(file_, kBegins, take());
  EXPECT_EQ(text(), "");
}

TEST_F(JsonLogTest, ALineThatLacksOnlyItsEndStays) {
  put("{\"n\":1}");
  JsonLog log(file_, kBegins, take());
  EXPECT_THAT(taken_, ElementsAre(1));
  log.append("{\"n\":2}");
  EXPECT_EQ(text(), "{\"n\":1}\n{\"n\":2}\n");
}

TEST_F(JsonLogTest, AFileOfSomethingElseStaysAsItIs) {
  for (const std::string other :
       {"a letter to my mother", "{\"n", "{}", "{\"m\":1}", "{\"n\": no JSON}", "[1, 2",
        "{\"n\":1}\nnot a line of it", "{\"n\":1}\n{\"m\":1", "other\n{\"n\":"}) {
    put(other);
    expect_error(ErrorCode::format, "is none of this log",
                 [&] { JsonLog(file_, kBegins, take()); });
    EXPECT_EQ(text(), other);
  }
}

TEST_F(JsonLogTest, AFileThatCannotBeWrittenShowsAtOnce) {
  expect_error(ErrorCode::io, "cannot be written",
               [&] { JsonLog(scratch_.path() / "no" / "log", kBegins, take()); });
  expect_error(ErrorCode::io, "cannot be written",
               [&] { JsonLog(scratch_.path(), kBegins, take()); });
  expect_error(ErrorCode::io, "cannot be written",
               [&] { JsonLog("/dev/full", kBegins, take()).append("{\"n\":1}"); });
}

}  // namespace
}  // namespace fgnn
