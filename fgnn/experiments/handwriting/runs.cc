#include "fgnn/experiments/handwriting/runs.h"

#include <fmt/format.h>

#include <initializer_list>

#include "fgnn/core/error.h"
#include "fgnn/experiments/handwriting/network.h"

namespace fgnn::handwriting {
namespace {

constexpr std::size_t kHeldOut = 10;  // of the 55 words
constexpr double kQuickEpochs = 3;
constexpr std::size_t kQuickRank = 128;

double epochs_of(const HandwritingReportOptions& o) {
  if (o.epochs > 0) return o.epochs;
  return o.quick ? kQuickEpochs : kHandwritingEpochs;
}

}  // namespace

std::string HandwritingRun::name() const {
  std::string text = kind;
  if (has_orders(kind)) {
    text += fmt::format("-order{}", order);
    if (order > 0) text += fmt::format("-rank{}", rank);
  }
  if (features != HandwritingRun().features) text += fmt::format("-features{}", features);
  text += fmt::format("-fold{}-epochs{}", fold, epochs);
  if (!augment) text += "-plain";
  if (held_out > 0) text += fmt::format("-without{}", held_out);
  if (seed != 0) text += fmt::format("-seed{}", seed);
  return text;
}

HandwritingOptions HandwritingRun::task(const std::string& data) const {
  HandwritingOptions o;
  o.data = data;
  o.fold = fold;
  o.order = has_orders(kind) ? order : 0;
  o.pairs = kind == "mpnn";
  o.augment = augment;
  o.loss = kind == "crf" ? tasks::Loss::chain : tasks::Loss::cross_entropy;
  o.held_out = held_out;
  o.seed = seed;
  return o;
}

const std::vector<report::TableInfo>& handwriting_tables() {
  static const std::vector<report::TableInfo> all{
      {"orders", "letters read right by the largest order of factors"},
      {"main", "order 3, one fold after another"},
      {"timing", "processor seconds of an epoch by order"},
      {"plain", "without augmentation"},
      {"baselines", "a chain of letters, pairwise messages, and the lexicon"},
      {"product", "the letters of a factor multiplied, as in the paper, where ours adds them"},
      {"held-out", "ten of the words left out of training"},
      {"ranks", "letters read right by the rank of the factors, 64 features"},
  };
  return all;
}

void HandwritingReportOptions::validate() const {
  report::check_tables(tables, handwriting_tables());
  if (data.empty()) {
    throw Error(ErrorCode::usage, "reproduce handwriting", "has no data",
                "name the file of letters: --data letters.tsv.gz");
  }
  if (folder.empty()) {
    throw Error(ErrorCode::usage, "reproduce handwriting", "has no folder for its models",
                "name one: --out runs/handwriting");
  }
  if (folds.empty()) throw Error(ErrorCode::usage, "--folds", "must name at least one");
}

std::vector<HandwritingRun> handwriting_runs(const std::string& table,
                                             const HandwritingReportOptions& o) {
  HandwritingRun base;
  base.epochs = epochs_of(o);
  base.seed = o.seed;
  if (o.quick) base.rank = kQuickRank;
  std::vector<HandwritingRun> runs;
  const auto add = [&](const std::vector<std::uint32_t>& folds, auto change) {
    for (const std::uint32_t fold : folds) {
      HandwritingRun run = base;
      run.fold = fold;
      change(run);
      runs.push_back(run);
    }
  };
  const auto add_orders = [&](std::initializer_list<std::size_t> orders, auto change) {
    for (const std::size_t order : orders) {
      add(o.folds, [&](HandwritingRun& run) {
        run.order = order;
        change(run);
      });
    }
  };
  if (table == "orders") add_orders({0, 1, 2, 3, 4}, [](HandwritingRun&) {});
  if (table == "main") add(o.main_folds, [](HandwritingRun&) {});
  if (table == "plain") add_orders({0, 3, 4}, [](HandwritingRun& run) { run.augment = false; });
  if (table == "product") add_orders({1, 2, 3}, [](HandwritingRun& run) { run.kind = "product"; });
  if (table == "held-out") {
    add_orders({0, 1, 2, 3}, [](HandwritingRun& run) { run.held_out = kHeldOut; });
  }
  if (table == "baselines") {
    for (const char* kind : {"fgnn", "crf", "mpnn"}) {
      add(o.folds, [&](HandwritingRun& run) {
        run.kind = kind;
        run.order = 0;
      });
    }
  }
  if (table == "ranks") {
    for (std::size_t rank = 64; rank <= (o.quick ? 256u : 2048u); rank *= 2) {
      add(o.folds, [&](HandwritingRun& run) {
        run.rank = rank;
        run.features = 64;
      });
    }
  }
  return runs;
}

std::vector<EpochTime> handwriting_timings(const HandwritingReportOptions& o) {
  std::vector<EpochTime> timings;
  for (std::size_t order = 0; order <= 6; ++order) {
    timings.push_back({order, o.quick ? kQuickRank : HandwritingRun().rank, 0});
  }
  return timings;
}

}  // namespace fgnn::handwriting
