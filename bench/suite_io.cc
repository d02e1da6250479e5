// Writing and reading a large graph of tables as text.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/suite.h"
#include "fgnn/core/random.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/io/files.h"
#include "fgnn/potentials/table.h"

namespace fgnn::bench {
namespace {

constexpr State kStates = 4;

FactorGraph random_grid(std::size_t side, std::uint64_t seed) {
  Rng rng(seed);
  const auto log_values = [&rng](std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = rng.normal();
    return values;
  };
  GraphBuilder builder;
  const VariableArray x = builder.variables("x", side * side, kStates);
  for (VariableId v : x) builder.unary(v, log_values(kStates));
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      const auto join = [&](std::size_t other) {
        builder.factor({x[i * side + j], x[other]},
                       Table({kStates, kStates}, log_values(kStates * kStates)));
      };
      if (j + 1 < side) join(i * side + j + 1);
      if (i + 1 < side) join((i + 1) * side + j);
    }
  }
  return std::move(builder).build();
}

// A file that is gone when the suite ends, however it ends.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& ending)
      : path_(std::filesystem::temp_directory_path() /
              ("fgnn-bench-" + std::to_string(getpid()) + ending)) {}
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  double megabytes() const { return static_cast<double>(std::filesystem::file_size(path_)) / 1e6; }

 private:
  std::filesystem::path path_;
};

// The baseline: every number of the text through operator>>, words passed over, nothing built.
double sum_of_numbers(const std::filesystem::path& file) {
  std::ifstream in(file);
  double sum = 0, value = 0;
  std::string word;
  while (true) {
    if (in >> value) {
      sum += value;
    } else if (in.eof()) {
      return sum;
    } else {
      in.clear();
      in >> word;
    }
  }
}

void measure(const FactorGraph& graph, const std::string& format, std::vector<Row>& rows) {
  constexpr int kRepeats = 3;
  const ScratchFile file("." + format);
  const double writing = best_seconds(kRepeats, [&] { write_graph(graph, file.path(), format); });
  std::size_t edges = 0;
  const Seconds reading = best_seconds(
      kRepeats, [&] { edges = read_graph(file.path(), format).num_edges(); },
      [&] { keep(sum_of_numbers(file.path())); });
  require_equal(static_cast<double>(edges), static_cast<double>(graph.num_edges()), "edges read");
  const double size = file.megabytes();
  rows.push_back({"read ." + format, size / reading.library, "MB/s", size / reading.baseline,
                  "std::istream >>", true});
  rows.push_back({"write ." + format, size / writing, "MB/s"});
}

}  // namespace

std::vector<Row> run_io(const SuiteOptions& options) {
  const FactorGraph graph = random_grid(options.quick ? 50 : 300, options.seed);
  std::vector<Row> rows;
  measure(graph, "fgt", rows);
  measure(graph, "uai", rows);
  return rows;
}

}  // namespace fgnn::bench
