#include "fgnn/tasks/synthetic.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/infer/exact.h"

namespace fgnn::tasks {
namespace {

constexpr std::uint64_t kStreamSeeds[] = {0x747261696e, 0x76616c6964, 0};  // train, valid, test

bool has_budgets(const std::string& dataset) { return dataset != "D4" && dataset != "tree"; }

bool is_chain(const SyntheticInstance& instance) {
  for (std::size_t i = 0; i < instance.pairs.size(); ++i) {
    if (instance.pairs[i].first != i || instance.pairs[i].second != i + 1) return false;
  }
  return instance.pairs.size() + 1 == instance.unary.size();
}

// Budgets by the last variable of their windows, and the longest window.
struct Windows {
  std::vector<std::vector<SyntheticInstance::Budget>> ending;
  std::size_t longest = 1;
};

Windows windows(const SyntheticInstance& chain) {
  Windows w{std::vector<std::vector<SyntheticInstance::Budget>>(chain.unary.size()), 1};
  for (const auto& b : chain.budgets) {
    w.ending[b.first + b.count - 1].push_back(b);
    w.longest = std::max<std::size_t>(w.longest, b.count);
  }
  w.longest = std::max<std::size_t>(w.longest, 2);  // pairs look one bit back
  return w;
}

std::vector<State> chain_map(const SyntheticInstance& chain, const Windows& windows) {
  // State: the last `bits` values, the newest in the lowest place.
  const std::size_t length = chain.unary.size(), bits = windows.longest - 1;
  const std::uint32_t histories = 1u << bits, mask = histories - 1;
  std::vector<double> best(histories, kForbidden), next(histories);
  std::vector<std::uint8_t> dropped(length * histories);  // the bit that left the history
  best[0] = 0;
  for (std::size_t i = 0; i < length; ++i) {
    std::fill(next.begin(), next.end(), kForbidden);
    for (std::uint32_t h = 0; h < histories; ++h) {
      if (best[h] == kForbidden) continue;
      for (std::uint32_t x = 0; x < 2; ++x) {
        const std::uint32_t window = 2 * h + x;
        const bool over = std::ranges::any_of(windows.ending[i], [&](const auto& b) {
          return static_cast<std::size_t>(std::popcount(window & ((1u << b.count) - 1))) > b.most;
        });
        if (over) continue;
        double score = best[h] + chain.unary[i][x];
        if (i > 0) score += chain.pairs[i - 1].values[2 * (h & 1) + x];
        const std::uint32_t to = window & mask;
        if (score <= next[to]) continue;
        next[to] = score;
        dropped[i * histories + to] = static_cast<std::uint8_t>(h >> (bits - 1) & 1);
      }
    }
    best.swap(next);
  }
  auto h = static_cast<std::uint32_t>(std::ranges::max_element(best) - best.begin());
  std::vector<State> assignment(length);
  for (std::size_t i = length; i-- > 0;) {
    assignment[i] = h & 1;
    h = (h >> 1) | (std::uint32_t{dropped[i * histories + h]} << (bits - 1));
  }
  return assignment;
}

}  // namespace

std::vector<State> exact_labels(const SyntheticInstance& instance) {
  if (is_chain(instance)) {
    const Windows w = windows(instance);
    if (w.longest <= 16) return chain_map(instance, w);
  }
  ExactOptions options;
  options.threads = 1;
  return exact_map(instance.graph(), options).assignment;
}

SyntheticTask::SyntheticTask(SyntheticOptions options, std::uint64_t instances)
    : options_(std::move(options)), instances_(instances) {
  options_.validate();
}

network::Schema SyntheticTask::schema() const {
  network::Schema schema{2, {{"pair", 4, 2, 2}}};
  if (has_budgets(options_.dataset)) {
    schema.relations.push_back({"budget", options_.order, options_.order, options_.order});
  }
  return schema;
}

std::map<std::string, std::string> SyntheticTask::settings() const {
  return {{"dataset", options_.dataset},
          {"length", std::to_string(options_.length)},
          {"order", std::to_string(options_.order)},
          {"every_node", options_.every_node ? "yes" : "no"},
          {"pairwise_of_text", options_.pairwise_of_text ? "yes" : "no"},
          {"data_seed", std::to_string(options_.seed)},
          {"instances", std::to_string(instances_)}};
}

SyntheticInstance SyntheticTask::numbers(Stream stream, std::uint64_t index) const {
  SyntheticOptions o = options_;
  o.seed ^= kStreamSeeds[static_cast<int>(stream)];
  return synthetic_instance(o, index);
}

Labelled SyntheticTask::instance(Stream stream, std::uint64_t index) const {
  const SyntheticInstance numbers_ = numbers(stream, index);
  Labelled result{features(numbers_), {}, {}};
  const auto labels = exact_labels(numbers_);
  result.classes.assign(labels.begin(), labels.end());
  return result;
}

network::Batch SyntheticTask::features(const SyntheticInstance& instance) const {
  PairBudget all(has_budgets(options_.dataset) ? options_.order : 0);
  for (const auto& u : instance.unary) all.variable(u[0], u[1]);
  for (const auto& p : instance.pairs) all.pair(p.first, p.second, p.values);
  std::vector<VariableId> scope;
  for (const auto& b : instance.budgets) {
    if (b.count > options_.order) {
      throw Error(ErrorCode::model, "budget", "has more variables than the network knows");
    }
    scope.resize(b.count);
    std::iota(scope.begin(), scope.end(), b.first);
    all.budget(scope, b.most);
  }
  auto structure = shared_structure(instance, all);
  return std::move(all).batch(std::move(structure));
}

std::shared_ptr<const network::Structure> SyntheticTask::shared_structure(
    const SyntheticInstance& instance, const PairBudget& features) const {
  std::vector<std::uint32_t> key{static_cast<std::uint32_t>(instance.unary.size())};
  for (const auto& p : instance.pairs) key.insert(key.end(), {p.first, p.second});
  for (const auto& b : instance.budgets) key.insert(key.end(), {b.first, b.count});
  const std::lock_guard lock(mutex_);
  auto& made = made_[key];
  if (made == nullptr) made = features.structure();
  return made;
}

}  // namespace fgnn::tasks
