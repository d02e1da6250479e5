// fgnn bench learn: training and inference against eager PyTorch on the same network and graphs.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <thread>

#include "bench/learn_baseline.h"
#include "bench/suite.h"
#include "fgnn/core/error.h"
#include "fgnn/core/linear_fit.h"
#include "fgnn/core/output.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/random.h"
#include "fgnn/experiments/handwriting/network.h"
#include "fgnn/experiments/handwriting/task.h"
#include "fgnn/experiments/matching/graphs.h"
#include "fgnn/experiments/matching/loss.h"
#include "fgnn/experiments/matching/network.h"
#include "fgnn/experiments/matching/random_points.h"
#include "fgnn/experiments/molecules/networks.h"
#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/kernels/bf16.h"
#include "fgnn/kernels/gemm.h"
#include "fgnn/network/run.h"
#include "fgnn/train/trainer.h"

namespace fgnn::bench {
namespace {

struct Measured {
  double per_second = 0, bytes = 0;
};

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

// In a process of its own, so that peaks of memory do not hide each other.
template <class F>
Measured apart(F f) {
  int ends[2];
  if (pipe(ends) != 0) throw Error(ErrorCode::io, "pipe", "cannot be made");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    Measured m;
    try {
      m = f();
    } catch (const std::exception& e) {
      print_message(fmt::format("fgnn: {}", e.what()));
    }
    const bool sent = write(ends[1], &m, sizeof m) == sizeof m;
    _exit(sent && m.per_second > 0 ? 0 : 1);
  }
  close(ends[1]);
  Measured m;
  const bool got = read(ends[0], &m, sizeof m) == sizeof m;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!got || m.per_second <= 0) throw Error(ErrorCode::internal, "bench learn", "a run failed");
  return m;
}

network::Description network_of(const std::string& q, const network::Schema& schema) {
  auto d = network::describe("fgnn-8");
  d.defaults["q"] = q;
  d.schema = schema;
  return d;
}

std::vector<tasks::Labelled> some(const tasks::Task& task, std::size_t count) {
  std::vector<tasks::Labelled> graphs;
  for (std::size_t i = 0; i < count; ++i) graphs.push_back(task.instance(tasks::Stream::test, i));
  return graphs;
}

// Graphs that are all of a batch, again and again.
struct Graphs {
  network::Description network;
  std::vector<tasks::Labelled> graphs;
  tasks::Loss loss = tasks::Loss::cross_entropy;
};

Measured training(const Graphs& data, const std::string& products, int threads, double seconds) {
  return apart([&]() -> Measured {
    const std::size_t batch = data.graphs.size();
    const tasks::MemoryTask memory(data.network.schema, data.loss, data.graphs);
    train::TrainOptions o;
    o.batch = batch;
    o.products = products;
    o.threads = threads;
    o.validation = 0;
    const double before = peak_bytes();
    const auto run = [&](std::uint64_t steps) {
      o.steps = o.interval = steps;
      return train::train(memory, data.network, o, {});
    };
    const double rate = run(3).instances_per_second;
    const auto steps =
        static_cast<std::uint64_t>(std::ceil(rate * seconds / static_cast<double>(batch)));
    return {run(std::max<std::uint64_t>(5, steps)).instances_per_second, peak_bytes() - before};
  });
}

// Whole batches, one share per thread.
Measured inference(const synthetic::SyntheticTask& task, const std::string& q, std::size_t batch,
                   int threads, double seconds) {
  return apart([&]() -> Measured {
    const network::Model model(network_of(q, task.schema()), 0);
    const auto graphs = some(task, batch);
    std::vector<network::Batch> shares;
    const std::size_t parts = std::min<std::size_t>(threads, batch);
    for (std::size_t p = 0; p < parts; ++p) {
      const std::size_t begin = batch * p / parts, end = batch * (p + 1) / parts;
      shares.push_back(tasks::Labelled::of(std::span(graphs).subspan(begin, end - begin)).batch);
    }
    const double before = peak_bytes();
    std::vector<network::Runner<float>> runners;
    for (std::size_t p = 0; p < parts; ++p) runners.emplace_back(model);
    const auto step = [&] {
      parallel_for(threads, parts, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) runners[p].run(shares[p], 1);
      });
    };
    step();
    const Stopwatch watch;
    std::size_t count = 0;
    while (watch.seconds() < seconds) {
      step();
      ++count;
    }
    return {static_cast<double>(count * batch) / watch.seconds(), peak_bytes() - before};
  });
}

// The most that matrix products reach here, operations per second: ours on a small shape that stays
// in the cache, each thread its own.
double product_peak(int threads) {
  std::vector<std::thread> all;
  std::vector<double> best(threads);
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&best, t] {
      constexpr std::size_t m = 252, n = 64, k = 64;
      std::vector<float> a(m * k, 1), b(k * n, 1), c(m * n);
      const Stopwatch whole;
      while (whole.seconds() < 0.5) {
        const Stopwatch watch;
        for (int i = 0; i < 20; ++i) {
          kernels::gemm<float>(m, n, k, a.data(), k, 1, b.data(), n, c.data(), n, false);
        }
        best[t] = std::max(best[t], 20 * 2.0 * m * n * k / watch.seconds());
      }
    });
  }
  for (auto& t : all) t.join();
  double sum = 0;
  for (const double b : best) sum += b;
  return sum;
}

// R^2 of a line through the seconds of a forward run of one graph by the number of its edges.
double scaling(const std::vector<synthetic::SyntheticOptions>& families) {
  std::vector<std::pair<double, double>> points;
  for (const auto& family : families) {
    const synthetic::SyntheticTask task(family);
    const network::Model model(network_of("table", task.schema()), 0);
    const auto batch = task.instance(tasks::Stream::test, 0).batch;
    network::Runner<float> runner(model);
    double count = 0;
    for (const auto& r : batch.structure->relations()) count += static_cast<double>(r.edges());
    points.emplace_back(count, best_seconds(20, [&] { runner.run(batch, 1); }));
  }
  return linear_fit(points)->r_squared;
}

std::string on_threads(const std::string& what, int threads) {
  return fmt::format("{}, {} thread{}", what, threads, threads > 1 ? "s" : "");
}

// Training in float and, where that is faster, in bf16, beside one run of the baseline.
void add_training(std::vector<Row>& rows, const std::string& name, const char* unit,
                  const Graphs& data, const Eager& theirs, int threads, double seconds) {
  for (const std::string products : {"float", "bf16"}) {
    if (products == "bf16" && !kernels::has_fast_bf16()) continue;
    const Measured ours = training(data, products, threads, seconds);
    Row row{on_threads(products == "bf16" ? name + ", bf16" : name, threads), ours.per_second,
            unit};
    row.more_is_better = true;
    compare(row, theirs, theirs.per_second);
    rows.push_back(row);
  }
}

// Words of random pixels, as long as those of Taskar's set.
struct Words {
  handwriting::HandwritingNetwork shape;
  Graphs data;
  std::string lengths;
};

Words random_words(bool quick) {
  constexpr std::size_t kWords = 32, kShortest = 3, kLengths = 11;
  Words words;
  words.shape = {"fgnn", 3, quick ? std::size_t{64} : 1024, quick ? std::size_t{64} : 512};
  const handwriting::WordGraphs graphs(words.shape.order, false);
  Rng random(0);
  words.data.graphs.resize(kWords);
  for (std::size_t w = 0; w < kWords; ++w) {
    std::vector<handwriting::LetterImage> images(kShortest + w % kLengths);
    for (auto& image : images) {
      for (auto& row : image.rows) row = static_cast<std::uint8_t>(random() & random());
      words.data.graphs[w].classes.push_back(
          static_cast<std::int64_t>(random.below(handwriting::kLetterClasses)));
    }
    words.data.graphs[w].batch = graphs.graph(images);
    words.lengths += fmt::format("{}{}", w > 0 ? "," : "", images.size());
  }
  words.data.network = handwriting::handwriting_network(words.shape);
  words.data.network.schema = graphs.schema();
  return words;
}

void handwriting(std::vector<Row>& rows, const Words& words, int threads, double seconds) {
  const Eager theirs =
      eager(fmt::format("eager_handwriting.py --lengths {} --rank {} --features {}", words.lengths,
                        words.shape.rank, words.shape.features),
            threads, seconds);
  add_training(rows,
               fmt::format("train, handwriting, order 3, rank {}, batch 32", words.shape.rank),
               "words/s", words.data, theirs, threads, seconds);
}

// Pairs of random points with random descriptions, as many points as pairs of Pascal VOC have.
void keypoints(std::vector<Row>& rows, int threads, double seconds, bool quick) {
  constexpr std::size_t kPairs = 32, kFewest = 4, kSizes = 10;
  const std::size_t width = quick ? 32 : 1024;
  const matching::GraphOptions options{0, {"sides"}, width};
  Graphs data{{}, std::vector<tasks::Labelled>(kPairs), matching::kMatchingLoss};
  std::string sizes;
  for (std::size_t p = 0; p < kPairs; ++p) {
    Rng random(1, p);
    matching::RandomPointsOptions points;
    points.least_inliers = points.most_inliers = kFewest + p % kSizes;
    points.most_outliers = 0;
    auto pair = matching::random_points(points, random);
    for (auto* side : {&pair.first, &pair.second}) {
      side->features.resize(side->size() * width);
      for (float& x : side->features) x = static_cast<float>(random.uniform(0, 0.1));
    }
    data.graphs[p].batch = matching::graph_of(options, pair.first, pair.second);
    data.graphs[p].classes = matching::labels_of(pair);
    sizes += fmt::format("{}{}", p > 0 ? "," : "", pair.first.size());
  }
  matching::MatchingNetwork shape;
  shape.factors = "sides";  // as the baseline has them
  if (quick) shape.width = 32;
  data.network = network::describe(shape.text());
  data.network.schema = matching::schema_of(options);
  const Eager theirs = eager(fmt::format("eager_matching.py --sizes {} --features {} --width {} "
                                         "--code 16",
                                         sizes, width, shape.width),
                             threads, seconds);
  add_training(rows, fmt::format("train, matching, width {}, batch 32", shape.width), "pairs/s",
               data, theirs, threads, seconds);
}

// Chains of atoms as large as QM9's molecules, through the paper's network of rank 512.
void chained_molecules(std::vector<Row>& rows, int threads, double seconds) {
  constexpr std::size_t kMolecules = 64, kSmallest = 14, kSizes = 9;
  constexpr std::uint8_t kElements[] = {1, 6, 7, 8, 9};
  const molecules::GraphOptions options{molecules::Form::paper, molecules::Sharing::cabt,
                                        molecules::Pairs::complete};
  Graphs data{{}, std::vector<tasks::Labelled>(kMolecules), tasks::Loss::l1};
  std::string sizes;
  for (std::size_t k = 0; k < kMolecules; ++k) {
    molecules::Molecule m;
    const std::size_t atoms = kSmallest + k % kSizes;
    for (std::size_t i = 0; i < atoms; ++i) {
      m.elements.push_back(kElements[i % 5]);
      m.places.push_back({1.4f * static_cast<float>(i), 0, 0});
      if (i > 0) m.bonds.push_back({std::uint16_t(i - 1), std::uint16_t(i), 1});
    }
    molecules::MoleculeSet one;
    one.add(m, /*bonds_of_file=*/true);
    data.graphs[k].batch = molecules::graph(one[0], options);
    data.graphs[k].targets.assign(molecules::kTargets, static_cast<float>(k % 3));
    sizes += fmt::format("{}{}", k > 0 ? "," : "", atoms);
  }
  data.network = molecules::network_of({"fgnn", options.form});
  data.network.schema = molecules::schema(options);
  const Eager theirs = eager(fmt::format("eager_molecules.py --sizes {}", sizes), threads, seconds);
  add_training(rows, "train, molecules, rank 512, batch 64", "molecules/s", data, theirs, threads,
               seconds);
}

// Training and inference with one kind of Q and one size of batch, on equally many threads.
class Case {
 public:
  Case(const synthetic::SyntheticTask& task, std::string q, std::size_t batch, int threads,
       double seconds)
      : task_(task), q_(std::move(q)), batch_(batch), threads_(threads), seconds_(seconds) {}

  void measure(std::vector<Row>& rows, bool memory) {
    const Graphs data{network_of(q_, task_.schema()), some(task_, batch_)};
    const Measured ours = training(data, "float", threads_, seconds_);
    train_rate = ours.per_second;
    const Eager theirs = baseline("train");
    add(rows, "train", ours.per_second, theirs);
    if (kernels::has_fast_bf16()) {
      add(rows, "train in bf16", training(data, "bf16", threads_, seconds_).per_second, theirs);
    }
    if (memory) {
      Row row{name("train, peak memory"), ours.bytes / 1048576, "MiB"};
      compare(row, theirs, theirs.bytes / 1048576);
      rows.push_back(row);
    }
    const Measured run = inference(task_, q_, batch_, threads_, seconds_);
    infer_rate = run.per_second;
    add(rows, "infer", run.per_second, baseline("infer"));
    if (q_ != "mixture") return;
    // What a user who knows the algebra would write: matrices mixed once per kind of edge.
    add(rows, "train (mixed once)", ours.per_second, baseline("train --clever"));
    add(rows, "infer (mixed once)", run.per_second, baseline("infer --clever"));
  }

  double train_rate = 0, infer_rate = 0;

 private:
  std::string name(const char* what) const {
    return on_threads(
        fmt::format("{}, Q by {}, batch {}", what, q_ == "table" ? "position" : "mixture", batch_),
        threads_);
  }
  Eager baseline(const char* what) const {
    return eager(fmt::format("eager_fgnn.py --q {} --batch {} --what {}", q_, batch_, what),
                 threads_, seconds_);
  }
  void add(std::vector<Row>& rows, const char* what, double rate, const Eager& theirs) const {
    Row row{name(what), rate, "graphs/s"};
    row.more_is_better = true;
    compare(row, theirs, theirs.per_second);
    rows.push_back(row);
  }

  const synthetic::SyntheticTask& task_;
  const std::string q_;
  const std::size_t batch_;
  const int threads_;
  const double seconds_;
};

}  // namespace

std::vector<Row> run_learn(const SuiteOptions& options) {
  const int most = options.threads > 0 ? options.threads : default_threads();
  const double seconds = options.quick ? 0.3 : 4;
  synthetic::SyntheticOptions d3;
  d3.seed = options.seed;
  const synthetic::SyntheticTask task(d3);
  const network::Model model(network_of("table", task.schema()), 0);
  const auto batch = task.instance(tasks::Stream::test, 0).batch;
  const double operations = network::arithmetic(model.program, *batch.structure);
  const Words words = random_words(options.quick);
  std::vector<std::pair<std::string, std::size_t>> cases{{"table", 32}};
  if (!options.quick) cases = {{"table", 32}, {"table", 256}, {"mixture", 32}};
  std::vector<int> threads{1};
  if (most > 1 && !options.quick) threads.push_back(most);
  std::vector<Row> rows;
  Stage stage(options.control, "measuring",
              static_cast<double>(threads.size() * (cases.size() + 2)));
  for (const int t : threads) {
    double train_rate = 0, infer_rate = 0;
    for (const auto& [q, size] : cases) {
      Case one(task, q, size, t, seconds);
      one.measure(rows, t == 1);
      stage.advance();
      if (q != "table") continue;
      train_rate = std::max(train_rate, one.train_rate);
      infer_rate = std::max(infer_rate, one.infer_rate);
    }
    handwriting(rows, words, t, seconds);
    if (!options.quick) chained_molecules(rows, t, seconds);
    stage.advance();
    keypoints(rows, t, seconds, options.quick);
    stage.advance();
    const double peak = product_peak(t);
    rows.push_back({on_threads("matrix products at their peak", t), peak / 1e9, "GFLOP/s"});
    rows.push_back({on_threads("training's share of the peak", t),
                    100 * 3 * operations * train_rate / peak, "%"});
    rows.push_back({on_threads("inference's share of the peak", t),
                    100 * operations * infer_rate / peak, "%"});
  }
  rows.push_back({"arithmetic of one forward pass", operations / 1e6, "million"});

  network::Runner<float> runner(model);
  Row single{"one graph, 1 thread",
             1e6 * best_seconds(options.quick ? 8 : 200, [&] { runner.run(batch, 1); }), "us"};
  const Eager theirs = eager("eager_fgnn.py --q table --what one", 1, seconds);
  compare(single, theirs, 1e6 / theirs.per_second);
  rows.push_back(single);

  std::vector<synthetic::SyntheticOptions> lengths(4, d3), orders(5, d3);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i].length = 30u << i;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    orders[i].order = 3 + 3 * i;
    orders[i].length = 60 + orders[i].order - 1;  // the same number of budgets
  }
  rows.push_back({"time against edges (longer chains), R^2 of a line", scaling(lengths), ""});
  rows.push_back({"time against arity 3 to 15, R^2 of a line", scaling(orders), ""});
  return rows;
}

}  // namespace fgnn::bench
