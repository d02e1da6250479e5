#include "fgnn/experiments/synthetic/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "fgnn/core/error.h"
#include "fgnn/experiments/synthetic/margins.h"
#include "fgnn/experiments/synthetic/square.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/frontier.h"
#include "fgnn/io/input_file.h"

namespace fgnn::synthetic {
namespace {

constexpr std::uint64_t kStreamSeeds[] = {0x747261696e, 0x76616c6964, 0};  // train, valid, test

// Pairs lead from parents to children, which have larger numbers: D4 and trees.
bool is_forest(const SyntheticInstance& instance) {
  std::vector<bool> has_parent(instance.unary.size());
  for (const auto& p : instance.pairs) {
    if (p.first >= p.second || has_parent[p.second]) return false;
    has_parent[p.second] = true;
  }
  return instance.budgets.empty();
}

std::vector<State> forest_map(const SyntheticInstance& forest) {
  // Upwards: the best of each subtree by the state of its root; downwards: the states.
  auto best = forest.unary;
  std::vector<const SyntheticInstance::Pair*> parent(best.size());
  for (const auto& p : forest.pairs) parent[p.second] = &p;
  const auto best_below = [&](const SyntheticInstance::Pair& p, State x) {
    const double zero = p.values[2 * x] + best[p.second][0];
    const double one = p.values[2 * x + 1] + best[p.second][1];
    return std::pair(std::max(zero, one), State{one > zero});
  };
  for (std::size_t v = best.size(); v-- > 0;) {
    if (parent[v] == nullptr) continue;
    for (State x = 0; x < 2; ++x) best[parent[v]->first][x] += best_below(*parent[v], x).first;
  }
  std::vector<State> states(best.size());
  for (std::size_t v = 0; v < best.size(); ++v) {
    states[v] = parent[v] == nullptr ? State{best[v][1] > best[v][0]}
                                     : best_below(*parent[v], states[parent[v]->first]).second;
  }
  return states;
}

}  // namespace

bool suits_frontier(const SyntheticInstance& instance) {
  return !is_forest(instance) && reach(instance) <= kFarthestReach;
}

std::vector<State> exact_labels(const SyntheticInstance& instance) {
  if (suits_frontier(instance)) return frontier_map(instance).assignment;
  if (is_forest(instance)) return forest_map(instance);
  ExactOptions options;
  options.threads = 1;
  return exact_map(instance.graph(), options).assignment;
}

std::uint64_t stream_seed(std::uint64_t test_seed, tasks::Stream stream) {
  return test_seed ^ kStreamSeeds[static_cast<int>(stream)];
}

const SettingList<SyntheticTaskOptions>& task_settings() {
  using O = SyntheticTaskOptions;
  static const SettingList<O> kSettings = [] {
    SettingList<O> all("task synthetic");
    const auto data = [&](const char* name, auto member, const char* value, const char* help) {
      all.add(
          name, [member](auto& o) -> auto& { return o.data.*member; }, value, help);
    };
    data("dataset", &SyntheticOptions::dataset, "NAME", "D1, D2, D3, D4, tree or D5");
    data("length", &SyntheticOptions::length, "N", "variables in a chain");
    data("side", &SyntheticOptions::side, "N", "rows and columns of D5's grids");
    data("order", &SyntheticOptions::order, "K", "variables in a budget");
    data("every_node", &SyntheticOptions::every_node, "CHOICE",
         "budgets at every node, cut off at the ends");
    data("pairwise_of_text", &SyntheticOptions::pairwise_of_text, "CHOICE",
         "D2's pairs as in the paper's text: all four U[0,1]");
    data("data_seed", &SyntheticOptions::seed, "N", "of the test instances");
    all.add("instances", &O::instances, "N", "fixed ones to train on; 0: never the same twice");
    all.add("shown_order", &O::shown_order, "K",
            "variables of a budget that the network sees; 0: all");
    all.add("temperature", &O::temperature, "T", "above 0: train on how sure the exact MAP is");
    all.add("labels", &O::labels, "FOLDER", "folder of labels by fgnn label");
    return all;
  }();
  return kSettings;
}

SyntheticTask::SyntheticTask(SyntheticTaskOptions options) : options_(std::move(options)) {
  const SyntheticOptions& data = options_.data;
  data.validate();
  if (!(options_.temperature >= 0) || std::isinf(options_.temperature)) {
    throw Error(ErrorCode::usage, "temperature", "must be 0 or above");
  }
  if (options_.shown_order == 1 || options_.shown_order > data.widest_budget()) {
    throw Error(ErrorCode::usage, "shown_order",
                fmt::format("must be 0 or between 2 and {}, the variables in a budget",
                            data.widest_budget()));
  }
  if (!labels_from_files()) return;
  bool any = false;
  for (const tasks::Stream stream :
       {tasks::Stream::train, tasks::Stream::validation, tasks::Stream::test}) {
    SyntheticOptions of_stream = data;
    of_stream.seed = stream_seed(data.seed, stream);
    const auto file = label_file(options_.labels, stream);
    if (!file_exists(file)) continue;
    labels_[static_cast<int>(stream)] = read_labels(file, of_stream);
    any = true;
  }
  if (!any) throw Error(ErrorCode::io, options_.labels, "holds no labels");
}

void SyntheticTask::check_training() const {
  // How sure a label is takes a search for every variable, which is what the files are to save.
  if (options_.temperature > 0 && labels_from_files()) {
    throw Error(ErrorCode::usage, "temperature",
                "needs the margins of the labels, which files of labels do not hold",
                "set temperature=0 to train on the labels alone");
  }
}

bool SyntheticTask::has(tasks::Stream stream) const {
  return !labels_from_files() || !labels_[static_cast<int>(stream)].empty();
}

std::uint64_t SyntheticTask::size(tasks::Stream stream) const {
  if (labels_from_files()) {
    const std::uint64_t labelled = labels_[static_cast<int>(stream)].size();
    return stream == tasks::Stream::train ? kSquareSymmetries * labelled : labelled;
  }
  return stream == tasks::Stream::train ? options_.instances : 0;
}

std::size_t SyntheticTask::shown() const {
  return options_.shown_order > 0 ? options_.shown_order : options_.data.widest_budget();
}

network::Schema SyntheticTask::schema() const {
  network::Schema schema{2, {{"pair", 4, 2, 2}}};
  if (shown() > 0) schema.relations.push_back({"budget", shown(), shown(), shown()});
  return schema;
}

std::map<std::string, std::string> SyntheticTask::settings() const {
  auto all = task_settings().map(options_);
  all.erase("labels");
  return all;
}

SyntheticInstance SyntheticTask::numbers(tasks::Stream stream, std::uint64_t index) const {
  SyntheticOptions o = options_.data;
  o.seed = stream_seed(o.seed, stream);
  return synthetic_instance(o, index);
}

tasks::Labelled SyntheticTask::instance(tasks::Stream stream, std::uint64_t index) const {
  if (labels_from_files()) return from_file(stream, index);
  const SyntheticInstance numbers_ = numbers(stream, index);
  tasks::Labelled result{features(numbers_), {}, {}};
  const auto labels = exact_labels(numbers_);
  result.classes.assign(labels.begin(), labels.end());
  if (stream == tasks::Stream::train && options_.temperature > 0) soften(numbers_, result);
  return result;
}

void SyntheticTask::soften(const SyntheticInstance& instance, tasks::Labelled& result) const {
  const std::vector<State> best(result.classes.begin(), result.classes.end());
  const auto margin = margins(instance, best);
  for (std::size_t v = 0; v < best.size(); ++v) {
    const auto sure = static_cast<float>(1 / (1 + std::exp(-margin[v] / options_.temperature)));
    const float one = best[v] == 1 ? sure : 1 - sure;
    result.targets.insert(result.targets.end(), {1 - one, one});
  }
}

tasks::Labelled SyntheticTask::from_file(tasks::Stream stream, std::uint64_t index) const {
  const auto& lines = labels_[static_cast<int>(stream)];
  const LabelLine& line = lines[index % lines.size()];
  SyntheticInstance numbers_ = numbers(stream, line.instance);
  std::vector<State> labels = line.assignment;
  if (options_.data.dataset == "D5") {
    turn(numbers_, labels, options_.data.side, static_cast<int>(index / lines.size()));
  }
  return {features(numbers_), {labels.begin(), labels.end()}, {}};
}

network::Batch SyntheticTask::features(const SyntheticInstance& instance) const {
  learned::PairBudget all(shown());
  for (const auto& u : instance.unary) all.variable(u[0], u[1]);
  for (const auto& p : instance.pairs) all.pair(p.first, p.second, p.values);
  for (const auto& b : instance.budgets) {
    if (b.scope.size() > options_.data.widest_budget()) {
      throw Error(ErrorCode::model, "budget", "has more variables than the network knows");
    }
    const std::size_t seen = std::min(b.scope.size(), shown());
    all.budget(std::span(b.scope).subspan((b.scope.size() - seen) / 2, seen), b.most);
  }
  auto structure = shared_structure(instance, all);
  return std::move(all).batch(std::move(structure));
}

std::shared_ptr<const network::Structure> SyntheticTask::shared_structure(
    const SyntheticInstance& instance, const learned::PairBudget& features) const {
  // Hardly two trees are alike, and keeping all would fill the memory.
  if (options_.data.dataset == "tree") return features.structure();
  std::vector<std::uint32_t> key{static_cast<std::uint32_t>(instance.unary.size())};
  for (const auto& p : instance.pairs) key.insert(key.end(), {p.first, p.second});
  for (const auto& b : instance.budgets) {
    key.push_back(static_cast<std::uint32_t>(b.scope.size()));
    key.insert(key.end(), b.scope.begin(), b.scope.end());
  }
  const std::lock_guard lock(mutex_);
  auto& made = made_[key];
  if (made == nullptr) made = features.structure();
  return made;
}

}  // namespace fgnn::synthetic
