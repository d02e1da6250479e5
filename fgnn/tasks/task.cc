#include "fgnn/tasks/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/progress.h"
#include "fgnn/network/run.h"
#include "fgnn/tasks/chain.h"

namespace fgnn::tasks {

std::string_view name(Loss loss) {
  constexpr std::string_view names[] = {"cross-entropy", "binary-cross-entropy", "l1", "l2",
                                        "chain"};
  return names[static_cast<int>(loss)];
}

Loss loss(std::string_view text) {
  for (const auto l :
       {Loss::cross_entropy, Loss::binary_cross_entropy, Loss::l1, Loss::l2, Loss::chain}) {
    if (text == name(l)) return l;
  }
  throw Error(ErrorCode::usage, std::string(text), "is not a loss",
              "cross-entropy, binary-cross-entropy, l1, l2 or chain");
}

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

void Metrics::add(const Metrics& o) {
  rows += o.rows;
  loss += o.loss;
  correct += o.correct;
  absolute += o.absolute;
  graphs += o.graphs;
  solved += o.solved;
  correct_correct += o.correct_correct;
  correct_rows += o.correct_rows;
  rows_rows += o.rows_rows;
}

void Metrics::add_graph(double correct_of_it, double rows_of_it) {
  rows += rows_of_it;
  correct += correct_of_it;
  graphs += 1;
  solved += correct_of_it == rows_of_it;
  correct_correct += correct_of_it * correct_of_it;
  correct_rows += correct_of_it * rows_of_it;
  rows_rows += rows_of_it * rows_of_it;
}

double Metrics::standard_error() const {
  if (graphs < 2) return 0;
  // Of a ratio: graphs may have different numbers of rows. The sums are of whole numbers, exact, so
  // that their difference has not lost anything.
  const double mean = accuracy();
  const double spread = correct_correct - 2 * mean * correct_rows + mean * mean * rows_rows;
  return std::sqrt(std::max(0.0, spread) * graphs / (graphs - 1)) / rows;
}

namespace {

// Loss and whether the answer is right, of one row.
struct Row {
  double loss = 0, absolute = 0;
  bool correct = true;
};

Row class_row(const float* x, std::size_t width, std::int64_t wanted) {
  const float* top = std::max_element(x, x + width);
  double sum = 0;
  for (std::size_t k = 0; k < width; ++k) sum += std::exp(double{x[k]} - *top);
  return {std::log(sum) + *top - x[wanted], 0, top - x == wanted};
}

Row number_row(const float* x, const float* wanted, std::size_t width, Loss loss) {
  Row row;
  for (std::size_t k = 0; k < width; ++k) {
    const double d = double{x[k]} - wanted[k];
    row.absolute += std::abs(d) / static_cast<double>(width);
    if (loss == Loss::binary_cross_entropy) {
      row.loss +=
          std::max(double{x[k]}, 0.0) - x[k] * wanted[k] + std::log1p(std::exp(-std::abs(x[k])));
      row.correct &= (x[k] > 0) == (wanted[k] > 0.5f);
    } else {
      row.loss += loss == Loss::l1 ? std::abs(d) : d * d;
      row.correct = false;
    }
  }
  row.loss /= static_cast<double>(width);
  return row;
}

// A chain is one graph: its log-likelihood, and every variable's likeliest state by its marginal.
Metrics measure_chains(std::span<const float> output, std::size_t width, const Labelled& wanted,
                       std::span<const std::size_t> graph_rows) {
  Metrics m;
  for (std::size_t g = 0; g + 1 < graph_rows.size(); ++g) {
    const std::size_t first = graph_rows[g], count = graph_rows[g + 1] - first;
    if (count == 0) continue;
    const auto rows = ChainRows::of(output.subspan(first * width, count * width), width);
    const auto labels = std::span(wanted.classes).subspan(first, count);
    std::vector<double> marginals;
    m.loss -= chain_log_likelihood(rows, labels, {}, &marginals);
    double correct = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = marginals.begin() + static_cast<std::ptrdiff_t>(i * rows.states);
      const auto top = std::max_element(row, row + static_cast<std::ptrdiff_t>(rows.states));
      correct += top - row == labels[i];
    }
    m.add_graph(correct, static_cast<double>(count));
  }
  return m;
}

}  // namespace

Metrics measure(std::span<const float> output, std::size_t width, const Labelled& wanted, Loss loss,
                std::span<const std::size_t> graph_rows) {
  const std::size_t have = of_classes(loss) ? wanted.classes.size() * width : wanted.targets.size();
  if (have != output.size()) {
    throw Error(ErrorCode::usage, "labels",
                fmt::format("are for {} rows where the network has {}", have / width,
                            output.size() / width));
  }
  const std::size_t known = loss == Loss::chain ? ChainRows::of(output, width).states : width;
  for (const auto c : wanted.classes) {
    if (c >= static_cast<std::int64_t>(known) || (loss == Loss::chain && c < 0)) {
      throw Error(ErrorCode::usage, "labels",
                  fmt::format("have class {} where the network knows {}", c, known));
    }
  }
  if (loss == Loss::chain) return measure_chains(output, width, wanted, graph_rows);
  Metrics m;
  for (std::size_t g = 0; g + 1 < graph_rows.size(); ++g) {
    double rows = 0, correct = 0;
    for (std::size_t r = graph_rows[g]; r < graph_rows[g + 1]; ++r) {
      const bool classes = loss == Loss::cross_entropy;
      if (classes && wanted.classes[r] < 0) continue;
      const Row row = classes
                          ? class_row(&output[r * width], width, wanted.classes[r])
                          : number_row(&output[r * width], &wanted.targets[r * width], width, loss);
      rows += 1;
      correct += row.correct;
      m.loss += row.loss;
      m.absolute += row.absolute;
    }
    if (rows > 0) m.add_graph(correct, rows);
  }
  return m;
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
  const auto place = model.program.registers[model.program.output].place;
  std::vector<std::size_t> rows =
      network::graph_rows(*labelled.batch.structure, labelled.batch.copies, place);
  if (place.rows == network::Place::graph) {
    rows.resize(labelled.batch.graphs() + 1);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
  }
  return measure(output, runner.output_width(), labelled, loss, rows);
}

}  // namespace

Metrics evaluate(const network::Model& model, const Task& task, Stream stream, std::uint64_t count,
                 std::size_t batch, int threads, cluster::Group& group) {
  if (!task.has(stream)) throw Error(ErrorCode::usage, task.name(), "has no such instances");
  const std::uint64_t size = task.size(stream);
  if (size > 0) count = std::min(count, size);
  // Threads take turns on whole batches, each with a runner of its own.
  const cluster::Share mine = cluster::share((count + batch - 1) / batch, group);
  std::vector<Metrics> parts(mine.size());
  Progress progress("evaluating", static_cast<double>(std::min(count, mine.size() * batch)));
  std::mutex mutex;
  parallel_for(threads, parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    network::Runner<float> runner(model);
    for (std::size_t b = begin; b < end; ++b) {
      const std::uint64_t first = (mine.begin + b) * batch;
      std::vector<std::uint64_t> indices(std::min<std::uint64_t>(batch, count - first));
      std::iota(indices.begin(), indices.end(), first);
      parts[b] = evaluate_batch(runner, model, batch_of(task, stream, indices, 1), task.loss());
      const std::lock_guard lock(mutex);
      progress.advance(static_cast<double>(indices.size()));
    }
  });
  Metrics all;
  for (const auto& part : group.join(parts)) all.add(part);
  return all;
}

}  // namespace fgnn::tasks
