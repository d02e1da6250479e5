#include "fgnn/infer/exact/tree.h"

#include <algorithm>

namespace fgnn::exact {
namespace {

class Planter {
 public:
  Planter(const Problem& problem, const std::vector<Id>& order, const Budget& budget)
      : problem_(problem), order_(order), budget_(budget), time_(budget.deadline()) {
    tree_.nodes.resize(order.size());
  }

  Tree run() {
    add_sources();
    for (std::uint32_t b = 0; b < order_.size(); ++b) add_separator(b);
    choose_sequence();
    lay_out();
    return std::move(tree_);
  }

 private:
  // Everything goes to the bucket of its earliest variable.
  void add_sources() {
    place_.resize(problem_.variables.size());
    for (std::uint32_t b = 0; b < order_.size(); ++b) place_[order_[b]] = b;
    for (std::uint32_t s = 0; s < problem_.sources.size(); ++s) {
      std::uint32_t first = Tree::kNone;
      for (const auto& axis : problem_.sources[s].axes) {
        first = std::min(first, place_[axis.variable]);
      }
      (first == Tree::kNone ? tree_.loose_sources : tree_.nodes[first].sources).push_back(s);
    }
  }

  void add_separator(std::uint32_t b) {
    Tree::Node& node = tree_.nodes[b];
    auto& separator = node.separator;
    std::size_t work = 64;
    for (std::uint32_t s : node.sources) {
      for (const auto& axis : problem_.sources[s].axes) separator.push_back(place_[axis.variable]);
    }
    for (std::uint32_t c : node.children) {
      const auto& other = tree_.nodes[c].separator;
      separator.insert(separator.end(), other.begin(), other.end());
      work += other.size();
    }
    std::sort(separator.begin(), separator.end());
    separator.erase(std::unique(separator.begin(), separator.end()), separator.end());
    if (!separator.empty() && separator[0] == b) separator.erase(separator.begin());
    separator.shrink_to_fit();
    for (std::uint32_t p : separator) node.entries *= problem_.variables[order_[p]].states;
    tree_.kept_entries += node.entries;
    tree_.choice_bytes +=
        node.entries * static_cast<double>(choice_width(problem_.variables[order_[b]].states));
    if (separator.empty()) {
      tree_.roots.push_back(b);
    } else {
      tree_.nodes[separator[0]].children.push_back(b);
    }
    if (time_.late(8 * work)) budget_.check_time();
  }

  void choose_sequence() {
    std::vector<double> most(tree_.nodes.size());  // that are alive at a time below and at a node
    for (std::uint32_t b = 0; b < tree_.nodes.size(); ++b) {
      Tree::Node& node = tree_.nodes[b];
      const auto beyond = [&](std::uint32_t c) { return most[c] - tree_.nodes[c].entries; };
      std::ranges::stable_sort(node.children, std::greater<>(), beyond);
      double left = 0;
      for (std::uint32_t c : node.children) {
        most[b] = std::max(most[b], left + most[c]);
        left += tree_.nodes[c].entries;
      }
      most[b] = std::max(most[b], left + node.entries);
    }
  }

  // Follows the sequence with both stacks.
  void lay_out() {
    struct Visit {
      std::uint32_t node;
      bool odd, back;
    };
    std::vector<Visit> open;
    for (auto root = tree_.roots.rbegin(); root != tree_.roots.rend(); ++root) {
      open.push_back({*root, false, false});
    }
    double top[2] = {0, 0};
    while (!open.empty()) {
      const Visit visit = open.back();
      open.pop_back();
      Tree::Node& node = tree_.nodes[visit.node];
      if (!visit.back) {
        open.push_back({visit.node, visit.odd, true});
        for (auto c = node.children.rbegin(); c != node.children.rend(); ++c) {
          open.push_back({*c, !visit.odd, false});
        }
        continue;
      }
      node.odd = visit.odd;
      node.top = top[visit.odd];
      top[visit.odd] += node.entries;
      tree_.live_entries = std::max(tree_.live_entries, top[0] + top[1]);
      for (std::uint32_t c : node.children) top[!visit.odd] -= tree_.nodes[c].entries;
      tree_.schedule.push_back(visit.node);
    }
  }

  const Problem& problem_;
  const std::vector<Id>& order_;
  const Budget& budget_;
  TimeCheck time_;
  std::vector<std::uint32_t> place_;
  Tree tree_;
};

}  // namespace

Tree make_tree(const Problem& problem, const std::vector<Id>& order, const Budget& budget) {
  return Planter(problem, order, budget).run();
}

}  // namespace fgnn::exact
