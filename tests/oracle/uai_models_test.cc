// Models of the UAI 2014 competition: partition functions to the six digits of the .PR files,
// marginals to the 1e-5 of the .MAR files. The hardest three need minutes under a sanitizer and
// gigabytes of memory: they run when FGNN_SLOW_TESTS is set.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "fgnn/infer/exact.h"
#include "fgnn/io/files.h"
#include "tests/reference/data_folder.h"

namespace fgnn {
namespace {

constexpr double kQuickOperations = 1 << 26;

void expect_published_answers(const std::filesystem::path& model, const Result& r) {
  std::string kind;
  double log10_z = 0;
  std::ifstream pr(model.string() + ".PR");
  ASSERT_TRUE(pr >> kind >> log10_z);
  // Half a unit in the sixth digit.
  const double digit = std::pow(10, std::floor(std::log10(std::fabs(log10_z))) - 5);
  EXPECT_NEAR(*r.log_partition / std::log(10.0), log10_z, 0.51 * digit);

  std::ifstream mar(model.string() + ".MAR");
  std::size_t variables = 0;
  ASSERT_TRUE(mar >> kind >> variables);
  ASSERT_EQ(variables, r.marginals.size());
  for (VariableId v = 0; v < variables; ++v) {
    std::size_t states = 0;
    ASSERT_TRUE(mar >> states);
    ASSERT_EQ(states, r.marginals[v].size());
    for (double p : r.marginals[v]) {
      double published = 0;
      ASSERT_TRUE(mar >> published);
      EXPECT_NEAR(p, published, 1e-5);
    }
  }
}

TEST(UaiModels, PartitionFunctionsAndMarginalsAreThePublishedOnes) {
  FGNN_SKIP_WITHOUT_DATA("uai");
  const bool slow = std::getenv("FGNN_SLOW_TESTS") != nullptr;
  int solved = 0, left_out = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_folder() / "uai")) {
    if (entry.path().extension() != ".uai") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const FactorGraph graph = read_graph(entry.path());
    const Evidence evidence = read_evidence(graph, entry.path().string() + ".evid");
    const double work = exact_cost(graph.given(evidence), ExactTask::marginals).operations;
    if (!slow && work > kQuickOperations) {
      ++left_out;
      continue;
    }
    expect_published_answers(entry.path(), exact_marginals(graph, {}, evidence));
    ++solved;
  }
  EXPECT_GE(solved, 10);
  if (left_out > 0) std::cout << left_out << " models left out; set FGNN_SLOW_TESTS for all\n";
}

}  // namespace
}  // namespace fgnn
