#include <algorithm>
#include <queue>
#include <utility>

#include "fgnn/infer/exact/joiner.h"
#include "fgnn/infer/exact/passes.h"

namespace fgnn::exact {
namespace {

// Best-first search over the variables in reverse order of elimination. Given the separator, the
// bucket tells exactly what each state of its variable loses against the best one, so a partial
// assignment knows the score of its best completion: no node is expanded in vain.
class BestFirst {
 public:
  BestFirst(const Pass& pass, const Upward& up)
      : pass_(pass), plan_(pass.plan), up_(up), clock_(pass), hold_(pass.budget) {
    push({.depth = 0, .score = up.total});
  }

  // The next best assignment; false when there is none left.
  bool next(Best& best) {
    if (open_.empty()) return false;
    const std::size_t start = open_.top().second;
    open_.pop();
    const std::size_t n = plan_.buckets.size();
    hold_.take(n * sizeof(State));  // of the assignment that the caller keeps
    best.states.assign(n, 0);
    for (std::size_t node = start; nodes_[node].depth > 0; node = nodes_[node].parent) {
      best.states[plan_.buckets[n - nodes_[node].depth].variable] = nodes_[node].state;
    }
    best.score = nodes_[start].score;
    std::size_t parent = start;
    for (std::size_t depth = nodes_[start].depth; depth < n; ++depth) {
      parent = descend(parent, depth, best);
    }
    return true;
  }

 private:
  struct Node {
    std::size_t parent = 0;
    std::size_t depth = 0;  // variables assigned
    State state = 0;
    double score = 0;  // of the best completion
  };

  // Assigns the next variable its best state and leaves the others for later.
  std::size_t descend(std::size_t parent, std::size_t depth, Best& best) {
    const std::size_t b = plan_.buckets.size() - 1 - depth;
    const Bucket& bucket = plan_.buckets[b];
    const Joiner joiner(pass_, bucket, up_.messages.get());
    clock_.spend(kPerBlock * bucket.inputs.size());
    values_.resize(bucket.states);
    for (State x = 0; x < bucket.states; ++x) values_[x] = joiner.join_one(x, best.states);
    const auto top = std::max_element(values_.begin(), values_.end());
    const auto chosen = static_cast<State>(top - values_.begin());
    best.states[bucket.variable] = chosen;
    if (keep_others) {
      for (State x = 0; x < bucket.states; ++x) {
        if (x == chosen || values_[x] == kForbidden) continue;
        push({parent, depth + 1, x, best.score + (values_[x] - *top)});
      }
    }
    keep({parent, depth + 1, chosen, best.score});
    return nodes_.size() - 1;
  }

  void keep(Node node) {
    hold_.take(kPerNode);
    nodes_.push_back(node);
  }

  void push(Node node) {
    keep(node);
    open_.emplace(node.score, nodes_.size() - 1);
  }

  static constexpr std::size_t kPerNode = 2 * sizeof(Node);  // the list has room to grow

  const Pass& pass_;
  const Buckets& plan_;
  const Upward& up_;
  Clock clock_;
  Hold hold_;
  std::vector<Node> nodes_;
  std::vector<double> values_;
  std::priority_queue<std::pair<double, std::size_t>> open_;

 public:
  bool keep_others = true;
};

}  // namespace

std::vector<Best> best(const Pass& pass, const Upward& up, std::size_t k) {
  std::vector<Best> found;
  if (k == 0 || up.total == kForbidden) return found;
  BestFirst search(pass, up);
  search.keep_others = k > 1;
  for (Best next; found.size() < k && search.next(next);) {
    found.push_back(next);
  }
  return found;
}

}  // namespace fgnn::exact
