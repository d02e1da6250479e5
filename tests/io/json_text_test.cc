#include "fgnn/io/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using nlohmann::json;
using testing::expect_error;

TEST(JsonText, IsReadWithComments) {
  EXPECT_EQ(parse_json<json>("{\"a\": 1}  // one", "f"), (json{{"a", 1}}));
  EXPECT_EQ(parse_json<nlohmann::ordered_json>("[2, 1]", "f").dump(), "[2,1]");
}

TEST(JsonText, FaultsHaveAPlace) {
  const auto refused = [](const std::string& text, const std::string& message) {
    expect_error(ErrorCode::format, message, [&] { parse_json<json>(text, "f.json"); });
  };
  refused("", "f.json:1:1: the JSON ends too early");
  refused("{\"a\":\n  [1, x]}", "f.json:2:7: is not JSON from 'x]}' on");
  refused("{\"a\": \"\xff\"}", "f.json:1:");
  refused("{" + std::string(900000, 'x'), "f.json:1:2: is not JSON from 'xxxx");
  refused("1e999", "f.json");
}

TEST(JsonText, LinesAreUtf8) { EXPECT_EQ(json_line(json("a\xff")), "\"a\xef\xbf\xbd\""); }

}  // namespace
}  // namespace fgnn
