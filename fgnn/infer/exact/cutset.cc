#include "fgnn/infer/exact/cutset.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fgnn::exact {
namespace {

constexpr int kQuickTries = 12;
constexpr double kAnyWidth = 900;  // log2 of what a double still holds, summed

class Conditioner {
 public:
  Conditioner(Draft& draft, const FactorGraph& graph, const Domains& domains, ExactTask task,
              const ExactOptions& options, Budget& budget)
      : draft_(draft),
        graph_(graph),
        domains_(domains),
        task_(task),
        options_(options),
        budget_(budget),
        working_(budget),
        interactions_(interactions_of(draft.problem, budget)) {
    working_.take(draft.hold.bytes());  // copies of what the draft has
  }

  void run() {
    Order order = draft_.order;
    Tree tree = draft_.tree;
    const Problem problem = draft_.problem;
    if (!find()) {
      draft_.order = std::move(order);
      draft_.tree = std::move(tree);
      draft_.problem = problem;
      draft_.cut.clear();
    }
  }

 private:
  bool find() {
    plan(kQuickTries);
    while (!fits()) {
      if (budget_.deadline().expired() || !draft_.order.complete || !add_one()) return false;
      plan(kQuickTries);
    }
    take_back();
    plan(options_.orders);
    if (!fits()) plan(kQuickTries);
    const double log2_operations = std::log2(draft_.order.operations) + log2_branches();
    return fits() && log2_operations <= kHopeless;
  }

  double log2_branches() const {
    double sum = 0;
    for (Id v : draft_.cut) sum += interactions_.log2_states[v];
    return sum;
  }

  bool fits() const {
    return draft_.order.complete &&
           cost_of(draft_, graph_, domains_, task_, options_).bytes <= options_.max_bytes;
  }

  bool is_cut(Id v) const { return std::ranges::find(draft_.cut, v) != draft_.cut.end(); }

  // Holds the axes of the cut set and finds an order of the rest.
  void plan(int tries) {
    for (Source& source : draft_.problem.sources) {
      if (source.axes.empty() && source.held.empty()) continue;
      source.axes.insert(source.axes.end(), source.held.begin(), source.held.end());
      const auto held = std::stable_partition(
          source.axes.begin(), source.axes.end(),
          [this](const Source::Axis& axis) { return !is_cut(axis.variable); });
      source.held.assign(held, source.axes.end());
      source.axes.erase(held, source.axes.end());
    }
    // Variables of the set stay, alone and without states, and are taken out of the order.
    InteractionGraph rest = interactions_;
    for (auto& around : rest.neighbours) {
      std::erase_if(around, [this](Id u) { return is_cut(u); });
    }
    for (Id v : draft_.cut) {
      rest.neighbours[v].clear();
      rest.log2_states[v] = 0;
    }
    Effort effort = effort_of(task_, options_, budget_);
    effort.tries = tries;
    effort.hopeless = kAnyWidth;
    if (tries == kQuickTries) effort.seconds = 0;
    draft_.order = best_order(rest, effort);
    auto& sequence = draft_.order.sequence;
    std::erase_if(sequence, [this](Id v) { return is_cut(v); });
    if (!draft_.order.complete) return;
    draft_.tree = make_tree(draft_.problem, sequence, budget_);
  }

  // The variable that saves most, unless the branches would be too many.
  bool add_one() {
    const auto& sequence = draft_.order.sequence;
    std::vector<double> entries(draft_.problem.variables.size(), 0);  // of the tables it is in
    double all = 0;
    for (std::uint32_t b = 0; b < sequence.size(); ++b) {
      const Tree::Node& node = draft_.tree.nodes[b];
      const double clique = node.entries * std::exp2(interactions_.log2_states[sequence[b]]);
      all += clique;
      entries[sequence[b]] += clique;
      for (std::uint32_t p : node.separator) entries[sequence[p]] += clique;
    }
    const double left =
        std::log2(static_cast<double>(options_.max_branches)) - log2_branches() + 1e-9;
    Id best = 0;
    double most = 0;
    for (Id v : sequence) {
      const double log2 = interactions_.log2_states[v];
      const double rest = all - entries[v] * (1 - std::exp2(-log2));
      const double gain = std::log2(all / rest) / log2;
      if (log2 > left || !(gain > most)) continue;
      most = gain;
      best = v;
    }
    if (most <= 0) return false;
    draft_.cut.push_back(best);
    return true;
  }

  // Those that the later ones made unnecessary.
  void take_back() {
    for (std::size_t i = draft_.cut.size(); i-- > 0;) {
      const Id v = draft_.cut[i];
      draft_.cut.erase(draft_.cut.begin() + static_cast<std::ptrdiff_t>(i));
      plan(kQuickTries);
      if (fits()) continue;
      draft_.cut.insert(draft_.cut.begin() + static_cast<std::ptrdiff_t>(i), v);
    }
  }

  Draft& draft_;
  const FactorGraph& graph_;
  const Domains& domains_;
  ExactTask task_;
  const ExactOptions& options_;
  const Budget& budget_;
  Hold working_;
  InteractionGraph interactions_;
};

}  // namespace

void condition(Draft& draft, const FactorGraph& graph, const Domains& domains, ExactTask task,
               const ExactOptions& options, Budget& budget) {
  Conditioner(draft, graph, domains, task, options, budget).run();
}

}  // namespace fgnn::exact
