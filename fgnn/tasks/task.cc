#include "fgnn/tasks/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/parse.h"
#include "fgnn/network/run.h"

namespace fgnn::tasks {

Labelled Labelled::of(std::span<const Labelled> graphs) {
  std::vector<network::Batch> batches;
  Labelled all;
  for (const auto& g : graphs) {
    batches.push_back(g.batch);
    all.classes.insert(all.classes.end(), g.classes.begin(), g.classes.end());
    all.targets.insert(all.targets.end(), g.targets.begin(), g.targets.end());
  }
  all.batch = network::Batch::of(batches);
  return all;
}

MemoryTask::MemoryTask(network::Schema schema, Loss loss, std::vector<Labelled> train,
                       std::vector<Labelled> validation, std::vector<Labelled> test)
    : schema_(std::move(schema)),
      loss_(loss),
      graphs_{std::move(train), std::move(validation), std::move(test)} {}

namespace {

void check_labels(std::size_t numbers, std::size_t width, const Labelled& wanted, Loss loss) {
  const std::size_t each = loss->of_classes() ? width : loss->targets(width);
  const std::size_t have =
      loss->of_classes() ? wanted.classes.size() * width : wanted.targets.size() / each * width;
  if (have != numbers || (!loss->of_classes() && wanted.targets.size() % each != 0) ||
      (loss->of_classes() && !wanted.targets.empty() && wanted.targets.size() != numbers)) {
    throw Error(
        ErrorCode::usage, "labels",
        fmt::format("are for {} rows where the network has {}", have / width, numbers / width));
  }
  if (!loss->of_classes()) return;
  const auto known = static_cast<std::int64_t>(loss->classes(width));
  for (const std::int64_t c : wanted.classes) {
    if (c < known && (c >= 0 || loss->leaves_open())) continue;
    throw Error(ErrorCode::usage, "labels",
                fmt::format("have class {} where the network knows {}", c, known));
  }
}

// As much of a list as belongs to some rows; nothing of an empty one.
template <class T>
std::span<T> part_of(std::span<T> all, std::size_t first, std::size_t count) {
  return all.empty() ? all : all.subspan(first, count);
}

}  // namespace

Metrics measure(std::span<const float> output, std::size_t width, const Labelled& wanted, Loss loss,
                std::span<const std::size_t> graph_rows, std::span<float> gradient) {
  check_labels(output.size(), width, wanted, loss);
  Metrics m;
  const std::size_t each = loss->of_classes() ? width : loss->targets(width);
  std::vector<double> numbers, slopes;
  for (std::size_t g = 0; g + 1 < graph_rows.size(); ++g) {
    const std::size_t row = graph_rows[g], rows = graph_rows[g + 1] - row;
    const std::size_t first = row * width, count = rows * width;
    numbers.assign(output.begin() + static_cast<std::ptrdiff_t>(first),
                   output.begin() + static_cast<std::ptrdiff_t>(first + count));
    slopes.resize(gradient.empty() ? 0 : count);
    loss->graph({numbers, width, part_of(std::span(wanted.classes), row, rows),
                 part_of(std::span(wanted.targets), row * each, rows * each)},
                m, slopes);
    std::copy(slopes.begin(), slopes.end(), gradient.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return m;
}

std::vector<std::size_t> output_rows(const network::Program& program, const network::Batch& batch) {
  return network::graph_rows(*batch.structure, batch.copies,
                             program.registers[program.output].place);
}

Labelled batch_of(const Task& task, Stream stream, std::span<const std::uint64_t> indices,
                  int threads) {
  std::vector<Labelled> graphs(indices.size());
  parallel_for(threads, indices.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) graphs[i] = task.instance(stream, indices[i]);
  });
  return Labelled::of(graphs);
}

namespace {

Metrics evaluate_batch(network::Runner<float>& runner, const network::Model& model,
                       const Labelled& labelled, Loss loss) {
  const auto output = runner.run(labelled.batch, 1);
  return measure(output, runner.output_width(), labelled, loss,
                 output_rows(model.program, labelled.batch));
}

// Of the parts of all ranks, in their order: the same bits on any number of ranks.
Metrics sum_of(const std::vector<Metrics>& mine, cluster::Group& group) {
  Metrics all;
  if (group.size() == 1) {
    for (const auto& part : mine) all.add(part);
    return all;
  }
  std::string lines;  // measures of the task's own: name, unit, sum, weight
  std::vector<Counts> counts;
  for (const auto& part : mine) {
    counts.push_back(part);
    for (const auto& m : part.named) {
      lines += fmt::format("{}\t{}\t{:a}\t{:a}\n", m.name, m.unit, m.sum, m.weight);
    }
  }
  for (const auto& part : group.join(counts)) all.Counts::add(part);
  for (const auto& text : group.gather_all(lines)) {
    for (const auto& line : split(text, '\n')) {
      const auto f = split(line, '\t');
      if (f.size() != 4) continue;
      all.add_named(f[0], f[1], std::strtod(f[2].c_str(), nullptr),
                    std::strtod(f[3].c_str(), nullptr));
    }
  }
  return all;
}

}  // namespace

Metrics evaluate(const network::Model& model, const Task& task, Stream stream, std::uint64_t count,
                 std::size_t batch, int threads, cluster::Group& group, const Control& control) {
  if (!task.has(stream))
    throw Error(ErrorCode::usage, task.name(), "has no instances of this kind");
  const std::uint64_t size = task.size(stream);
  if (size > 0) count = std::min(count, size);
  // Threads take turns on whole batches, each with a runner of its own.
  const cluster::Share mine = cluster::share((count + batch - 1) / batch, group);
  std::vector<Metrics> parts(mine.size());
  Stage stage(control, "evaluating", static_cast<double>(std::min(count, mine.size() * batch)));
  std::mutex mutex;
  parallel_for(threads, parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    network::Runner<float> runner(model);
    for (std::size_t b = begin; b < end && !control.stop.stop_requested(); ++b) {
      const std::uint64_t first = (mine.begin + b) * batch;
      std::vector<std::uint64_t> indices(std::min<std::uint64_t>(batch, count - first));
      std::iota(indices.begin(), indices.end(), first);
      parts[b] = evaluate_batch(runner, model, batch_of(task, stream, indices, 1), task.loss());
      const std::lock_guard lock(mutex);
      stage.advance(static_cast<double>(indices.size()));
    }
  });
  return sum_of(parts, group);
}

}  // namespace fgnn::tasks
