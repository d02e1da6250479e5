#include "fgnn/report/text_table.h"

#include <gtest/gtest.h>

namespace fgnn {
namespace {

TEST(TextTable, AlignsByDisplayedCharactersNotBytes) {
  EXPECT_EQ(display_width("µs"), 2u);
  TextTable table({{"a"}, {"n", Align::right}});
  table.add({"µ", "1"});
  table.add({"xyz", "100"});
  EXPECT_EQ(table.text(), "a      n\n───  ───\nµ      1\nxyz  100\n");
}

TEST(TextTable, ShortensTheMiddleAndSaysHowMuch) {
  TextTable table({{"n", Align::right}});
  for (int i = 0; i < 10; ++i) table.add({std::to_string(i)});
  EXPECT_EQ(table.text(4), "n\n─\n0\n1\n2\n… 6 more, --all shows them\n9\n");
  EXPECT_EQ(table.text(10), table.text());
}

TEST(TextTable, WritesRowsAsJsonWithTitlesAsKeys) {
  TextTable table({{"name"}, {"what"}});
  table.add({"a", "\"quoted\""});
  EXPECT_EQ(table.json(),
            "[\n  {\n    \"name\": \"a\",\n    \"what\": \"\\\"quoted\\\"\"\n  }\n]\n");
}

TEST(Summary, HasNoSpacesBehindEmptyValues) {
  Summary summary;
  summary.add("heading", "");
  summary.add("  x", "1");
  EXPECT_EQ(summary.text(), "heading\n  x      1\n");
}

}  // namespace
}  // namespace fgnn
