#include "fgnn/infer/costs/search.h"

#include <algorithm>
#include <utility>

namespace fgnn::costs {
namespace {

// How much of the time may go into coming back to open nodes (Allouche et al. 2015).
constexpr double kMostReplayed = 0.1, kLeastReplayed = 0.05;
constexpr std::uint64_t kMostFailures = std::uint64_t{1} << 14;

constexpr std::uint64_t kNode = 64;  // bytes of an open node beside its decisions
constexpr double kStep = 1e-2;  // of what is between bound and answer: smaller steps are not taken

}  // namespace

Search::Search(Store& store, std::vector<std::uint32_t> rank, const SearchLimits& limits,
               Budget& budget, Outside outside)
    : store_(store),
      limits_(limits),
      budget_(budget),
      outside_(std::move(outside)),
      propagation_(store, std::move(rank), budget.deadline()),
      preferred_(store.size(), ~0u) {
  for (Id v = 0; v < store.size(); ++v) {
    if (!store.left(v).empty()) variables_.push_back(v);
  }
}

double Search::step() const {
  const double between = cutoff() - store_.bound();
  return between < kInfinity ? std::max(kTiny, kStep * between) : 1e-3;
}

bool Search::stopped() {
  stopped_ = stopped_ || budget_.deadline().expired() || nodes_ >= limits_.nodes;
  return stopped_;
}

void Search::improve() { best_ = std::min(best_, outside_.cutoff()); }

void Search::decide(const Decision& decision) {
  if (decision.taken)
    propagation_.assign(decision.variable, decision.state);
  else
    propagation_.remove(decision.variable, decision.state);
}

// Makes a decision at the present node; false when it fails.
bool Search::follow(const Decision& decision) {
  ++nodes_;
  path_.push_back(decision);
  decide(decision);
  if (propagation_.run(cutoff(), step())) return true;
  last_failed_ = decision.variable;
  return false;
}

// The variable with the fewest states left for what its functions weigh; the one that failed last
// first (Lecoutre et al. 2009). False when all are decided.
bool Search::choose(Decision& decision) {
  Id chosen = ~Id{0};
  if (last_failed_ != ~Id{0} && store_.open(last_failed_)) {
    chosen = last_failed_;
  } else {
    double best = kInfinity;
    for (Id v : variables_) {
      if (!store_.open(v)) continue;
      double weight = 0;
      for (const Place& place : store_.places(v)) {
        if (store_.gone(place.function)) continue;
        std::size_t open = 0;
        for (const Axis& axis : store_.axes(place.function)) open += store_.open(axis.variable);
        if (open > 1) weight += propagation_.weight(place.function);
      }
      const double score = static_cast<double>(store_.left(v).size()) / (1e-9 + weight);
      if (score < best) {
        best = score;
        chosen = v;
      }
    }
  }
  if (chosen == ~Id{0}) return false;
  const auto left = store_.left(chosen);
  std::uint32_t state = left.front();
  for (std::uint32_t x : left) {
    const double better = store_.unary(chosen, x) - store_.unary(chosen, state);
    if (better < 0 || (better == 0 && x < state)) state = x;
  }
  if (preferred_[chosen] != ~0u && store_.has(chosen, preferred_[chosen])) {
    state = preferred_[chosen];
  }
  decision = {chosen, state, true};
  return true;
}

std::uint64_t Search::bytes_of(const Node& node) {
  return kNode + node.path.size() * sizeof(Decision);
}

void Search::keep(double bound, std::vector<Decision> path) {
  open_.push_back({bound, ++kept_, std::move(path)});
  budget_.take(bytes_of(open_.back()));
  std::push_heap(open_.begin(), open_.end());
}

// Undoes decisions until one has an opposite that does not fail, and follows that. False at the
// root.
bool Search::back() {
  while (!frames_.empty()) {
    const Frame frame = frames_.back();
    frames_.pop_back();
    store_.undo(frame.mark);
    path_.resize(frame.depth);
    if (frame.bound < cutoff() && follow(opposite(frame.decision))) return true;
  }
  return false;
}

// Keeps all that is open at the present node and above it.
void Search::set_aside() {
  keep(store_.bound(), path_);
  while (!frames_.empty()) {
    const Frame& frame = frames_.back();
    path_.resize(frame.depth);
    path_.push_back(opposite(frame.decision));
    if (frame.bound < cutoff()) keep(frame.bound, path_);
    frames_.pop_back();
  }
}

bool Search::restore(const Node& node) {
  path_ = node.path;
  for (const Decision& d : path_) {
    const bool there = store_.has(d.variable, d.state);
    if (d.taken ? !there : there && !store_.open(d.variable)) return false;
    if (there) decide(d);
  }
  replayed_ += path_.size();
  return propagation_.run(cutoff(), step());
}

// Whether all that is open on the way may be kept.
bool Search::room() const {
  const std::uint64_t more = (frames_.size() + 1) * (kNode + path_.size() * sizeof(Decision));
  return more <= budget_.max_bytes() - budget_.held();
}

// What is open on the way to the present node, when there is no time to keep it.
void Search::give_up() {
  unkept_ = store_.bound();
  for (const Frame& frame : frames_) unkept_ = std::min(unkept_, frame.bound);
}

void Search::offer() {
  std::vector<std::uint32_t> states(store_.size(), 0);
  for (Id v : variables_) {
    if (!store_.left(v).empty()) states[v] = store_.left(v).front();
  }
  store_.complete(states);
  const double cost = outside_.found(states);
  if (cost >= best_) return;
  best_ = cost;
  preferred_ = std::move(states);
}

// Depth first from the present node, until that many failures.
void Search::dive(std::uint64_t failures) {
  std::uint64_t failed = 0;
  while (true) {
    if (stopped()) return give_up();
    if (failed > failures && room()) return set_aside();
    if ((nodes_ & 63) == 0) improve();
    Decision decision;
    bool alive = choose(decision);
    if (alive) {
      frames_.push_back({store_.mark(), path_.size(), decision, store_.bound()});
      alive = follow(decision);
    } else {
      offer();
    }
    if (alive) continue;
    ++failed;
    if (!back()) return;
  }
}

void Search::adapt() {
  const double share = static_cast<double>(replayed_) / static_cast<double>(nodes_ + 1);
  if (share > kMostReplayed) {
    failures_at_once_ = std::min(2 * failures_at_once_, kMostFailures);
  } else if (share < kLeastReplayed) {
    failures_at_once_ = std::max<std::uint64_t>(failures_at_once_ / 2, 1);
  }
}

bool Search::run() {
  improve();
  store_.forget();
  propagation_.wake_all();
  if (!propagation_.run(cutoff(), step())) {
    bound_ = cutoff();
    return true;
  }
  store_.forget();
  const Store::Mark root = store_.mark();
  keep(store_.bound(), {});
  while (!open_.empty() && !stopped()) {
    improve();
    bound_ = std::max(bound_, std::min(open_.front().bound, cutoff()));
    if (outside_.on_bound) outside_.on_bound(std::min(bound_, cutoff()));
    if (open_.front().bound >= cutoff()) break;
    std::pop_heap(open_.begin(), open_.end());
    const Node node = std::move(open_.back());
    open_.pop_back();
    budget_.give_back(bytes_of(node));
    if (restore(node)) {
      last_failed_ = ~Id{0};
      dive(failures_at_once_);
      adapt();
    }
    store_.undo(root);
    frames_.clear();
  }
  const double open = std::min(unkept_, open_.empty() ? kInfinity : open_.front().bound);
  bound_ = std::max(bound_, std::min(open, cutoff()));
  return open >= cutoff();
}

}  // namespace fgnn::costs
