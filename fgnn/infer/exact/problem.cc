#include "fgnn/infer/exact/problem.h"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/infer/exact/offset_pool.h"
#include "fgnn/potentials/table.h"

namespace fgnn::exact {
namespace {

// Null where the factor is read as it is.
std::unique_ptr<Machine> machine_of(const Potential& potential, Shape shape, ExactTask task,
                                    std::uint64_t expand_up_to) {
  if (shape.size() < 2 || configurations(shape) <= expand_up_to) return nullptr;
  return potential.machine(shape, reduction_of(task));
}

class Restater {
 public:
  Restater(const FactorGraph& graph, const Domains& domains, ExactTask task, const Budget& budget)
      : graph_(graph),
        domains_(domains),
        task_(task),
        budget_(budget),
        time_(budget.deadline()),
        pool_(p_.offsets) {}

  Problem run(std::uint64_t expand_up_to) {
    p_.reduction = reduction_of(task_);
    add_variables();
    for (FactorId c = 0; c < graph_.num_factors(); ++c) {
      const auto shape = graph_.shape(c);
      look_at_clock(shape.size());
      if (const auto machine = machine_of(graph_.potential(c), shape, task_, expand_up_to)) {
        add_machine(c, *machine);
        p_.machines.push_back(c);
      } else {
        add_factor(c, shape);
      }
    }
    return std::move(p_);
  }

 private:
  void look_at_clock(std::uint64_t steps) {
    if (time_.late(32 * steps)) budget_.check_time();
  }

  void add_variables() {
    p_.of.resize(graph_.num_variables());
    p_.only_state.assign(graph_.num_variables(), 0);
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      look_at_clock(1);
      const auto& allowed = domains_.allowed[v];
      if (allowed.size() == 1) {
        p_.only_state[v] = allowed[0];
      } else {
        p_.of[v] = static_cast<Id>(p_.variables.size());
        p_.variables.push_back({v, static_cast<State>(allowed.size())});
      }
      Source unary{.kind = Source::Kind::unary, .subject = v};
      read(unary, v, [](State x) { return std::size_t{x}; });
      p_.sources.push_back(std::move(unary));
    }
  }

  // Lets `source` be read at variable v through these offsets.
  template <class Offset>
  void read(Source& source, VariableId v, Offset offset) {
    if (!p_.of[v]) {
      source.base += offset(p_.only_state[v]);
      return;
    }
    list_.clear();
    for (State x : domains_.allowed[v]) list_.push_back(offset(x));
    source.axes.push_back({*p_.of[v], pool_.add(list_)});
  }

  // Where offset(0) … offset(states - 1) stand.
  template <class Offset>
  std::uint32_t listed(std::uint32_t states, Offset offset) {
    list_.clear();
    for (State x = 0; x < states; ++x) list_.push_back(offset(x));
    return pool_.add(list_);
  }

  Id new_extra(std::size_t states) {
    p_.variables.push_back({kExtra, static_cast<State>(states)});
    return static_cast<Id>(p_.variables.size() - 1);
  }

  void add_factor(FactorId c, const std::vector<State>& shape) {
    Source source{.kind = Source::Kind::table, .subject = c};
    const auto scope = graph_.scope(c);
    const Potential& potential = graph_.potential(c);
    const Stored stored = potential.stored();
    if (const Counting* count = stored.counting) {
      source.kind = Source::Kind::count;
      for (std::size_t i = 0; i < scope.size(); ++i) {
        read(source, scope[i], [&](State x) { return std::size_t{count->is_chosen(i, x)}; });
      }
    } else {
      if (configurations(shape) > kMaxTableEntries && stored.table == nullptr) {
        throw Error(ErrorCode::too_large, graph_.describe(c),
                    fmt::format("{} over {} variables has no form that exact elimination can use "
                                "and too large a table",
                                potential.kind(), scope.size()),
                    "use an approximate method");
      }
      std::size_t stride = configurations(shape);
      for (std::size_t i = 0; i < scope.size(); ++i) {
        stride /= shape[i];
        read(source, scope[i], [&](State x) { return x * stride; });
      }
    }
    p_.sources.push_back(std::move(source));
  }

  // One source per position, over (mode, state before, x, state after). Where all positions read
  // the machine's states alike, the list of the longest serves all.
  void add_machine(FactorId c, const Machine& machine) {
    const auto scope = graph_.scope(c);
    const std::size_t last = scope.size() - 1;
    const auto before = [&](std::size_t i, std::uint32_t states) {
      return listed(states, [&](State s) { return machine.before(i, s); });
    };
    const auto after = [&](std::size_t i) {
      return listed(machine.states(i), [&](State t) { return machine.after(i, t); });
    };
    const bool uniform = machine.uniform() && last > 1;
    const std::uint32_t all_before = uniform ? before(last - 1, machine.states(last - 2)) : 0;
    const std::uint32_t all_after = uniform ? after(last - 1) : 0;
    const std::optional<Id> mode = add_mode(c, machine);
    std::optional<Id> state;
    for (std::size_t i = 0; i <= last; ++i) {
      Source part{.kind = Source::Kind::machine, .subject = c};
      if (mode) {
        part.axes.push_back(
            {*mode, listed(machine.modes(), [&](State z) { return machine.mode(i, z); })});
      }
      if (state) {
        const bool shared = uniform && i < last;
        part.axes.push_back({*state, shared ? all_before : before(i, p_.variables[*state].states)});
      } else {
        part.base += machine.before(i, 0);
      }
      read(part, scope[i], [&](State x) { return machine.reads(i, x); });
      state.reset();
      if (i < last && machine.states(i) > 1) {
        state = new_extra(machine.states(i));
        part.axes.push_back({*state, uniform ? all_after : after(i)});
      } else if (i < last) {
        part.base += machine.after(i, 0);
      }
      p_.sources.push_back(std::move(part));
      look_at_clock(1);
    }
  }

  // The mode of a machine that has one, with a source for their weights.
  std::optional<Id> add_mode(FactorId c, const Machine& machine) {
    if (machine.modes() == 0) return std::nullopt;
    const Id mode = new_extra(machine.modes());
    Source weight{.kind = Source::Kind::machine, .subject = c};
    weight.axes.push_back(
        {mode, listed(machine.modes(), [&](State z) { return machine.weight(z); })});
    p_.sources.push_back(std::move(weight));
    return mode;
  }

  const FactorGraph& graph_;
  const Domains& domains_;
  ExactTask task_;
  const Budget& budget_;
  TimeCheck time_;
  Problem p_;
  OffsetPool<std::size_t> pool_;
  std::vector<std::size_t> list_;  // scratch
};

}  // namespace

Reduction reduction_of(ExactTask task) {
  switch (task) {
    case ExactTask::marginals:
      return Reduction::sum;
    case ExactTask::map:
      return Reduction::max;
    default:
      return Reduction::each;
  }
}

Problem restate(const FactorGraph& graph, const Domains& domains, ExactTask task,
                std::uint64_t expand_up_to, const Budget& budget) {
  return Restater(graph, domains, task, budget).run(expand_up_to);
}

std::uint64_t planning_bytes(const FactorGraph& graph, const Domains& domains, ExactTask task,
                             std::uint64_t expand_up_to) {
  // As measured: a variable with its places in queues and its bucket; one that has neighbours with
  // lists of them and a message; a source with its axes and the bucket's view of it. Lists of
  // neighbours are quadratic in the scope.
  constexpr double kAlone = 220, kJoined = 380, kPerSource = 150, kPerPair = 2 * sizeof(Id);
  double total = 0;
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    const bool decided = domains.allowed[v].size() == 1;
    total += kPerSource + (decided ? 16 : graph.edges(v).empty() ? kAlone : kJoined);
  }
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    const auto shape = graph.shape(c);
    const auto arity = static_cast<double>(shape.size());
    const auto machine = machine_of(graph.potential(c), shape, task, expand_up_to);
    if (machine == nullptr) {
      double open = 0;
      for (VariableId v : graph.scope(c)) open += domains.allowed[v].size() > 1;
      total += kPerSource + kPerPair * open * open;
      continue;
    }
    total += arity * kPerSource;
    if (machine->modes() > 0) total += kPerSource + kJoined;
    if (machine->states(0) > 1) total += arity * kJoined;
  }
  return total < 1.8e19 ? static_cast<std::uint64_t>(total) : Budget::kNoLimit;
}

bool has_structure(const FactorGraph& graph, FactorId c, ExactTask task) {
  return machine_of(graph.potential(c), graph.shape(c), task, 0) != nullptr;
}

}  // namespace fgnn::exact
