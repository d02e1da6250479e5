#include "fgnn/experiments/molecules/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "fgnn/experiments/molecules/paper.h"
#include "fgnn/experiments/outcomes.h"
#include "tests/experiments/molecules/small_molecules.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn::molecules {
namespace {

using fgnn::testing::expect_error;
using ::testing::HasSubstr;

Outcome outcome_of(const Run& run, double error) {
  Outcome o{run.name(), std::vector<std::optional<double>>(kTargets), error, 1000, 3, 60, 2};
  for (const std::size_t t : targets_of(run.targets)) o.error[t] = error + static_cast<double>(t);
  return o;
}

TEST(MoleculeTables, RunsHaveNamesOfTheirOwn) {
  ReportOptions options;
  options.seeds = 2;
  for (const auto& [table, title] : molecule_tables()) {
    std::set<std::string> names;
    const auto runs = runs_of(table, options);
    EXPECT_FALSE(runs.empty()) << table;
    for (const molecules::Run& run : runs) {
      EXPECT_TRUE(names.insert(run.name()).second) << run.name();
      (void)network_of(run.network_options());  // they can all be built
    }
  }
  // The rank of the figure's last point is the main table's network: trained once.
  EXPECT_EQ(runs_of("ranks", options).back().name(), runs_of("joint", options)[2].name());
}

TEST(MoleculeTables, SeedsAreAveragedAndWhatIsMissingIsSaid) {
  ReportOptions options;
  options.seeds = 2;
  options.tables = {"joint"};
  const auto runs = runs_of("joint", options);
  ASSERT_EQ(runs.size(), 8u);
  std::vector<Outcome> outcomes{outcome_of(runs[0], 1), outcome_of(runs[4], 3)};  // both mpnn
  const auto rows = rows_of(options, outcomes);
  const auto find = [&](const std::string& method, bool paper) -> const Row& {
    for (const Row& row : rows) {
      if (row.method == method && row.paper == paper) return row;
    }
    throw std::runtime_error(method);
  };
  EXPECT_DOUBLE_EQ(*find("MPNN", false).error[2], 4);
  EXPECT_EQ(find("MPNN", false).finished, 2u);
  EXPECT_FALSE(find("FGNN", false).error[0]);
  EXPECT_DOUBLE_EQ(*find("FGNN", true).error[0], .092);
  const auto remarks = notes("joint", options, rows);
  EXPECT_THAT(remarks[0],
              HasSubstr("fgnn reproduce molecules --data FILE --out DIR --tables joint"));
  EXPECT_THAT(page(options, rows), HasSubstr("<table"));
}

TEST(MoleculeTables, SeparateTrainingsAreOneRow) {
  ReportOptions options;
  options.tables = {"separate"};
  std::vector<Outcome> outcomes;
  for (const molecules::Run& run : runs_of("separate", options))
    outcomes.push_back(outcome_of(run, 1));
  for (const Row& row : rows_of(options, outcomes)) {
    if (row.paper) continue;
    EXPECT_EQ(row.planned, kTargets);
    for (std::size_t t = 0; t < kTargets; ++t) EXPECT_DOUBLE_EQ(*row.error[t], 1.0 + double(t));
  }
}

TEST(MoleculeTables, OutcomesComeBackFromTheirFile) {
  fgnn::testing::Scratch folder;
  const molecules::Run run = runs_of("joint", {})[0];
  std::ofstream(folder.path() / "results.jsonl")
      << line_of(outcome_of(run, 2.5)) << "\n{\"run\": \"cut";
  const auto outcomes = read_outcomes(folder.path());
  ASSERT_EQ(outcomes.size(), 1u);
  const Outcome* found = experiments::find_outcome(outcomes, run);
  ASSERT_NE(found, nullptr);
  EXPECT_DOUBLE_EQ(*found->error[1], 3.5);
}

TEST(MoleculeTables, ALineThatIsNoOutcomeIsNamed) {
  const molecules::Run run = runs_of("joint", {})[0];
  const std::string sound = line_of(outcome_of(run, 2.5)) + "\n";
  for (const char* wrong : {"{\"run\": \"x\"}", "{\"run\": 1, \"error\": {}}", "[1]",
                            "{\"run\": \"x\", \"error\": {\"mass\": 1}}",
                            "{\"run\": \"x\", \"error\": {\"mu\": \"1\"}}"}) {
    fgnn::testing::Scratch folder;
    std::ofstream(folder.path() / "results.jsonl") << sound << wrong << "\n" << sound;
    expect_error(ErrorCode::format, "results.jsonl:2", [&] { read_outcomes(folder.path()); });
  }
}

TEST(MoleculeTables, ATrainingIsTestedAndTakenUpAgain) {
  fgnn::testing::Scratch folder;
  const auto set = std::make_shared<const MoleculeSet>(fgnn::testing::made_up_set(80));
  ReportOptions options;
  options.folder = folder.path();
  molecules::Run run;
  run.graph.form = Form::invariant;
  run.rank = 8;
  run.targets = "cv";
  run.epochs = 2;
  const Outcome first = perform(run, options, set);
  ASSERT_TRUE(first.error[11]);
  EXPECT_GT(*first.error[11], 0);
  EXPECT_FALSE(first.error[0]);
  const Outcome again = perform(run, options, set);  // nothing is left to train
  EXPECT_DOUBLE_EQ(*again.error[11], *first.error[11]);
  EXPECT_GT(first.seconds, 0);
  EXPECT_DOUBLE_EQ(again.seconds, first.seconds);  // what it took, not what looking at it takes
}

TEST(MoleculeTables, NonsenseIsRefused) {
  ReportOptions options;
  expect_error(ErrorCode::usage, "--data", [&] { options.validate(); });
  options.train = false;
  options.tables = {"jiont"};
  expect_error(ErrorCode::usage, "there is no such table", [&] { options.validate(); });
}

// The figures in Hartree of the appendix are those in meV of the main table.
TEST(MoleculePaper, TablesAgreeWithEachOther) {
  for (const std::size_t t : {2u, 3u, 4u, 7u, 10u}) {
    EXPECT_NEAR(paper_sharing()[2].error[t] / paper_joint()[3].error[t], 1, 0.01);
  }
}

}  // namespace
}  // namespace fgnn::molecules
