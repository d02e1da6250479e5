#include "fgnn/experiments/synthetic/instances.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/core/random.h"
#include "fgnn/core/suggest.h"

namespace fgnn::synthetic {
namespace {

constexpr std::size_t kFixedBudget = 5;  // of D1 and D2
constexpr std::size_t kWindow = 3;       // of D5: rows and columns of a budget
constexpr std::uint64_t kLeastDepth = 3, kMostDepth = 6;
constexpr double kChildProbability = 0.75;  // the paper says only "randomly generated"

std::array<double, 4> chain_pair(const SyntheticOptions& options, Rng& rng) {
  if (options.dataset == "D1") return {0, 0.1, 0.2, 1};
  if (options.dataset == "D2" && options.pairwise_of_text) {
    std::array<double, 4> values{};
    for (double& value : values) value = rng.uniform();
    return values;
  }
  return {0, 0, 0, rng.uniform(0, 2)};
}

void add_budgets(const SyntheticOptions& options, Rng& rng, SyntheticInstance& instance) {
  const auto add = [&](std::size_t first, std::size_t end) {
    const std::size_t most =
        options.dataset == "D3" ? 1 + rng.below(options.order - 1) : kFixedBudget;
    std::vector<VariableId> scope(end - first);
    std::iota(scope.begin(), scope.end(), static_cast<VariableId>(first));
    instance.budgets.push_back({std::move(scope), most});
  };
  if (options.every_node) {
    const std::size_t before = (options.order - 1) / 2, after = options.order - before;
    for (std::size_t i = 0; i < options.length; ++i) {
      add(i - std::min(i, before), std::min(options.length, i + after));
    }
  } else {
    for (std::size_t i = 0; i + options.order <= options.length; ++i) add(i, i + options.order);
  }
}

SyntheticInstance chain(const SyntheticOptions& options, Rng& rng) {
  SyntheticInstance instance;
  // Braces evaluate in order, so the numbers are drawn in order.
  for (std::size_t i = 0; i < options.length; ++i) {
    instance.unary.push_back({rng.uniform(), rng.uniform()});
  }
  for (VariableId i = 0; i + 1 < options.length; ++i) {
    instance.pairs.push_back({i, i + 1, chain_pair(options, rng)});
  }
  if (options.dataset != "D4") add_budgets(options, rng, instance);
  return instance;
}

SyntheticInstance grid(const SyntheticOptions& options, Rng& rng) {
  SyntheticInstance instance;
  const std::size_t side = options.side;
  const auto at = [&](std::size_t row, std::size_t column) {
    return static_cast<VariableId>(row * side + column);
  };
  for (std::size_t i = 0; i < side * side; ++i) {
    instance.unary.push_back({rng.uniform(), rng.uniform()});
  }
  for (std::size_t r = 0; r < side; ++r) {
    for (std::size_t c = 0; c < side; ++c) {
      const auto join = [&](VariableId other) {
        instance.pairs.push_back({at(r, c), other, chain_pair(options, rng)});
      };
      if (c + 1 < side) join(at(r, c + 1));
      if (r + 1 < side) join(at(r + 1, c));
    }
  }
  for (std::size_t r = 0; r + kWindow <= side; ++r) {
    for (std::size_t c = 0; c + kWindow <= side; ++c) {
      auto& budget = instance.budgets.emplace_back();
      for (std::size_t i = 0; i < kWindow * kWindow; ++i) {
        budget.scope.push_back(at(r + i / kWindow, c + i % kWindow));
      }
      budget.most = 1 + rng.below(kWindow * kWindow - 1);
    }
  }
  return instance;
}

// Level by level; the first node of a level always has a child, so that the depth is reached.
SyntheticInstance tree(Rng& rng) {
  SyntheticInstance instance;
  const std::uint64_t depth = kLeastDepth + rng.below(kMostDepth - kLeastDepth + 1);
  VariableId nodes = 1, level_begin = 0;
  for (std::uint64_t level = 0; level < depth; ++level) {
    const VariableId level_end = nodes;
    for (VariableId parent = level_begin; parent < level_end; ++parent) {
      for (int child = 0; child < 2; ++child) {
        const bool wanted = rng.uniform() < kChildProbability;
        if (!wanted && (child == 1 || parent != level_begin)) continue;
        instance.pairs.push_back(
            {parent, nodes++, {rng.normal(), rng.normal(), rng.normal(), rng.normal()}});
      }
    }
    level_begin = level_end;
  }
  for (VariableId v = 0; v < nodes; ++v) instance.unary.push_back({rng.normal(), rng.normal()});
  return instance;
}

}  // namespace

const std::vector<SyntheticInfo>& synthetic_datasets() {
  static const std::vector<SyntheticInfo> kDatasets{
      {"D1", "chain, fixed pairwise potentials, budgets of 5 in 9"},
      {"D2", "chain, random pairwise potentials, budgets of 5 in 9"},
      {"D3", "chain, random pairwise potentials, random budgets in 9"},
      {"D4", "D3 without budgets"},
      {"tree", "random binary trees of depth 3 to 6"},
      {"D5", "grid of 12 x 12, random pairwise potentials, random budgets in 3 x 3"},
  };
  return kDatasets;
}

void SyntheticOptions::validate() const {
  std::vector<std::string> known;
  for (const SyntheticInfo& info : synthetic_datasets()) known.push_back(info.name);
  if (std::ranges::find(known, dataset) == known.end()) {
    throw Error(ErrorCode::usage, fmt::format("'{}'", dataset), "there is no such synthetic model",
                suggestion(dataset, known));
  }
  const auto refuse = [](const char* what, const char* why) {
    throw Error(ErrorCode::usage, what, why);
  };
  if (length < 1 || length > 10'000'000) refuse("length", "must be between 1 and 10000000");
  if (order < 2) refuse("order", "must be 2 or more: a budget over one variable says nothing");
  if (side < kWindow || side > 3000) refuse("side", "must be between 3 and 3000");
  if (!every_node && order > length && dataset != "D5" && widest_budget() > 0) {
    refuse("order", "must not be above the length of the chain");
  }
}

std::size_t SyntheticOptions::widest_budget() const {
  if (dataset == "D4" || dataset == "tree") return 0;
  return dataset == "D5" ? kWindow * kWindow : order;
}

SyntheticInstance synthetic_instance(const SyntheticOptions& options, std::uint64_t instance) {
  options.validate();
  Rng rng(options.seed, instance);
  if (options.dataset == "tree") return tree(rng);
  return options.dataset == "D5" ? grid(options, rng) : chain(options, rng);
}

}  // namespace fgnn::synthetic
