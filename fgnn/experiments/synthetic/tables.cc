#include "fgnn/experiments/synthetic/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/random.h"
#include "fgnn/experiments/measurement_log.h"
#include "fgnn/experiments/synthetic/entrants.h"
#include "fgnn/experiments/synthetic/measured.h"
#include "fgnn/experiments/synthetic/paper.h"

namespace fgnn::synthetic {
namespace {

constexpr std::uint64_t kQuick = 100, kFull = 10'000;
// What takes long on D5 is the exact MAP to compare with, about a second an instance.
constexpr std::uint64_t kQuickOfD5 = 2, kFullOfD5 = 100;
constexpr std::uint64_t kMostForTimes = 1000;  // instances; times do not need more

// Every variable takes its own best state, as in the paper.
constexpr const char* kRelaxed = "ad3:rounding=argmax";
constexpr const char* kMaxProduct =
    "max-product:schedule=flooding,damping=0,iterations=50,rounding=argmax";
constexpr const char* kDamped = "max-product:schedule=flooding,damping=0.5,rounding=argmax";
constexpr const char* kMplp = "mplp:iterations=1000,rounding=argmax";

class Tables {
 public:
  explicit Tables(const SyntheticReportOptions& options)
      : options_(options), log_(options.log, "synthetic", check_figures, *options.group) {}

  std::vector<Row> rows;

  void one() {
    for (const std::string dataset : {"D1", "D2", "D3"}) {
      const auto data = data_of(dataset);
      run("1", dataset, test_set(data), count(),
          {classical("AD3", kRelaxed), classical("AD3 exact", "ad3-exact"),
           classical("max-product", kMaxProduct), classical("max-product, damped", kDamped),
           classical("MPLP", kMplp), mpnn(dataset, data), fgnn(dataset, data),
           fgnn(dataset, data, /*repaired=*/true), exact_search()});
    }
  }

  void two() {
    const auto data = data_of("D3");
    for (const auto& [least, most] : {std::pair{15, 25}, {25, 35}, {35, 45}}) {
      const std::string range = fmt::format("{}-{}", least, most);
      run("2", range, chains_of_lengths(data, least, most), count(),
          {classical("AD3", kRelaxed), fgnn("D3", data), fgnn("D3", data, true)});
    }
  }

  void three() {
    for (const std::string dataset : {"D4", "tree"}) {
      const auto data = data_of(dataset);
      run("3", dataset, test_set(data), count(),
          {classical("AD3", kRelaxed),
           classical("max-product", "max-product:schedule=flooding,damping=0,rounding=argmax"),
           classical("MPLP", kMplp), mpnn(dataset, data), fgnn(dataset, data)});
    }
  }

  // All by the same small network and as much training: only what is shown differs.
  void ablation() {
    for (const std::string dataset : {"D1", "D2"}) {
      std::vector<Entrant> entrants;
      for (const std::size_t order : {4, 6, 9}) {
        auto data = data_of(dataset);
        data.shown_order = order;
        entrants.push_back(trained(
            order == data.data.order ? "FGNN, the right scopes"
                                     : fmt::format("FGNN, scopes of {}", order),
            options_.weights, fmt::format("{}-order{}", lower(dataset), order),
            fmt::format("--network fgnn-small --task dataset={},shown_order={}", dataset, order),
            data));
      }
      run("ablation", dataset, test_set(data_of(dataset)), count(), entrants);
    }
  }

  void timing() {
    for (const std::string dataset : {"D1", "D2", "D3"}) {
      const auto data = data_of(dataset);
      // A network's time does not depend on its weights.
      run("timing", dataset, test_set(data), std::min(count(), kMostForTimes),
          {untrained("PointNet", "pointnet", data), untrained("DGCNN", "dgcnn", data),
           classical("AD3 exact", "ad3-exact"), classical("AD3", kRelaxed),
           classical("max-product", kMaxProduct), classical("MPLP", kMplp),
           untrained("MPNN", "mpnn", data), untrained("FGNN", "fgnn", data),
           untrained("FGNN, the paper's network", "paper", data), exact_search()});
    }
  }

  void five() {
    const auto data = data_of("D5");
    const std::uint64_t instances = options_.count > 0 ? options_.count
                                    : options_.quick   ? kQuickOfD5
                                                       : kFullOfD5;
    const double seconds = network_seconds(data);
    const auto limited = [&](const std::string& method, const std::string& how) {
      return classical(method + ", equal time", how, seconds);
    };
    constexpr const char* kDampedAndRepaired = "max-product:schedule=flooding,damping=0.5";
    run("d5", "D5", test_set(data), instances,
        {fgnn("D5", data), fgnn("D5", data, true), limited("AD3", "ad3"), limited("MPLP", "mplp"),
         limited("max-product", kDampedAndRepaired), classical("AD3", "ad3"),
         classical("MPLP", "mplp"), classical("max-product", kDampedAndRepaired),
         classical("AD3 exact, 1 s", "ad3-exact", 1), toulbar2(1), exact_search()},
        /*batch=*/2);
  }

 private:
  std::uint64_t count() const {
    return options_.count > 0 ? options_.count : options_.quick ? kQuick : kFull;
  }

  SyntheticTaskOptions data_of(const std::string& dataset) const {
    SyntheticTaskOptions data;
    data.data.dataset = dataset;
    data.data.seed = options_.seed;
    data.data.side = options_.side;
    return data;
  }

  static std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) { return c == 'D' ? 'd' : c; });
    return text;
  }

  // Weights of D4 are called after what it is.
  static std::string weights_name(const std::string& dataset) {
    return dataset == "D4" ? "chain" : lower(dataset);
  }

  Entrant fgnn(const std::string& dataset, const SyntheticTaskOptions& data,
               bool repaired = false) const {
    return trained(repaired ? "FGNN, repaired" : "FGNN", options_.weights, weights_name(dataset),
                   dataset == "D5" ? "--task dataset=D5,side=8" : "--dataset " + dataset, data,
                   repaired);
  }

  Entrant mpnn(const std::string& dataset, const SyntheticTaskOptions& data) const {
    return trained("MPNN", options_.weights, "mpnn-" + weights_name(dataset),
                   "--network mpnn --dataset " + dataset, data);
  }

  static Problems test_set(const SyntheticTaskOptions& data) {
    const auto task = std::make_shared<SyntheticTask>(data);
    return [task](std::uint64_t i) { return task->numbers(tasks::Stream::test, i); };
  }

  static Problems chains_of_lengths(const SyntheticTaskOptions& data, int least, int most) {
    return [data, least, most](std::uint64_t i) {
      auto of_length = data.data;
      of_length.length = least + Rng(data.data.seed, i).below(most - least + 1);
      return synthetic_instance(of_length, i);
    };
  }

  // What the network needs for an instance, repair included: the time the others get. It is kept
  // like a row: theirs count only for the very time after which they were stopped.
  double network_seconds(const SyntheticTaskOptions& data) {
    Entrant entrant = fgnn("D5", data, true);
    if (!entrant.solver) entrant = untrained("FGNN", "fgnn", data);
    const Json key = measured("d5, seconds of the network", "D5", entrant, 1, options_);
    Row row;
    if (const Json known = log_.known(key); !known.is_null()) take_figures(known, row);
    if (row.ours) return *row.ours;
    auto solver = entrant.solver();
    Problem problem;
    problem.numbers = synthetic_instance(data.data, 0);
    problem.graph = problem.numbers.graph();
    double least = kInfinity;
    for (int i = 0; i < 5; ++i) least = std::min(least, solver({&problem, 1})[0].seconds);
    options_.group->broadcast(std::span(&least, 1));
    row.ours = least;
    row.instances = 1;
    log_.add(key, figures(row));
    return least;
  }

  void run(const std::string& table, const std::string& dataset, const Problems& problems,
           std::uint64_t instances, const std::vector<Entrant>& entrants, std::size_t batch = 64) {
    ContestOptions options;
    options.count = instances;
    options.batch = batch;
    options.threads = options_.threads;
    options.group = options_.group;
    options.control = options_.control;
    options.stopped = experiments::after_stop(options_.log);
    options.label = fmt::format("table {}, {}", table, dataset);
    std::vector<Json> keys;
    for (const Entrant& e : entrants) {
      keys.push_back(measured(table, dataset, e, instances, options_));
    }
    const std::vector<Json> known = log_.known(keys);
    // Who is known already only watches.
    std::vector<Entrant> taking_part = entrants;
    for (std::size_t e = 0; e < entrants.size(); ++e) {
      if (!known[e].is_null()) taking_part[e].solver = {};
    }
    const auto standings = contest(problems, taking_part, options);
    for (std::size_t e = 0; e < entrants.size(); ++e) {
      Row row = row_of(table, dataset, entrants[e], standings[e]);
      if (taking_part[e].solver) {
        log_.add(keys[e], figures(row));
      } else if (entrants[e].solver) {
        take_figures(known[e], row);
      }
      rows.push_back(std::move(row));
    }
  }

  static Row row_of(const std::string& table, const std::string& dataset, const Entrant& entrant,
                    const Standing& standing) {
    Row row;
    row.table = table;
    row.dataset = dataset;
    row.method = entrant.method;
    row.how = entrant.how;
    row.note = entrant.note;
    const bool times = table == "timing";
    row.unit = times ? "us" : "%";
    row.instances = static_cast<std::size_t>(standing.agreement.graphs);
    row.microseconds = standing.microseconds.value();
    add_paper(row, times);
    if (row.instances == 0) return row;
    if (times) {
      row.ours = row.microseconds;
      row.error = standing.microseconds.error();
      return row;
    }
    row.ours = 100 * standing.agreement.accuracy();
    row.error = 100 * standing.agreement.standard_error();
    row.exact = standing.exact.value();
    row.feasible = standing.feasible.value();
    row.score_gap = standing.score_gap.value();
    row.left_open = standing.left_open.value();
    row.proved = standing.proved.value();
    return row;
  }

  // The appendix repeats the times of Table 1 and adds two rows.
  static void add_paper(Row& row, bool times) {
    const auto* figure = paper_figure(row.table, row.dataset, row.method);
    if (times && figure == nullptr) figure = paper_figure("1", row.dataset, row.method);
    if (figure == nullptr) return;
    row.paper = times ? figure->microseconds : figure->agreement;
    row.paper_error = times ? std::nullopt : figure->error;
    row.paper_microseconds = figure->microseconds;
  }

  const SyntheticReportOptions& options_;
  experiments::MeasurementLog log_;
};

struct Table {
  report::TableInfo info;
  void (Tables::*make)();
};

const std::vector<Table>& tables() {
  static const std::vector<Table> all{
      {{"1", "Agreement with the exact MAP on chains with budgets"}, &Tables::one},
      {{"2", "Trained on chains of 30, tested on other lengths (D3)"}, &Tables::two},
      {{"3", "Chains (D4) and trees"}, &Tables::three},
      {{"ablation", "Wrong structure: budgets of nine shown as smaller scopes"}, &Tables::ablation},
      {{"timing", "Time of one instance"}, &Tables::timing},
      {{"d5", "Budgets on a grid of 12 x 12, where exact search is hard"}, &Tables::five},
  };
  return all;
}

}  // namespace

const std::vector<report::TableInfo>& synthetic_tables() {
  static const std::vector<report::TableInfo> infos = [] {
    std::vector<report::TableInfo> list;
    for (const Table& table : tables()) list.push_back(table.info);
    return list;
  }();
  return infos;
}

void SyntheticReportOptions::validate() const {
  report::check_tables(this->tables, synthetic_tables());
}

std::vector<Row> reproduce_synthetic(const SyntheticReportOptions& options) {
  options.validate();
  Tables all(options);
  for (const Table& table : tables()) {
    if (report::wants_table(options.tables, table.info.name)) (all.*table.make)();
  }
  return all.rows;
}

}  // namespace fgnn::synthetic
