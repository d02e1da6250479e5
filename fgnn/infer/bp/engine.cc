#include "fgnn/infer/bp/engine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "fgnn/core/budget.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/infer/factor_ranges.h"

namespace fgnn::bp {
namespace {

constexpr std::size_t kFactorGrain = 512;  // fewer factors than this are not worth a thread
constexpr std::uint64_t kStepsAtOnce = 1 << 20;
constexpr double kRunaway = 1000;  // times all potentials together: beyond reason

template <class T>
bool forbids(const std::vector<Group<T>>& groups) {
  for (const auto& g : groups) {
    if (g.kernel != Kernel::small_table && g.kernel != Kernel::table) return true;
    const T nothing = g.algebra == Algebra::sum ? T(0) : -std::numeric_limits<T>::infinity();
    if (std::find(g.numbers.begin(), g.numbers.end(), nothing) != g.numbers.end()) return true;
  }
  return false;
}

// The largest message that is let stand, in units of the temperature.
template <class T>
T message_limit(const FactorGraph& graph, double temperature) {
  double spread = 0;
  std::size_t arity = 0, degree = 0;
  const auto add = [&](const ScoreRange& range) {
    const double width = range.high - range.low;
    if (width > 0 && width < kInfinity) spread += width;
  };
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    ScoreRange own;
    for (double value : graph.unary(v)) own.include(value);
    add(own);
    spread += std::log(static_cast<double>(graph.states(v)));
    degree = std::max(degree, graph.edges(v).size());
  }
  FactorRanges ranges(graph);
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    add(ranges(c));
    arity = std::max(arity, graph.arity(c));
  }
  // Sums of messages at a variable, and of those at a factor, must not overflow either.
  const double most = static_cast<double>(std::numeric_limits<T>::max()) / 8 /
                      static_cast<double>((degree + 1) * (arity + 1));
  return static_cast<T>(std::min(most, kRunaway * (1 + spread) / temperature));
}

}  // namespace

template <class T>
Engine<T>::Engine(const FactorGraph& graph, Algebra algebra, double temperature, double damping,
                  int threads, const Deadline& deadline, bool support)
    : graph_(graph),
      temperature_(temperature),
      damping_(static_cast<T>(damping)),
      threads_(threads > 0 ? threads : default_threads()),
      deadline_(deadline),
      groups_(make_groups<T>(graph, algebra, temperature, deadline, support)),
      place_(graph.num_factors()),
      workspaces_(static_cast<std::size_t>(threads_)),
      limit_(message_limit<T>(graph, temperature)) {
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    for (std::uint32_t f = 0; f < groups_[g].size(); ++f) place_[groups_[g].factors[f]] = {g, f};
  }
  edge_start_.reserve(graph.num_edges());
  edge_stride_.reserve(graph.num_edges());
  std::size_t messages = 0;
  for (const auto& g : groups_) messages += g.message_count();
  if (messages >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::too_large, "belief propagation", "more than 2^32 message entries");
  }
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    for (EdgeId e : graph.edges(v)) {
      const FactorId c = graph.factor_of(e);
      const Group<T>& g = groups_[place_[c].group];
      edge_start_.push_back(
          static_cast<std::uint32_t>(g.at(place_[c].index, g.slot[e - graph.first_edge(c)])));
      edge_stride_.push_back(static_cast<std::uint32_t>(g.slot_stride()));
    }
  }
  any_forbidden_ = forbids(groups_);
  unary_.reserve(graph.total_states());
  for (double value : graph.unaries()) {
    unary_.push_back(support && value != kForbidden ? T(0) : static_cast<T>(value / temperature));
    any_forbidden_ |= value == kForbidden;
  }
  messages_.assign(messages, 0);
  belief_.assign(graph.total_states(), 0);
}

template <class T>
void Engine<T>::start(const Messages* warm) {
  std::fill(messages_.begin(), messages_.end(), T(0));
  if (warm != nullptr) {
    if (!warm->fits(graph_)) {
      throw Error(ErrorCode::model, "warm start", "the messages are of another graph");
    }
    for (EdgeId e = 0; e < graph_.num_edges(); ++e) {
      const FactorId c = graph_.factor_of(e);
      const Group<T>& g = groups_[place_[c].group];
      const std::size_t slot = g.slot[e - graph_.first_edge(c)];
      for (std::size_t x = 0; x < (*warm)[e].size(); ++x) {
        const double value = (*warm)[e][x] / temperature_;
        any_forbidden_ |= value == kForbidden;
        messages_[g.at(place_[c].index, slot + x)] = static_cast<T>(value);
      }
    }
  }
  blocked_.assign(any_forbidden_ ? belief_.size() : 0, T(0));
  contradiction_.clear();
  dead_variable_ = kAlive;
  refresh_all();
}

template <class T>
void Engine<T>::note(const UpdateResult& result, std::uint32_t group) {
  ran_away_ |= result.cut;
  if (result.contradiction != kNone && contradiction_.empty()) {
    const FactorId c = groups_[group].factors[result.contradiction];
    contradiction_ = graph_.describe(c) + " leaves no state allowed";
  }
}

template <class T>
Update<T> Engine<T>::arguments(std::uint32_t group, std::size_t begin, std::size_t end) {
  return {.group = &groups_[group],
          .begin = begin,
          .end = end,
          .belief = belief_.data(),
          .blocked = any_forbidden_ ? blocked_.data() : nullptr,
          .messages = messages_.data(),
          .out = messages_.data(),
          .damping = damping_,
          .limit = limit_};
}

template <class T>
bool Engine<T>::update_in_time(Update<T> args, Workspace<T>& workspace,
                               UpdateResult& result) const {
  const Group<T>& g = *args.group;
  const std::size_t last = args.end, tile = g.lanes() ? g.kTile : 1;
  const std::size_t run = std::max<std::size_t>(1, kStepsAtOnce / g.steps / tile) * tile;
  TimeCheck time(deadline_);
  for (; args.begin < last; args.begin = args.end) {
    args.end = std::min(last, args.begin + run);
    if (time.late(g.steps * (args.end - args.begin))) return false;
    const UpdateResult some = update(args, workspace);
    result.residual = std::max(result.residual, some.residual);
    result.cut |= some.cut;
    if (result.contradiction == kNone) result.contradiction = some.contradiction;
    if (args.log_z != nullptr) args.log_z += args.end - args.begin;
  }
  return true;
}

template <class T>
double Engine<T>::flood() {
  double residual = 0;
  std::mutex mutex;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    const std::size_t grain =
        std::max<std::size_t>(1, kFactorGrain / std::max<std::size_t>(1, groups_[g].width() / 4));
    parallel_for(threads_, groups_[g].size(), grain, [&](std::size_t begin, std::size_t end) {
      thread_local Workspace<T> workspace;
      UpdateResult result;
      if (!update_in_time(arguments(g, begin, end), workspace, result)) {
        result.residual = kInfinity;
      }
      const std::lock_guard lock(mutex);
      residual = std::max(residual, result.residual);
      note(result, g);
    });
  }
  refresh_all();
  return residual;
}

template <class T>
double Engine<T>::changes_by(std::uint32_t group, std::size_t begin, std::size_t end) {
  UpdateResult result;
  const bool done = update_in_time(arguments(group, begin, end), workspaces_[0], result);
  note(result, group);
  return done ? result.residual : kInfinity;
}

template <class T>
double Engine<T>::update_factor(FactorId c) {
  const Place at = place_[c];
  const double residual = changes_by(at.group, at.index, at.index + 1);
  refresh_around(c);
  return residual;
}

template <class T>
double Engine<T>::update_together(const std::vector<FactorId>& factors) {
  // Runs of neighbours in a group go to the kernel at once.
  double residual = 0;
  for (std::size_t i = 0; i < factors.size();) {
    const Place at = place_[factors[i]];
    std::size_t n = 1;
    while (i + n < factors.size() && place_[factors[i + n]].group == at.group &&
           place_[factors[i + n]].index == at.index + n) {
      ++n;
    }
    residual = std::max(residual, changes_by(at.group, at.index, at.index + n));
    i += n;
  }
  for (FactorId c : factors) refresh_around(c);
  return residual;
}

template <class T>
double Engine<T>::propose(FactorId c) {
  proposal_.resize(messages_.size());
  const Place at = place_[c];
  Update<T> args = arguments(at.group, at.index, at.index + 1);
  args.out = proposal_.data();
  const UpdateResult result = update(args, workspaces_[0]);
  note(result, at.group);
  return result.residual;
}

template <class T>
void Engine<T>::commit(FactorId c) {
  const Place at = place_[c];
  const Group<T>& g = groups_[at.group];
  for (std::size_t s = 0; s < g.width(); ++s) {
    messages_[g.at(at.index, s)] = proposal_[g.at(at.index, s)];
  }
  refresh_around(c);
}

template <class T>
void Engine<T>::clamp(VariableId v, State x) {
  if (!any_forbidden_) {
    any_forbidden_ = true;
    blocked_.assign(belief_.size(), T(0));
  }
  for (State y = 0; y < graph_.states(v); ++y) {
    if (y != x) unary_[graph_.state_offset(v) + y] = -std::numeric_limits<T>::infinity();
  }
  refresh(v);
}

template class Engine<float>;
template class Engine<double>;

}  // namespace fgnn::bp
