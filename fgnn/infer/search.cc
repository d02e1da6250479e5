#include "fgnn/infer/search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/infer/costs/tabu.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/map_frame.h"
#include "fgnn/infer/methods.h"
#include "fgnn/infer/search/neighbourhood.h"

namespace fgnn {
namespace {

constexpr std::uint64_t kTabuSteps = 100'000;  // at a time
constexpr int kOrders = 3;                     // per neighbourhood: the game has found one already
constexpr std::size_t kStarts = 4;             // of max-product, until one is allowed
constexpr double kMostOfTimePerRound = 0.2;    // of what is left, for widening

bool out_of_bounds(const Error& error) {
  return error.code() == ErrorCode::too_wide || error.code() == ErrorCode::too_large;
}

class Search {
 public:
  Search(const FactorGraph& graph, Domains domains, const SearchOptions& options,
         const Deadline& deadline, Incumbent& shared)
      : graph_(graph),
        domains_(std::move(domains)),
        options_(options),
        deadline_(deadline),
        neighbourhoods_(graph, domains_, deadline),
        threads_(options.threads == 0 ? default_threads() : options.threads),
        shared_(shared) {
    Budget budget("search", options.max_bytes / 2, deadline);
    try {
      tabu_.emplace(network_.emplace(graph, domains_, budget));
    } catch (const Error& error) {
      const bool unfit = error.code() == ErrorCode::unsupported || out_of_bounds(error) ||
                         out_of_time(error.code());
      if (!unfit) throw;
      network_.reset();
    }
  }

  Result run(std::vector<State> start) {
    take(std::move(start));
    Stage stage(options_.control, "search", 0);
    std::size_t idle = 0;
    while (!whole_ && idle < options_.cycles && !deadline_.expired()) {
      const double before = best_.score;
      widen(stage);
      if (!whole_) wander();
      idle = best_.score > before ? 0 : idle + 1;
    }
    Result result;
    result.assignment = best_.assignment;
    result.iterations = rounds_;
    result.status = whole_                ? Status::exact
                    : deadline_.expired() ? stopped_by(deadline_)
                                          : Status::converged;
    if (whole_) result.bound = best_.score;
    return result;
  }

 private:
  // From narrow neighbourhoods to wide ones, each width until it has stopped helping.
  void widen(Stage& stage) {
    double width = options_.narrowest;
    std::size_t idle = 0;
    while (!whole_ && width <= options_.widest && !deadline_.expired()) {
      const Stopwatch watch;
      const bool better = round(width);
      stage.now().score = best_.score;
      stage.advance();
      idle = better ? 0 : idle + 1;
      const bool affordable = watch.seconds() <= kMostOfTimePerRound * deadline_.remaining();
      if (too_wide_) return;
      if (idle < options_.patience || !affordable) continue;
      idle = 0;
      ++width;
    }
  }

  // Single changes, also for the worse, and back to the best.
  void wander() {
    if (!tabu_ || deadline_.expired()) return;
    std::vector<std::uint32_t> states;
    if (!network_->encode(best_.assignment, states)) return;
    Rng rng(options_.seed, ++rounds_);
    if (tabu_->run(states, kTabuSteps, rng, deadline_)) take(network_->decode(states));
  }

  // Keeps it if it is the best, or what others have found if that is better still.
  bool take(std::vector<State> assignment) {
    const double score = graph_.score(assignment);
    const bool better = score > best_.score;
    if (better) {
      shared_.offer(assignment, score);
      best_ = {std::move(assignment), score};
    }
    if (shared_.score() > best_.score) best_ = shared_.best();
    return better;
  }

  // Every thread tries a neighbourhood of the same assignment; the best of them is kept.
  bool round(double width) {
    std::vector<Solution> found(static_cast<std::size_t>(threads_));
    std::vector<char> all(found.size(), 0), wide(found.size(), 0);
    ++rounds_;
    parallel_tasks(threads_, found.size(), [&](std::size_t i) {
      Rng rng(options_.seed, rounds_ * found.size() + i);
      const auto neighbourhood = neighbourhoods_.draw(width, rng);
      try {
        found[i] = optimise(neighbourhood);
        all[i] = neighbourhood.held == 0 && !found[i].assignment.empty();
      } catch (const Error& error) {
        if (!out_of_bounds(error)) throw;
        wide[i] = 1;
      }
    });
    too_wide_ = std::ranges::all_of(wide, [](char w) { return w; });
    whole_ = std::ranges::any_of(all, [](char a) { return a; });
    const auto best = std::ranges::max_element(found, {}, &Solution::score);
    return best->score > best_.score && take(std::move(best->assignment));
  }

  // The best assignment that agrees with the present one on all variables that are held; none when
  // time runs out.
  Solution optimise(const search::Neighbourhood& neighbourhood) const {
    std::vector<double> unaries(graph_.unaries().size(), kForbidden);
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      const auto keep = [&](State x) { unaries[graph_.state_offset(v) + x] = graph_.unary(v)[x]; };
      if (neighbourhood.free[v]) {
        for (State x : domains_.allowed[v]) keep(x);
      } else {
        keep(best_.assignment[v]);
      }
    }
    ExactOptions exact;
    exact.max_bytes = options_.max_bytes / static_cast<std::uint64_t>(threads_);
    exact.orders = kOrders;
    exact.threads = 1;
    exact.control.stop = options_.control.stop;
    exact.time_limit = std::max(deadline_.remaining(), 1e-6);
    try {
      Result result = exact_map(graph_.with_unaries(std::move(unaries)), exact);
      return {std::move(result.assignment), result.score};
    } catch (const Error& error) {
      if (error.code() != ErrorCode::time_limit && error.code() != ErrorCode::interrupted) throw;
      return {};
    }
  }

  const FactorGraph& graph_;
  Domains domains_;
  const SearchOptions& options_;
  Deadline deadline_;
  search::Neighbourhoods neighbourhoods_;
  int threads_;
  Incumbent& shared_;
  std::optional<costs::Network> network_;  // where factors are small enough
  std::optional<costs::Tabu> tabu_;
  bool too_wide_ = false;  // every neighbourhood of the last round
  bool whole_ = false;     // one that holds nothing was optimised
  std::size_t rounds_ = 0;
  Solution best_;
};

// What max-product finds, with less and less of the old messages kept until it is allowed.
std::vector<State> first_assignment(const FactorGraph& graph, const SearchOptions& options,
                                    const Deadline& deadline) {
  const Method& method = find_method(Query::map, "max-product");
  MethodOptions how;
  how.max_bytes = options.max_bytes;
  how.threads = options.threads;
  how.control.stop = options.control.stop;
  std::vector<State> best;
  double score = kForbidden;
  for (std::size_t i = 0; i < kStarts && score == kForbidden && !deadline.expired(); ++i) {
    how.seed = options.seed + i;
    if (i > 0) how.damping = 0.2 * static_cast<double>(i);
    how.time_limit = deadline.remaining();
    Result result = method.solve(graph, how, {});
    if (best.empty() || result.score > score) {
      best = std::move(result.assignment);
      score = result.score;
    }
  }
  return best;
}

Result search_from(const FactorGraph& graph, const SearchOptions& options, std::vector<State> start,
                   const Deadline& deadline, PhaseClock& clock, Incumbent& shared) {
  clock.begin("pruning");
  Domains domains = find_domains(graph, true, deadline);
  if (!domains.contradiction.empty()) return infeasible(domains.contradiction);
  clock.begin("first answer");
  if (start.empty()) start = first_assignment(graph, options, deadline);
  Result none;
  none.status = deadline.expired() ? stopped_by(deadline) : Status::iteration_limit;
  if (start.size() != graph.num_variables()) return none;
  if (graph.score(start) == kForbidden) {
    none.assignment = std::move(start);
    return none;
  }
  clock.begin("rounds");
  return Search(graph, std::move(domains), options, deadline, shared).run(std::move(start));
}

}  // namespace

Fields fields(const SearchOptions& o) {
  return Fields()
      .add("narrowest", o.narrowest)
      .add("widest", o.widest)
      .add("patience", o.patience)
      .add("cycles", o.cycles)
      .add("threads", o.threads)
      .add("seed", o.seed)
      .add("time limit", o.time_limit);
}

void SearchOptions::validate() const {
  const auto refuse = [](const char* what, const char* why) {
    throw Error(ErrorCode::usage, what, why);
  };
  if (!(narrowest >= 1)) refuse("narrowest", "must be at least 1");
  if (!(widest >= narrowest)) refuse("widest", "must be at least the narrowest");
  if (patience == 0) refuse("patience", "must be at least 1");
  if (cycles == 0) refuse("cycles", "must be at least 1");
  if (threads < 0) refuse("threads", "must be 0 (all) or more");
  if (!(time_limit > 0)) refuse("time limit", "must be positive");
}

Result neighbourhood_search(const FactorGraph& graph, const SearchOptions& options,
                            const Evidence& evidence, std::vector<State> start, Incumbent* shared) {
  return answer_map("search", graph, options, evidence, 0,
                    [&](const FactorGraph& given, const Deadline& deadline, PhaseClock& clock) {
                      Incumbent own;
                      Incumbent& best = shared != nullptr ? *shared : own;
                      Result result =
                          search_from(given, options, std::move(start), deadline, clock, best);
                      result.trace = best.trace();
                      return result;
                    });
}

}  // namespace fgnn
