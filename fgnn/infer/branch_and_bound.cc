#include "fgnn/infer/branch_and_bound.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/infer/ad3/propagate.h"
#include "fgnn/infer/ad3/solver.h"
#include "fgnn/infer/map_frame.h"
#include "fgnn/infer/repair.h"

namespace fgnn {
namespace {

struct Node {
  double bound = kInfinity;
  std::size_t number = 0;  // in order of creation
  Domains domains;
  std::shared_ptr<const admm::Warm> warm;
  VariableId split = 0;  // the variable to be split, and the state to be tried
  State state = 0;
};

// Best bound first; among equals the youngest, which is the deepest.
struct Before {
  bool operator()(const Node& a, const Node& b) const {
    return a.bound != b.bound ? a.bound < b.bound : a.number < b.number;
  }
};

class Search {
 public:
  Search(const FactorGraph& graph, const BranchOptions& options, const Deadline& deadline,
         PhaseClock& clock)
      : graph_(graph),
        options_(options),
        ad3_(options.ad3),
        deadline_(deadline),
        tables_(deadline_),
        clock_(clock) {
    ad3_.gap = options.gap;
  }

  Result run(std::vector<State> start) {
    if (!start.empty()) best_ = {start, graph_.score(start)};
    clock_.begin("pruning");
    Domains root = find_domains(graph_, true, deadline_);
    if (root.contradiction.empty()) admm::propagate(graph_, root, {}, deadline_);
    if (root.contradiction.empty()) {
      solve({.domains = std::move(root)}, options_.ad3.iterations);
    } else {
      why_infeasible_ = std::move(root.contradiction);
    }
    Stage stage(options_.control, "branch and bound", 0);
    while (!open_.empty() && open_.front().bound > cutoff() && !stopped()) {
      if (best_.score != kForbidden) stage.now().score = best_.score;
      stage.now().bound = open_.front().bound;
      stage.advance();
      std::pop_heap(open_.begin(), open_.end(), Before{});
      const Node node = std::move(open_.back());
      open_.pop_back();
      branch(node);
    }
    return answer();
  }

 private:
  double cutoff() const { return best_.score + options_.gap; }
  bool stopped() const { return deadline_.expired() || solved_ >= options_.nodes; }

  // Both children are made even when time runs out between them: nothing may get lost.
  void branch(const Node& node) {
    for (const bool same : {true, false}) {
      Node child{.bound = node.bound, .domains = node.domains, .warm = node.warm};
      std::erase_if(child.domains.allowed[node.split],
                    [&](State x) { return (x == node.state) != same; });
      const VariableId changed[] = {node.split};
      if (!admm::propagate(graph_, child.domains, changed)) continue;
      solve(std::move(child), options_.node_iterations);
    }
  }

  void solve(Node node, std::size_t iterations) {
    clock_.begin("relaxations");
    admm::Solver solver(graph_, node.domains, tables_, ad3_, node.warm.get());
    if (!solver.feasible()) {
      why_infeasible_ = solver.contradiction();
      return;
    }
    ++solved_;
    solver.run({.iterations = iterations, .cutoff = cutoff(), .deadline = deadline_});
    iterations_ += solver.iterations();
    node.bound = std::min(node.bound, solver.bound());
    clock_.begin("repair");
    offer(solver.rounded());
    clock_.begin("search");
    if (node.bound <= cutoff()) {
      highest_dropped_ = std::max(highest_dropped_, node.bound);
      return;
    }
    auto warm = std::make_shared<admm::Warm>(solver.warm());
    choose_split(node, warm->marginals);
    if (node.domains.allowed[node.split].size() < 2) {  // all decided: the bound is the score
      highest_dropped_ = std::max(highest_dropped_, node.bound);
      return;
    }
    node.warm = std::move(warm);
    node.number = ++created_;
    open_.push_back(std::move(node));
    std::push_heap(open_.begin(), open_.end(), Before{});
  }

  void offer(std::vector<State> x) {
    const double score = graph_.score(x);
    if (score > best_.score) best_ = {x, score};
    if (!options_.ad3.repair) return;
    Repair repaired = repair(graph_, std::move(x), options_.ad3.seed + solved_, deadline_);
    if (repaired.feasible && repaired.score > best_.score) {
      best_ = {std::move(repaired.assignment), repaired.score};
    }
  }

  // The least decided variable; among equals the one in most factors.
  void choose_split(Node& node, const Marginals& marginals) const {
    double least = kInfinity;
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      const auto& left = node.domains.allowed[v];
      if (left.size() < 2) continue;
      const auto p = marginals[v];
      const State likely =
          *std::ranges::max_element(left, [&](State x, State y) { return p[x] < p[y]; });
      const double decided = p[likely];
      const bool tie = least != kInfinity && std::abs(decided - least) <= 1e-6;
      if (tie ? graph_.edges(v).size() <= graph_.edges(node.split).size() : decided > least) {
        continue;
      }
      least = decided;
      node.split = v;
      node.state = likely;
    }
  }

  Result answer() {
    const bool proved = open_.empty() || open_.front().bound <= cutoff();
    Result result;
    if (proved && best_.score == kForbidden) {
      result = infeasible(solved_ > 0 ? "" : std::move(why_infeasible_));
    } else {
      result.assignment = std::move(best_.assignment);
      result.bound = std::max(best_.score, highest_dropped_);
      if (!open_.empty()) result.bound = std::max(result.bound, open_.front().bound);
      if (!proved) {
        result.status = deadline_.expired() ? stopped_by(deadline_) : Status::iteration_limit;
        result.message = fmt::format("stopped after {} nodes, {} open", solved_, open_.size());
      }
    }
    result.iterations = iterations_;
    return result;
  }

  const FactorGraph& graph_;
  const BranchOptions& options_;
  Ad3Options ad3_;
  Deadline deadline_;
  TableStore tables_;
  PhaseClock& clock_;
  std::vector<Node> open_;  // a heap
  Solution best_;
  double highest_dropped_ = kForbidden;  // bound among the nodes that could not win
  std::size_t solved_ = 0, created_ = 0, iterations_ = 0;
  std::string why_infeasible_;
};

}  // namespace

Fields fields(const BranchOptions& o) {
  Fields all;
  all.add("node iterations", o.node_iterations).add("gap", o.gap);
  if (o.nodes == std::numeric_limits<std::size_t>::max()) {
    all.add("nodes", "any");
  } else {
    all.add("nodes", o.nodes);
  }
  all.add("time limit", o.time_limit);
  for (const Field& field : fields(o.ad3)) {  // of the root
    if (all.find(field.name) == nullptr) all.add(field.name, field.value);
  }
  return all;
}

void BranchOptions::validate() const {
  ad3.validate();
  const auto refuse = [](const char* what, const char* why) {
    throw Error(ErrorCode::usage, what, why);
  };
  if (!(gap >= 0)) refuse("gap", "must be 0 or more");
  if (!(time_limit > 0)) refuse("time limit", "must be positive");
  if (nodes == 0) refuse("nodes", "must be at least 1");
}

Result ad3_exact(const FactorGraph& graph, const BranchOptions& options, const Evidence& evidence,
                 std::vector<State> start) {
  return answer_map("ad3-exact", graph, options, evidence, options.gap,
                    [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
                      return Search(given, options, deadline, clock).run(std::move(start));
                    });
}

}  // namespace fgnn
