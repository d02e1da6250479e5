#include "fgnn/infer/minibucket/scheme.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <queue>
#include <tuple>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/infer/marginals_frame.h"

namespace fgnn::minibucket {
namespace {

using exact::Id;
using Scope = std::vector<Id>;  // sorted

constexpr double kSlack = 1e-9;      // log2 of whole numbers rounds
constexpr double kMostEntries = 40;  // log2: beyond any memory

class Maker {
 public:
  Maker(const Restated& model, std::size_t bits, const Budget& budget)
      : model_(model),
        bits_(static_cast<double>(bits)),
        budget_(budget),
        time_(budget.deadline()),
        log2_(model.log2_states()),
        at_(log2_.size()),
        mark_(log2_.size(), 0) {
    for (std::uint32_t s = 0; s < model.problem.sources.size(); ++s) {
      Scope scope;
      for (const auto& axis : model.problem.sources[s].axes) scope.push_back(axis.variable);
      std::ranges::sort(scope);
      if (!scope.empty()) add({s, false, std::move(scope)});
    }
    scheme_.place.assign(log2_.size(), kNone);
    scheme_.first.push_back(0);
  }

  Scheme in_order(const std::vector<Id>& sequence) {
    for (Id v : sequence) eliminate(v);
    return finished();
  }

  Scheme as_it_goes() {
    for (Id v = 0; v < at_.size(); ++v) queue(v);
    version_of_queue_ = true;
    while (!heap_.empty()) {
      const auto [met, v, version] = heap_.top();
      heap_.pop();
      if (scheme_.place[v] == kNone && version == version_[v]) eliminate(v);
    }
    return finished();
  }

 private:
  struct Item {
    std::uint32_t index;  // of a source or part
    bool message;
    Scope scope;
  };

  void add(Item item) {
    for (Id v : item.scope) at_[v].push_back(static_cast<std::uint32_t>(items_.size()));
    items_.push_back(std::move(item));
    gone_.push_back(0);
  }

  double size(const Scope& scope) const {
    double sum = 0;
    for (Id v : scope) sum += log2_[v];
    return sum;
  }

  void queue(Id v) {
    version_.resize(at_.size(), 0);
    double met = 0;
    ++stamp_;
    std::erase_if(at_[v], [&](std::uint32_t i) { return gone_[i] != 0; });
    for (std::uint32_t i : at_[v]) {
      spend(items_[i].scope.size());
      for (Id u : items_[i].scope) {
        if (mark_[u] != stamp_) met += log2_[u];
        mark_[u] = stamp_;
      }
    }
    heap_.emplace(met, v, ++version_[v]);
  }

  void spend(std::size_t steps) {
    if (time_.late(8 * steps)) budget_.check_time();
  }

  struct Bin {
    Scope scope;
    double size = 0;
    std::vector<std::uint32_t> items;
  };

  // Largest first, each into the mini-bucket that grows least by it.
  std::vector<Bin> shared_out(Id v) {
    std::vector<std::uint32_t> items;
    for (std::uint32_t i : at_[v]) {
      if (!gone_[i]) items.push_back(i);
    }
    std::ranges::stable_sort(items, [&](std::uint32_t a, std::uint32_t b) {
      return size(items_[a].scope) > size(items_[b].scope) + kSlack;
    });
    std::vector<Bin> bins;
    Scope joined;
    for (std::uint32_t i : items) {
      std::size_t best = bins.size();
      double least = kInfinity;
      Scope best_scope = items_[i].scope;
      for (std::size_t b = 0; b < bins.size(); ++b) {
        joined.clear();
        spend(bins[b].scope.size());
        std::ranges::set_union(bins[b].scope, items_[i].scope, std::back_inserter(joined));
        const double grown = size(joined);
        const bool fits = grown <= bits_ + kSlack || joined.size() == bins[b].scope.size();
        if (!fits || grown - bins[b].size >= least) continue;
        least = grown - bins[b].size;
        best = b;
        best_scope = joined;
      }
      if (best == bins.size()) bins.emplace_back();
      bins[best].scope = std::move(best_scope);
      bins[best].size = size(bins[best].scope);
      bins[best].items.push_back(i);
    }
    if (bins.empty()) bins.push_back({{v}, log2_[v], {}});
    return bins;
  }

  void eliminate(Id v) {
    spend(64);
    scheme_.place[v] = static_cast<Place>(scheme_.order.size());
    scheme_.order.push_back(v);
    auto bins = shared_out(v);
    scheme_.split += bins.size() > 1;
    std::vector<Id> touched;
    for (Bin& bin : bins) {
      const auto part = static_cast<std::uint32_t>(scheme_.parts.size());
      Part made;
      for (std::uint32_t i : bin.items) {
        gone_[i] = 1;
        (items_[i].message ? made.messages : made.functions).push_back(items_[i].index);
        if (items_[i].message) scheme_.parts[items_[i].index].receiver = part;
        items_[i].scope = {};
      }
      made.scope = bin.scope;  // in variables for now
      scheme_.bits = std::max(scheme_.bits, bin.size);
      scheme_.parts.push_back(std::move(made));
      std::erase(bin.scope, v);
      if (bin.scope.empty()) continue;
      touched.insert(touched.end(), bin.scope.begin(), bin.scope.end());
      add({part, true, std::move(bin.scope)});
    }
    at_[v] = {};
    scheme_.first.push_back(static_cast<std::uint32_t>(scheme_.parts.size()));
    if (!version_of_queue_) return;
    std::ranges::sort(touched);
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (Id u : touched) queue(u);
  }

  // From variables to places, which are known now.
  Scheme finished() {
    if (scheme_.bits > kMostEntries) {
      throw Error(ErrorCode::too_large, "mini-buckets", "a factor has more joint states than fit",
                  "lower --ibound or use sum-product");
    }
    for (Id v : scheme_.order) scheme_.states.push_back(model_.problem.variables[v].states);
    for (Part& part : scheme_.parts) {
      for (std::uint32_t& v : part.scope) v = scheme_.place[v];
      std::ranges::sort(part.scope);
      for (Place p : part.scope) part.entries *= scheme_.states[p];
      part.message_entries = part.entries / scheme_.states[part.scope.front()];
      scheme_.largest = std::max(scheme_.largest, part.entries);
    }
    return std::move(scheme_);
  }

  const Restated& model_;
  double bits_;
  const Budget& budget_;
  TimeCheck time_;
  std::vector<double> log2_;
  std::vector<Item> items_;
  std::vector<char> gone_;
  std::vector<std::vector<std::uint32_t>> at_;  // per variable: items that mention it
  std::vector<std::uint64_t> mark_;
  std::uint64_t stamp_ = 0;
  std::priority_queue<std::tuple<double, Id, std::uint32_t>,
                      std::vector<std::tuple<double, Id, std::uint32_t>>, std::greater<>>
      heap_;
  std::vector<std::uint32_t> version_;
  bool version_of_queue_ = false;
  Scheme scheme_;
};

}  // namespace

Scheme make_scheme(const Restated& model, std::size_t bits, int tries, std::uint64_t seed,
                   const Budget& budget) {
  exact::InteractionGraph interactions(model.log2_states());
  std::vector<Id> scope;
  TimeCheck time(budget.deadline());
  for (const auto& source : model.problem.sources) {
    scope.clear();
    for (const auto& axis : source.axes) scope.push_back(axis.variable);
    if (time.late(8 * (1 + scope.size() * scope.size()))) budget.check_time();
    interactions.join(scope);
  }
  interactions.finish();
  const exact::Order order = exact::best_order(
      interactions, {.tries = tries, .seed = seed, .deadline = budget.deadline()});
  budget.check_time();
  if (order.complete) return Maker(model, bits, budget).in_order(order.sequence);
  return Maker(model, bits, budget).as_it_goes();
}

Marginals marginals(const FactorGraph& given, const Restated& model, const Scheme& scheme,
                    std::vector<double> weights) {
  Marginals result(given);
  for (VariableId v = 0; v < given.num_variables(); ++v) {
    if (!model.problem.of[v]) result[v][model.problem.only_state[v]] = 1;
  }
  std::size_t at = 0;
  for (Place p = 0; p < scheme.order.size(); at += scheme.states[p++]) {
    const VariableId v = model.problem.variables[scheme.order[p]].original;
    if (v == exact::kExtra) continue;
    const std::span own = std::span(weights).subspan(at, scheme.states[p]);
    normalize(own);
    for (State s = 0; s < own.size(); ++s) result[v][model.domains.allowed[v][s]] = own[s];
  }
  return result;
}

}  // namespace fgnn::minibucket
