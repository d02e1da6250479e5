// The files of others: all UAI models with their evidence and answers, all alists.
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "fgnn/core/random.h"
#include "fgnn/io/alist.h"
#include "fgnn/io/files.h"
#include "fgnn/io/uai_answers.h"
#include "tests/reference/data_folder.h"
#include "tests/reference/random_graph.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_with(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ending) files.push_back(entry.path());
  }
  return files;
}

TEST(Data, AllUaiModelsAreReadAndSurviveEveryFormat) {
  FGNN_SKIP_WITHOUT_DATA("uai");
  const testing::Scratch scratch;
  const auto files = files_with(testing::data_folder() / "uai", ".uai");
  EXPECT_EQ(files.size(), 17u);
  Rng rng(5);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const FactorGraph graph = read_graph(file);
    EXPECT_GT(graph.num_factors(), 0u);
    for (const char* format : {"uai", "fg", "fgt"}) {
      const fs::path copy = scratch.path() / format;
      write_graph(graph, copy, format);
      const FactorGraph again = read_graph(copy, format);
      for (int i = 0; i < 10; ++i) {
        const std::vector<State> x = testing::random_assignment(rng, graph);
        const double expected = graph.score(x), got = again.score(x);
        if (expected == got) continue;  // also when both are forbidden
        EXPECT_NEAR(got, expected, 1e-9 * std::abs(expected)) << format;
      }
    }
  }
}

TEST(Data, EvidenceAndAnswersOfTheUaiModelsFitThem) {
  FGNN_SKIP_WITHOUT_DATA("uai");
  for (const fs::path& file : files_with(testing::data_folder() / "uai", ".uai")) {
    SCOPED_TRACE(file.filename());
    const FactorGraph graph = read_graph(file);
    const Evidence evidence = read_evidence(graph, file.string() + ".evid");
    std::ifstream mar(file.string() + ".MAR"), pr(file.string() + ".PR");
    const Marginals marginals = read_mar(mar, file.string() + ".MAR", graph);
    for (VariableId v = 0; v < graph.num_variables(); ++v) {
      const double sum = std::accumulate(marginals[v].begin(), marginals[v].end(), 0.0);
      EXPECT_NEAR(sum, 1, 1e-3) << graph.name(v);
    }
    for (const auto& [v, state] : evidence.hard()) EXPECT_NEAR(marginals[v][state], 1, 1e-6);
    EXPECT_TRUE(std::isfinite(read_pr(pr, file.string() + ".PR")));
  }
}

TEST(Data, AllAlistsAreReadAndSurviveWriting) {
  FGNN_SKIP_WITHOUT_DATA("ldpc");
  const testing::Scratch scratch;
  const auto files = files_with(testing::data_folder() / "ldpc", ".alist");
  EXPECT_GE(files.size(), 8u);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    std::ifstream in(file);
    const SparseParityMatrix matrix = read_alist(in, file.string());
    EXPECT_GT(matrix.num_ones(), 2u * matrix.num_columns());
    const FactorGraph graph = parity_graph(matrix);
    EXPECT_EQ(parity_matrix(graph), matrix);
    for (const char* format : {"alist", "fgt"}) {
      const fs::path copy = scratch.path() / format;
      write_graph(graph, copy, format);
      EXPECT_EQ(parity_matrix(read_graph(copy, format)), matrix);
    }
  }
}

}  // namespace
}  // namespace fgnn
