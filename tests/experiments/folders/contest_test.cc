#include "fgnn/experiments/folders/contest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "fgnn/infer/exact.h"
#include "fgnn/io/files.h"
#include "fgnn/io/read_text.h"
#include "fgnn/io/toulbar2.h"
#include "fgnn/io/uai_answers.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"
#include "tests/reference/scratch.h"

namespace fgnn::folders {
namespace {

using testing::expect_error;

class FolderContest : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& name) const { return scratch_.path() / name; }

  FactorGraph add_model(const std::string& name, std::uint64_t seed) const {
    Rng rng(seed);
    testing::RandomGraphOptions small;
    small.min_variables = 4;
    small.max_variables = 8;
    const FactorGraph graph = testing::random_graph(rng, small);
    write_graph(graph, file(name));
    return graph;
  }

  std::vector<Measurement> run(Query query, const std::string& methods, bool toulbar2 = false) {
    ContestOptions options;
    options.query = query;
    MethodOptions limits;
    limits.threads = 1;
    options.methods = parse_variants(query, methods, limits);
    options.toulbar2 = toulbar2;
    options.log = log_;
    options.control = control_;
    return contest(find_models({scratch_.path().string()}), options);
  }

  testing::Scratch scratch_;
  std::string log_;
  Control control_;
};

TEST_F(FolderContest, MeasuresEveryModelByEveryMethod) {
  const FactorGraph first = add_model("a_1.fgt", 1), second = add_model("b_1.fgt", 2);
  const auto all = run(Query::map, "max-product,exact");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].model + all[0].method, "a_1max-product");
  EXPECT_EQ(all[3].family + all[3].method, "bexact");
  EXPECT_NEAR(all[1].score, exact_map(first).score, 1e-9);
  EXPECT_NEAR(all[3].score, exact_map(second).score, 1e-9);
  EXPECT_TRUE(all[1].proved());
  EXPECT_LE(all[0].score, all[1].score + 1e-9);
}

TEST_F(FolderContest, ReadsEvidenceAndAnswersBesideAModel) {
  const FactorGraph graph = add_model("a_1.fgt", 3);
  const Result best = exact_map(graph);
  std::ofstream(file("a_1.fgt.evid")) << "1 0 " << best.assignment[0] << "\n";
  Evidence evidence;
  evidence.fix(0, best.assignment[0]);
  const Result given = exact_marginals(graph, {}, evidence);
  Marginals wrong = given.marginals;
  for (double& p : wrong[1]) p = p > 0.5 ? p - 0.25 : p;
  double moved = 0;
  for (const double p : given.marginals[1]) moved += p > 0.5 ? 0.25 : 0;
  std::ofstream mar(file("a_1.fgt.MAR")), pr(file("a_1.fgt.PR")), map(file("a_1.fgt.MAP"));
  write_mar(mar, wrong);
  write_pr(pr, *given.log_partition + 2 * std::numbers::ln10);
  write_map(map, best.assignment);
  mar.close();
  pr.close();
  map.close();
  const auto marginals = run(Query::infer, "exact");
  ASSERT_EQ(marginals.size(), 1u);
  EXPECT_EQ(marginals[0].reference, "files");
  EXPECT_NEAR(*marginals[0].log10_z, *given.log_partition / std::numbers::ln10, 1e-9);
  EXPECT_NEAR(*marginals[0].z_error, 2, 1e-4);
  EXPECT_NEAR(*marginals[0].marginal_error, moved / static_cast<double>(graph.total_states()),
              1e-5);
  const auto assignments = run(Query::map, "exact");
  EXPECT_NEAR(*assignments[0].known_score, best.score, 1e-9);
  EXPECT_NEAR(assignments[0].score, best.score, 1e-9);
}

TEST_F(FolderContest, TakesAnExactAnswerAsReferenceWhereThereIsNoFile) {
  add_model("a_1.fgt", 4);
  const auto all = run(Query::infer, "sum-product:iterations=1,exact,enumerate");
  ASSERT_EQ(all.size(), 3u);
  for (const Measurement& m : all) EXPECT_EQ(m.reference, "exact") << m.method;
  EXPECT_EQ(all[1].marginal_error, 0);
  EXPECT_LT(*all[2].marginal_error, 1e-9);
  EXPECT_LT(*all[2].z_error, 1e-9);
}

TEST_F(FolderContest, GoesOnAfterWhatCannotBeReadOrSolved) {
  std::ofstream(file("a_0.uai")) << "nonsense\n";
  const FactorGraph graph = add_model("a_1.fgt", 5);
  add_model("a_2.fgt", 6);
  std::ofstream(file("a_2.fgt.evid")) << "1 1000 0\n";
  const auto all = run(Query::map, "exact,ad3");
  ASSERT_EQ(all.size(), 6u);
  for (const std::size_t i : {0, 1, 4, 5}) {
    EXPECT_FALSE(all[i].answered);
    EXPECT_EQ(all[i].status, "format") << all[i].note;
    EXPECT_NE(all[i].note, "");
  }
  EXPECT_NEAR(all[2].score, exact_map(graph).score, 1e-9);
}

TEST_F(FolderContest, UsesWhatItsLogHas) {
  add_model("a_1.fgt", 7);
  log_ = file("log.jsonl").string();
  const auto first = run(Query::map, "max-product");
  const auto second = run(Query::map, "exact,max-product");
  EXPECT_EQ(to_json(second[1]), to_json(first[0])) << "its time as well";
  const std::string before = read_text(log_);
  const auto third = run(Query::map, "max-product,exact");
  EXPECT_EQ(read_text(log_), before);
  EXPECT_EQ(to_json(third[1]), to_json(second[0]));
  EXPECT_EQ(third[0].family, "a");
  run(Query::infer, "exact");
  add_model("a_1.fgt", 8);
  run(Query::map, "exact");
  const std::string after = read_text(log_);
  EXPECT_EQ(std::ranges::count(before, '\n') + 2, std::ranges::count(after, '\n'));
}

TEST_F(FolderContest, RefusesALogOfSomethingElse) {
  add_model("a_1.fgt", 9);
  log_ = file("log.jsonl").string();
  std::ofstream(log_) << "{}\n";
  expect_error(ErrorCode::format, "is not a measurement of compare; name a file that fgnn compare",
               [&] { run(Query::map, "exact"); });
}

TEST_F(FolderContest, StopsWithWhatItHas) {
  for (int i = 0; i < 4; ++i) add_model("a_" + std::to_string(i) + ".fgt", 10);
  class StopAfterTwo : public Observer {
   public:
    void on_progress(const Progress& progress) override {
      if (progress.done == 2) source.request_stop();
    }
    StopSource source;
  } observer;
  control_ = {&observer, observer.source.token()};
  EXPECT_EQ(run(Query::map, "exact").size(), 2u);
}

TEST_F(FolderContest, ScoresToulbar2sAnswersItself) {
  if (!have_toulbar2()) GTEST_SKIP() << "toulbar2 is not installed (Debian package toulbar2)";
  for (int i = 0; i < 5; ++i) add_model("a_" + std::to_string(i) + ".fgt", 20 + i);
  const auto all = run(Query::map, "exact", true);
  ASSERT_EQ(all.size(), 10u);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    EXPECT_EQ(all[i + 1].method, "toulbar2");
    EXPECT_TRUE(all[i + 1].proved());
    EXPECT_NEAR(all[i].score, all[i + 1].score, 1e-4);
  }
  expect_error(ErrorCode::usage, "finds best assignments, not marginals",
               [&] { run(Query::infer, "exact", true); });
}

}  // namespace
}  // namespace fgnn::folders
