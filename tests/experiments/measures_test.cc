#include "fgnn/experiments/measures.h"

#include <gtest/gtest.h>

namespace fgnn::experiments {
namespace {

TEST(Measures, AreSaidWithTheirUnits) {
  tasks::Metrics m;
  m.add_named("mu", "D", 3, 2);
  m.add_named("share", "", 1, 4);
  Summary summary;
  add_named(m, summary);
  EXPECT_EQ(summary.text(), "mu     1.5 D\nshare  0.25\n");
  Json json = Json::object();
  add_named(m, json);
  EXPECT_EQ(json.dump(), R"({"metrics":[{"name":"mu","value":1.5,"unit":"D"},)"
                         R"({"name":"share","value":0.25,"unit":""}]})");
}

TEST(Measures, AreLeftOutWhereThereAreNone) {
  Json json = Json::object();
  add_named(tasks::Metrics(), json);
  EXPECT_TRUE(json.empty());
}

}  // namespace
}  // namespace fgnn::experiments
