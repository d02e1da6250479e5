// Flooding iterations of belief propagation: tables of several sizes, two threads, single
// precision, and low-rank factors of growing arity.
#include <fmt/core.h>
#include <sys/resource.h>

#include <cmath>
#include <cstring>

#include "bench/grids.h"
#include "bench/plain_bp.h"
#include "bench/plain_low_rank.h"
#include "bench/suite.h"
#include "fgnn/infer/bp/engine.h"

namespace fgnn::bench {
namespace {

constexpr const char* kPlain = "flat arrays, the same algorithm without SIMD";

struct Model {
  std::string name;
  FactorGraph graph;
  bool large = false;  // enough work for two threads
};

std::vector<Model> models(const SuiteOptions& options) {
  const bool quick = options.quick;
  const std::uint64_t seed = options.seed;
  std::vector<Model> all;
  const auto grid = [&](std::size_t side, State states) {
    all.push_back({fmt::format("grid {}x{}, {} states", side, side, states),
                   table_grid(side, states, seed), true});
  };
  const auto apart = [&](std::size_t arity, std::size_t count, bool large) {
    all.push_back(
        {fmt::format("{} x arity {}", count, arity), separate_tables(arity, count, seed), large});
  };
  const std::size_t scattered = quick ? 1000 : 100'000;
  grid(quick ? 20 : 100, 2);
  grid(quick ? 10 : 50, 16);
  all.push_back(
      {fmt::format("{} at random, arity 3-6", scattered), scattered_tables(scattered, seed), true});
  apart(10, quick ? 2 : 16, false);
  apart(quick ? 11 : 15, quick ? 1 : 4, false);
  apart(quick ? 12 : 20, 1, true);
  return all;
}

// Bytes that an iteration cannot avoid: tables and old messages read, new messages written, beliefs
// read and written; once each.
double bytes_moved(const FactorGraph& graph, double size) {
  double entries = 0, slots = 0;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    entries += static_cast<double>(configurations(graph.shape(c)));
    for (VariableId v : graph.scope(c)) slots += graph.states(v);
  }
  return size * (entries + 2 * slots + 2 * static_cast<double>(graph.total_states()));
}

// Bytes per second that a plain copy moves (read and written) within a working set of this size.
double copy_bandwidth(double bytes) {
  const auto half = static_cast<std::size_t>(std::max(4096.0, bytes / 2));
  std::vector<char> from(half, 1), to(half, 0);
  const int calls = static_cast<int>(std::max(1.0, 4e6 / static_cast<double>(half)));
  const double seconds = best_seconds(10, [&] {
    for (int i = 0; i < calls; ++i) {
      std::memcpy(to.data(), from.data(), half);
      keep(to[half / 2]);
    }
  });
  return 2 * static_cast<double>(half) * calls / seconds;
}

void set_limit(Row& row, const FactorGraph& graph, double size) {
  const double bytes = bytes_moved(graph, size), rate = copy_bandwidth(bytes);
  row.limit = 1e3 * bytes / rate;
  row.limit_name = fmt::format("{:.3g} MB at {:.3g} GB/s (copy)", bytes / 1e6, rate / 1e9);
}

template <class T>
bp::Engine<T> started(const FactorGraph& graph, bp::Algebra algebra, int threads) {
  return bp::Engine<T>(graph, algebra, 1.0, 0.0, threads);
}

// Beliefs after the same number of iterations, from both: equal, or neither time means a thing.
template <class Plain>
void check(const FactorGraph& graph, const bp::Engine<double>& engine, const Plain& plain,
           bool sum) {
  const Marginals ours = engine.log_beliefs();
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    std::vector<double> theirs;
    for (State x = 0; x < graph.states(v); ++x) {
      const double b = plain.beliefs()[graph.state_offset(v) + x];
      theirs.push_back(sum ? std::log(b) : b);
    }
    const double most = *std::max_element(theirs.begin(), theirs.end());
    const double own = *std::max_element(ours[v].begin(), ours[v].end());
    for (State x = 0; x < graph.states(v); ++x) {
      require_equal(ours[v][x] - own, theirs[x] - most, "belief");
    }
  }
}

template <class A>
Row against_plain(const Model& model, bp::Algebra algebra, int repeats) {
  auto engine = started<double>(model.graph, algebra, 1);
  engine.start(nullptr);
  PlainBp<A> plain(model.graph);
  for (int i = 0; i < 3; ++i) engine.flood(), plain.flood();
  check(model.graph, engine, plain, algebra == bp::Algebra::sum);
  const Seconds seconds = best_seconds(
      repeats, [&] { keep(engine.flood()); }, [&] { plain.flood(); });
  Row row{algebra == bp::Algebra::sum ? "sum, " + model.name : "max, " + model.name,
          1e3 * seconds.library, "ms", 1e3 * seconds.baseline, kPlain};
  set_limit(row, model.graph, sizeof(double));
  return row;
}

// The engine in one way against the engine in another.
template <class T, class Other>
Row against_itself(std::string name, std::string baseline, const FactorGraph& graph,
                   bp::Algebra algebra, int threads, int other_threads, int repeats) {
  auto engine = started<T>(graph, algebra, threads);
  auto other = started<Other>(graph, algebra, other_threads);
  engine.start(nullptr);
  other.start(nullptr);
  const Seconds seconds = best_seconds(
      repeats, [&] { keep(engine.flood()); }, [&] { keep(other.flood()); });
  Row row{std::move(name), 1e3 * seconds.library, "ms", 1e3 * seconds.baseline,
          std::move(baseline)};
  set_limit(row, graph, sizeof(T));
  return row;
}

void add_table_rows(const SuiteOptions& options, std::vector<Row>& rows) {
  const int repeats = options.quick ? 3 : 30;
  const std::vector<Model> all = models(options);
  for (const Model& model : all) {
    rows.push_back(against_plain<PlainSum>(model, bp::Algebra::sum, repeats));
  }
  for (const Model& model : all) {
    rows.push_back(against_plain<PlainMax>(model, bp::Algebra::max, repeats));
  }
  for (const auto algebra : {bp::Algebra::sum, bp::Algebra::max}) {
    const std::string word = algebra == bp::Algebra::sum ? "sum" : "max";
    for (const Model& model : all) {
      if (model.large && options.threads != 1) {
        rows.push_back(
            against_itself<double, double>(fmt::format("{}, {}, two threads", word, model.name),
                                           "one thread", model.graph, algebra, 2, 1, repeats));
      }
    }
    for (const Model& model : all) {
      rows.push_back(against_itself<float, double>(fmt::format("{}, {}, float", word, model.name),
                                                   "double", model.graph, algebra, 1, 1, repeats));
    }
  }
}

// Slope of log(time) over log(arity) by least squares.
double exponent(const std::vector<double>& arity, const std::vector<double>& time) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(arity.size());
  for (std::size_t i = 0; i < arity.size(); ++i) {
    const double a = std::log(arity[i]), t = std::log(time[i]);
    x += a, y += t, xx += a * a, xy += a * t;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

void add_low_rank_rows(const SuiteOptions& options, std::vector<Row>& rows) {
  constexpr std::size_t kRank = 8;
  const int repeats = options.quick ? 3 : 50;
  const std::vector<std::size_t> arities =
      options.quick ? std::vector<std::size_t>{5, 20}
                    : std::vector<std::size_t>{5, 10, 20, 50, 100, 200, 500};
  std::vector<double> arity, ours, theirs;
  for (std::size_t n : arities) {
    const std::size_t factors = std::max<std::size_t>(1, 1000 / n);
    const FactorGraph graph = separate_low_ranks(n, factors, kRank, options.seed);
    auto engine = started<double>(graph, bp::Algebra::sum, 1);
    engine.start(nullptr);
    std::vector<PlainLowRank> plain;
    for (FactorId c = 0; c < factors; ++c) {
      plain.emplace_back(static_cast<const LowRank&>(graph.potential(c)));
    }
    std::vector<double> unary, in(graph.total_states()), out(graph.total_states(), 1.0);
    for (double theta : graph.unaries()) unary.push_back(std::exp(theta));
    std::vector<double> belief = unary;
    const auto update = [&] {
      for (std::size_t s = 0; s < in.size(); ++s) in[s] = belief[s] / out[s];
      for (FactorId c = 0; c < factors; ++c) plain[c].update(&in[c * 2 * n], &out[c * 2 * n]);
      for (std::size_t s = 0; s < in.size(); ++s) belief[s] = unary[s] * out[s];
      keep(belief.back());
    };
    engine.flood();
    update();
    const Messages messages = engine.messages();
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      require_equal(messages[e][1] - messages[e][0], std::log(out[2 * e + 1] / out[2 * e]),
                    "low-rank message");
    }
    const Seconds seconds = best_seconds(
        repeats, [&] { keep(engine.flood()); }, update);
    const double scale = 1e6 / static_cast<double>(factors);
    arity.push_back(static_cast<double>(n));
    ours.push_back(scale * seconds.library);
    theirs.push_back(scale * seconds.baseline);
    // W is read twice, before and after the products; messages and beliefs once each.
    const double bytes = static_cast<double>(factors) * 8.0 * (4.0 * kRank + 8.0) * arity.back();
    const double rate = copy_bandwidth(bytes);
    rows.push_back({fmt::format("low-rank factor, arity {}, rank 8", n), ours.back(), "µs",
                    theirs.back(), "the paper's update, plainly", false, scale * bytes / rate,
                    fmt::format("{:.3g} kB at {:.3g} GB/s (copy)",
                                bytes / 1e3 / static_cast<double>(factors), rate / 1e9)});
  }
  rows.push_back({"low-rank: exponent of the arity", exponent(arity, ours), "",
                  exponent(arity, theirs), "the paper's update, plainly", false, 1.0, "linear"});
}

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

std::vector<Row> run_bp(const SuiteOptions& options) {
  std::vector<Row> rows;
  add_table_rows(options, rows);
  add_low_rank_rows(options, rows);
  return rows;
}

std::vector<Row> run_bp_large(const SuiteOptions& options) {
  const std::size_t side = options.quick ? 60 : 1000;
  const int iterations = options.quick ? 10 : 100;
  const FactorGraph graph = table_grid(side, 2, options.seed);
  std::vector<Row> rows;
  std::vector<double> seconds;
  for (const auto algebra : {bp::Algebra::sum, bp::Algebra::max}) {
    auto engine = started<double>(graph, algebra, options.threads);
    engine.start(nullptr);
    const Stopwatch watch;
    for (int i = 0; i < iterations; ++i) keep(engine.flood());
    seconds.push_back(watch.seconds());
  }
  // Before the baseline adds its own.
  rows.push_back({"peak memory", peak_mebibytes(), "MiB", {}, {}, false, 2048, "to stay below"});
  PlainBp<PlainSum> sum(graph);
  PlainBp<PlainMax> max(graph);
  const double plain[2] = {best_seconds(2, [&] { sum.flood(); }),
                           best_seconds(2, [&] { max.flood(); })};
  for (int i = 0; i < 2; ++i) {
    Row row{fmt::format("{}, grid of {} variables, {} iterations: each", i == 0 ? "sum" : "max",
                        graph.num_variables(), iterations),
            1e3 * seconds[i] / iterations, "ms", 1e3 * plain[i], kPlain};
    set_limit(row, graph, sizeof(double));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace fgnn::bench
