// What the network between the ranks costs: sums of a gradient's pieces. A model of training on
// many machines needs the time of a sum of n bytes, which these rows give for n from 8 to 16
// million.
#include <fmt/core.h>

#include "bench/suite.h"
#include "fgnn/cluster/group.h"
#include "fgnn/core/error.h"

namespace fgnn::bench {
namespace {

constexpr double kSecondsEach = 0.3;

// Seconds of one sum, all ranks starting together. Rank 0 counts how many fit into the time; the
// ranks must agree on the number.
double sum_seconds(cluster::Group& group, std::vector<float>& values, double seconds_each) {
  const auto repeat = [&](std::uint64_t times) {
    group.barrier();
    const Stopwatch watch;
    for (std::uint64_t i = 0; i < times; ++i) {
      group.start_sum(values);
      group.finish_sums();
    }
    double seconds = watch.seconds() / static_cast<double>(times);
    group.broadcast(std::span(&seconds, 1));
    return seconds;
  };
  repeat(2);  // the first ones connect
  const double once = repeat(3);
  const auto times = static_cast<std::uint64_t>(std::max(3.0, seconds_each / 3 / once));
  return std::min({repeat(times), repeat(times), repeat(times)});
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
    const double seconds = sum_seconds(group, values, options.quick ? 0.03 : kSecondsEach);
    const std::string what = fmt::format("sum of {} bytes over {} ranks", bytes, group.size());
    rows.push_back({what, 1e6 * seconds, "us"});
    rows.push_back(
        {what + ", bandwidth", 1e-6 * static_cast<double>(bytes) / seconds, "MB/s", {}, {}, true});
  }
  return rows;
}

}  // namespace fgnn::bench
