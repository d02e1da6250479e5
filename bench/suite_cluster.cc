// What the network between the ranks costs: sums of a gradient's pieces. A model of training on
// many machines needs the time of a sum of n bytes, which these rows give for n from 8 to 16
// million.
#include <fmt/core.h>

#include "bench/suite.h"
#include "fgnn/cluster/group.h"
#include "fgnn/core/error.h"

namespace fgnn::bench {
namespace {

// Seconds of one sum: the best of many short turns, since everything that disturbs makes it slower.
// A turn is a few in a row, so that a rank that came late to the first one gains little by it.
double sum_seconds(cluster::Group& group, std::vector<float>& values, double seconds) {
  const int in_a_row = values.size() < 100'000 ? 8 : 2;
  double best = kInfinity;
  std::uint64_t go_on = 1;
  for (const Stopwatch all; go_on != 0;) {
    group.barrier();
    const Stopwatch turn;
    for (int i = 0; i < in_a_row; ++i) {
      group.start_sum(values);
      group.finish_sums();
    }
    best = std::min(best, turn.seconds() / in_a_row);
    go_on = all.seconds() < seconds;
    group.broadcast(std::span(&go_on, 1));
  }
  return best;
}

}  // namespace

std::vector<Row> run_cluster(const SuiteOptions& options) {
  cluster::Group& group = cluster::world();
  if (group.size() == 1) {
    throw Error(ErrorCode::usage, "suite 'cluster'", "measures several ranks, and there is one",
                "start it as mpirun -n 2 fgnn bench cluster");
  }
  std::vector<Row> rows;
  for (std::size_t bytes = 8; bytes <= (options.quick ? 1u << 16 : 1u << 24); bytes *= 8) {
    std::vector<float> values(bytes / sizeof(float), 0);
    const double seconds = sum_seconds(group, values, options.quick ? 0.05 : 1.0);
    const std::string what = fmt::format("sum of {} bytes over {} ranks", bytes, group.size());
    rows.push_back({what, 1e6 * seconds, "µs"});
    rows.push_back(
        {what + ", bandwidth", 1e-6 * static_cast<double>(bytes) / seconds, "MB/s", {}, {}, true});
  }
  return rows;
}

}  // namespace fgnn::bench
