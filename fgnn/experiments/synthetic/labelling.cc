#include "fgnn/experiments/synthetic/labelling.h"

#include <mutex>
#include <set>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/timing.h"
#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/infer/branch_and_bound.h"
#include "fgnn/infer/frontier.h"
#include "fgnn/io/input_file.h"

namespace fgnn::synthetic {
namespace {

LabelLine by_branching(const SyntheticInstance& instance, double time_limit, StopToken stop) {
  BranchOptions options;
  options.control.stop = std::move(stop);
  options.time_limit = time_limit;
  Result result = ad3_exact(instance.graph(), options);
  if (result.status == Status::interrupted) {
    throw Error(ErrorCode::interrupted, "label", "interrupted");
  }
  LabelLine line;
  line.proved = result.status == Status::exact;
  line.score = result.score;
  line.bound = result.bound;
  line.assignment = std::move(result.assignment);
  return line;
}

LabelLine by_frontier(const SyntheticInstance& instance) {
  FrontierMap map = frontier_map(instance);
  LabelLine line;
  line.proved = true;
  line.score = line.bound = map.score;
  line.assignment = std::move(map.assignment);
  return line;
}

std::vector<std::uint64_t> missing(const std::filesystem::path& file,
                                   const LabellingOptions& options, const SyntheticOptions& data) {
  std::set<std::uint64_t> have;
  if (file_exists(file)) {
    for (const LabelLine& line : read_labels(file, data)) have.insert(line.instance);
  }
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < options.count; ++i) {
    if (!have.contains(i)) numbers.push_back(i);
  }
  return numbers;
}

}  // namespace

LabelLine find_label(const SyntheticInstance& instance, double time_limit, StopToken stop) {
  const Stopwatch watch;
  LabelLine line;
  try {
    line = by_frontier(instance);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large && error.code() != ErrorCode::too_wide) throw;
    line = by_branching(instance, time_limit, std::move(stop));
  }
  line.seconds = watch.seconds();
  return line;
}

std::uint64_t label(const std::filesystem::path& folder, const LabellingOptions& options) {
  SyntheticOptions data = options.data;
  data.seed = stream_seed(data.seed, options.stream);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(ErrorCode::io, folder.string(), "cannot be made: " + failure.message());
  const auto file = label_file(folder, options.stream);
  const auto numbers = missing(file, options, data);
  LabelWriter writer(file, data);
  const StopToken& stop = options.control.stop;
  Stage stage(options.control, "label " + data.dataset, static_cast<double>(numbers.size()));
  std::uint64_t added = 0;
  std::mutex mutex;
  parallel_for(options.threads, numbers.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && !stop.stop_requested(); ++i) {
      LabelLine line;
      try {
        line = find_label(synthetic_instance(data, numbers[i]), options.time_limit, stop);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) return;
        throw;
      }
      line.instance = numbers[i];
      const std::lock_guard lock(mutex);
      writer.add(line);
      ++added;
      stage.advance();
    }
  });
  return added;
}

}  // namespace fgnn::synthetic
