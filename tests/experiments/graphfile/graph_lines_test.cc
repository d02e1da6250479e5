// Labelled graphs of a file: what lines mean, and what is said of those that mean nothing.
#include "fgnn/experiments/graphfile/graph_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fgnn/core/error.h"
#include "fgnn/experiments/graphfile/task.h"
#include "tests/reference/scratch.h"

namespace fgnn::graphfile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GraphLinesTest : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    const std::string file = (scratch_.path() / "graphs.jsonl").string();
    std::ofstream(file) << text;
    return file;
  }
  GraphLines read(const std::string& text) {
    Budget budget("graphs");
    return read_graph_lines(write(text), budget);
  }
  std::string refusal(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::format);
      const std::string line = error.what();
      return line.substr(line.find("graphs.jsonl"));
    }
    return "nothing";
  }

 private:
  testing::Scratch scratch_;
};

constexpr const char* kTwo = R"(
{"variables": [[1, 0.5], [0, 1], [1, 1]],
 "relations": {"pair": {"scopes": [[0, 1], [2, 1]], "features": [[0.5], [0.1]]}}, "labels": [0, null, 2]}
)";

std::string in_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

TEST_F(GraphLinesTest, AreGraphsWithFeaturesAndClasses) {
  const GraphLines all = read(in_one_line(kTwo) + "\n\n" + in_one_line(kTwo) + "\n");
  ASSERT_EQ(all.lines.size(), 2u);
  EXPECT_EQ(all.schema.variable_features, 2u);
  ASSERT_EQ(all.schema.relations.size(), 1u);
  EXPECT_EQ(all.schema.relations[0].name, "pair");
  EXPECT_EQ(all.schema.relations[0].factor_features, 1u);
  EXPECT_EQ(all.schema.relations[0].kinds, 2u);
  EXPECT_TRUE(all.of_classes);
  EXPECT_FALSE(all.of_graphs);
  EXPECT_EQ(all.outputs, 3u);
  const tasks::Labelled& g = all.lines[1].graph;
  EXPECT_THAT(g.classes, ElementsAre(0, -1, 2));
  EXPECT_THAT(g.batch.variable, ElementsAre(1, 0.5, 0, 1, 1, 1));
  const network::Relation& pair = g.batch.structure->relations()[0];
  EXPECT_THAT(pair.factor, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(pair.variable, ElementsAre(0, 1, 2, 1));
  EXPECT_THAT(pair.kind, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(g.batch.relations[0].factor, ElementsAre(0.5, 0.1));
}

TEST_F(GraphLinesTest, ScopesOfAnySizeHaveKindsAsWritten) {
  const GraphLines all = read(
      R"({"variables": [[1], [2], [3]], "relations": {"around": {"scopes": [[0, 1, 2], [1], []], )"
      R"("kinds": [[1, 0, 1], [4], []]}}, "target": 0.5})"
      "\n"
      R"({"variables": [[1]], "target": [1.5]})");
  EXPECT_TRUE(all.of_graphs);
  EXPECT_FALSE(all.of_classes);
  EXPECT_EQ(all.outputs, 1u);
  EXPECT_EQ(all.schema.relations[0].kinds, 5u);
  const network::Relation& around = all.lines[0].graph.batch.structure->relations()[0];
  EXPECT_EQ(around.factors, 3u);
  EXPECT_THAT(around.kind, ElementsAre(1, 0, 1, 4));
  EXPECT_EQ(all.lines[1].graph.batch.structure->relations()[0].factors, 0u);
  EXPECT_THAT(all.lines[1].graph.targets, ElementsAre(1.5f));
}

TEST_F(GraphLinesTest, EdgesMayHaveFeaturesOfTheirOwn) {
  const GraphLines all =
      read(R"({"variables": [[1], [2]], "relations": {"pair": {"scopes": [[0, 1]], )"
           R"("edge_features": [[1, 2], [3, 4]]}}, "targets": [[1], [2]], "split": "test"})");
  EXPECT_EQ(all.schema.relations[0].edge_features, 2u);
  EXPECT_EQ(all.lines[0].split, tasks::Stream::test);
  const network::Batch& batch = all.lines[0].graph.batch;
  EXPECT_TRUE(batch.structure->relations()[0].own_kinds);
  EXPECT_THAT(batch.structure->relations()[0].kind, ElementsAre(0, 1));
  EXPECT_THAT(batch.relations[0].edge, ElementsAre(1, 2, 3, 4));
}

TEST_F(GraphLinesTest, MistakesNameTheLineAndTheKey) {
  const std::string good = R"({"variables": [[1]], "labels": [0]})";
  const auto second = [&](const std::string& line) { return refusal(good + "\n" + line); };
  EXPECT_THAT(refusal(""), HasSubstr("holds no graph"));
  EXPECT_THAT(second(R"({"variables": [[1]], "labels": [0])"),
              HasSubstr("graphs.jsonl:2:35: the line ends too early"));
  EXPECT_THAT(second(R"({"variables": [[1]] "labels": [0]})"), HasSubstr("graphs.jsonl:2:"));
  EXPECT_THAT(second("[]"), HasSubstr("graphs.jsonl:2: is not an object"));
  EXPECT_THAT(second(R"({"variable": [[1]], "labels": [0]})"),
              HasSubstr("graphs.jsonl:2: has an unknown key \"variable\"; did you mean"));
  EXPECT_THAT(second(R"({"labels": [0]})"), HasSubstr("has no \"variables\""));
  EXPECT_THAT(second(R"({"variables": [], "labels": []})"), HasSubstr("at least one row"));
  EXPECT_THAT(second(R"({"variables": [[1], [1, 2]], "labels": [0, 0]})"),
              HasSubstr("a row of 2 numbers after rows of 1"));
  EXPECT_THAT(second(R"({"variables": [[1, 2]], "labels": [0]})"),
              HasSubstr("rows of 2 numbers where lines before have 1"));
  EXPECT_THAT(second(R"({"variables": [["a"]], "labels": [0]})"), HasSubstr("not a number"));
  EXPECT_THAT(second(R"({"variables": [[1e999]], "labels": [0]})"), HasSubstr("out of range"));
  EXPECT_THAT(second(R"({"variables": [[1]]})"), HasSubstr("says not what is wanted"));
  EXPECT_THAT(second(R"({"variables": [[1]], "label": 0})"),
              HasSubstr("has \"label\" where lines before have \"labels\""));
  EXPECT_THAT(second(R"({"variables": [[1]], "labels": [0], "label": 1})"), HasSubstr("has both"));
  EXPECT_THAT(second(R"({"variables": [[1]], "labels": [0, 1]})"),
              HasSubstr("labels has 2 for 1 variables"));
  EXPECT_THAT(second(R"({"variables": [[1]], "labels": [0.5]})"), HasSubstr("not the number of"));
  EXPECT_THAT(second(R"({"variables": [[1]], "labels": [0], "split": "tests"})"),
              HasSubstr("split is not"));
  EXPECT_THAT(second(R"({"variables": [[1]], "labels": [0], "relations": {"a": {}}})"),
              HasSubstr("relations has an unknown key \"a\""));
}

TEST_F(GraphLinesTest, MistakesInRelationsNameThem) {
  const auto of = [&](const std::string& relation) {
    return refusal(R"({"variables": [[1], [2]], "labels": [0, 1], "relations": {"p": )" + relation +
                   "}}");
  };
  EXPECT_THAT(of("3"), HasSubstr("relation p is not an object"));
  EXPECT_THAT(of("{}"), HasSubstr("relation p has no \"scopes\""));
  EXPECT_THAT(of(R"({"scopes": [[0, 2]]})"),
              HasSubstr("p: scopes holds 2 where a whole number from 0 to 1"));
  EXPECT_THAT(of(R"({"scopes": [[0, -1]]})"), HasSubstr("p: scopes holds -1"));
  EXPECT_THAT(of(R"({"scopes": [[1, 1]]})"), HasSubstr("variable 1 twice"));
  EXPECT_THAT(of(R"({"scopes": [[0, 1]], "kinds": [[0]]})"), HasSubstr("for each variable"));
  EXPECT_THAT(of(R"({"scopes": [[0, 1]], "kinds": []})"), HasSubstr("a list for each scope"));
  EXPECT_THAT(of(R"({"scopes": [[0, 1]], "features": []})"), HasSubstr("0 rows for 1 factors"));
  EXPECT_THAT(of(R"({"scopes": [[0, 1]], "edge_features": [[1]]})"),
              HasSubstr("1 rows for 2 edges"));
  EXPECT_THAT(of(R"({"scope": [[0, 1]]})"), HasSubstr("did you mean 'scopes'"));
}

TEST_F(GraphLinesTest, MemoryIsCounted) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += in_one_line(kTwo) + "\n";
  Budget budget("graphs", 10000);
  EXPECT_THROW(
      {
        try {
          read_graph_lines(write(text), budget);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::too_large);
          throw;
        }
      },
      Error);
}

TEST_F(GraphLinesTest, ATaskSplitsThemAndKeepsWhatItsModelsNeed) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += in_one_line(kTwo) + "\n";
  FileOptions options;
  options.data = write(text);
  const FileTask task(options);
  const auto held = task.size(tasks::Stream::validation);
  EXPECT_NEAR(static_cast<double>(held), 20, 14);
  EXPECT_EQ(task.size(tasks::Stream::train) + held, 200u);
  EXPECT_FALSE(task.has(tasks::Stream::test));
  EXPECT_EQ(task.settings().at("kinds"), "2");
  EXPECT_EQ(task.output_layers(), "Out(3)");
  options.kinds = {5};
  EXPECT_EQ(FileTask(options).schema().relations[0].kinds, 5u);
  options.kinds = {1};
  EXPECT_THROW(FileTask{options}, Error);
  options.kinds = {};
  options.loss = "l2";
  EXPECT_THROW(FileTask{options}, Error);
}

TEST_F(GraphLinesTest, SaidSplitsAreKeptTo) {
  FileOptions options;
  options.data = write(R"({"variables": [[1]], "target": 1, "split": "validation"})"
                       "\n"
                       R"({"variables": [[1]], "target": 2})"
                       "\n"
                       R"({"variables": [[1]], "target": 3, "split": "test"})");
  const FileTask task(options);
  EXPECT_EQ(task.size(tasks::Stream::train), 1u);
  EXPECT_THAT(task.instance(tasks::Stream::test, 0).targets, ElementsAre(3.0f));
  EXPECT_THAT(task.instance(tasks::Stream::validation, 0).targets, ElementsAre(1.0f));
  EXPECT_EQ(task.output_layers(), "Pool(mean) - FC(64) - Out(1)");
  EXPECT_EQ(task.loss(), tasks::Loss::l2);
}

}  // namespace
}  // namespace fgnn::graphfile
