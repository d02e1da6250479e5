#include "fgnn/experiments/synthetic/contest.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/infer/ad3.h"

namespace fgnn::synthetic {
namespace {

// Scores that differ by rounding are the same.
constexpr double kSame = 1e-6;

bool reaches(double score, double other) { return score >= other - kSame * (1 + std::abs(other)); }

Problem problem_of(SyntheticInstance numbers) {
  Problem problem;
  problem.graph = numbers.graph();
  problem.best = exact_labels(numbers);
  problem.optimum = problem.graph.score(problem.best);
  problem.bound = ad3(problem.graph).bound;
  problem.numbers = std::move(numbers);
  return problem;
}

std::string text_of(const std::vector<Entrant>& entrants) {
  std::string text;
  for (const Entrant& e : entrants) {
    text += e.method + ": " + e.how + " " + e.identity + " " + e.note + "\n";
  }
  return text;
}

}  // namespace

void Standing::add(const Problem& problem, const Answer& answer) {
  if (answer.assignment.empty()) return;
  std::size_t equal = 0;
  for (std::size_t v = 0; v < problem.best.size(); ++v) {
    equal += answer.assignment[v] == problem.best[v];
  }
  agreement.add_graph(static_cast<double>(equal), static_cast<double>(problem.best.size()));
  const double score = problem.graph.score(answer.assignment);
  const bool allowed = score != kForbidden;
  feasible.add(allowed ? 100 : 0);
  exact.add(allowed && reaches(score, problem.optimum) ? 100 : 0);
  proved.add(allowed && reaches(score, problem.bound) ? 100 : 0);
  microseconds.add(1e6 * answer.seconds);
  if (!allowed) return;
  score_gap.add(std::max(0.0, problem.optimum - score));
  left_open.add(100 * std::max(0.0, problem.bound - score) / std::max(std::abs(score), 1e-9));
}

void Standing::add(const Standing& other) {
  agreement.add(other.agreement);
  exact.add(other.exact);
  feasible.add(other.feasible);
  score_gap.add(other.score_gap);
  left_open.add(other.left_open);
  proved.add(other.proved);
  microseconds.add(other.microseconds);
}

std::vector<Standing> contest(const Problems& problems, const std::vector<Entrant>& entrants,
                              const ContestOptions& options) {
  cluster::Group& group = *options.group;
  group.check_same("methods", text_of(entrants));
  if (std::ranges::none_of(entrants, [](const Entrant& e) { return bool(e.solver); })) {
    return std::vector<Standing>(entrants.size());
  }
  const cluster::Share mine =
      cluster::share((options.count + options.batch - 1) / options.batch, group);
  // By batch, so that sums are added in one order whatever the threads and ranks.
  std::vector<Standing> parts(mine.size() * entrants.size());
  Stage stage(options.control, options.label,
              static_cast<double>(std::min(options.count, mine.size() * options.batch)));
  std::mutex mutex;
  parallel_for(options.threads, mine.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::vector<Solver> solvers;
    for (const Entrant& e : entrants) solvers.push_back(e.solver ? e.solver() : Solver());
    for (std::size_t b = begin; b < end; ++b) {
      if (options.control.stop.stop_requested()) {
        throw Error(ErrorCode::interrupted, options.label, "interrupted", options.stopped);
      }
      std::vector<Problem> batch;
      const std::uint64_t first = (mine.begin + b) * options.batch;
      const std::uint64_t last = std::min<std::uint64_t>(options.count, first + options.batch);
      for (std::uint64_t i = first; i < last; ++i) {
        batch.push_back(problem_of(problems(i)));
      }
      for (std::size_t e = 0; e < solvers.size(); ++e) {
        if (!solvers[e]) continue;
        const auto answers = solvers[e](batch);
        Standing& part = parts[b * entrants.size() + e];
        for (std::size_t i = 0; i < batch.size(); ++i) part.add(batch[i], answers[i]);
      }
      const std::lock_guard lock(mutex);
      stage.advance(static_cast<double>(batch.size()));
    }
  });
  std::vector<Standing> all(entrants.size());
  parts = group.join(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) all[i % all.size()].add(parts[i]);
  return all;
}

}  // namespace fgnn::synthetic
