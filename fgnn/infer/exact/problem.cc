#include "fgnn/infer/exact/problem.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/infer/exact/counter.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn::exact {
namespace {

class Restater {
 public:
  Restater(const FactorGraph& graph, const Domains& domains, ExactTask task)
      : graph_(graph), domains_(domains), task_(task) {}

  Problem run(std::uint64_t expand_up_to) {
    add_variables();
    for (FactorId c = 0; c < graph_.num_factors(); ++c) {
      const auto shape = graph_.shape(c);
      if (configurations(shape) > expand_up_to && add_structured(c, shape)) {
        p_.counters.push_back(c);
      } else {
        add_factor(c, shape);
      }
    }
    return std::move(p_);
  }

 private:
  void add_variables() {
    p_.of.resize(graph_.num_variables());
    p_.only_state.assign(graph_.num_variables(), 0);
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      const auto& allowed = domains_.allowed[v];
      if (allowed.size() == 1) {
        p_.only_state[v] = allowed[0];
      } else {
        p_.of[v] = static_cast<Id>(p_.variables.size());
        p_.variables.push_back({v, static_cast<State>(allowed.size())});
        p_.domain.push_back(allowed);
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
    source.variables.push_back(*p_.of[v]);
    auto& offsets = source.offsets.emplace_back();
    for (State x : domains_.allowed[v]) offsets.push_back(offset(x));
  }

  void read_extra(Source& source, Id extra, std::size_t stride) {
    source.variables.push_back(extra);
    auto& offsets = source.offsets.emplace_back();
    for (State x = 0; x < p_.variables[extra].states; ++x) offsets.push_back(x * stride);
  }

  Id new_extra(std::size_t states) {
    p_.variables.push_back({kExtra, static_cast<State>(states)});
    p_.domain.emplace_back();
    return static_cast<Id>(p_.variables.size() - 1);
  }

  void add_factor(FactorId c, const std::vector<State>& shape) {
    Source source{.kind = Source::Kind::table, .subject = c};
    const auto scope = graph_.scope(c);
    const Potential& potential = graph_.potential(c);
    if (const auto* count = dynamic_cast<const Count*>(&potential)) {
      source.kind = Source::Kind::count;
      for (std::size_t i = 0; i < scope.size(); ++i) {
        read(source, scope[i], [&](State x) { return std::size_t{count->is_chosen(i, x)}; });
      }
    } else if (dynamic_cast<const Parity*>(&potential)) {
      source.kind = Source::Kind::parity;
      for (VariableId v : scope) read(source, v, [](State x) { return std::size_t{x}; });
    } else {
      if (configurations(shape) > kMaxTableEntries && !dynamic_cast<const Table*>(&potential)) {
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

  bool add_structured(FactorId c, const std::vector<State>& shape) {
    if (auto machine = automaton(graph_.potential(c), shape)) {
      add_automaton(c, *machine, shape);
      return true;
    }
    if (auto terms = star(graph_.potential(c), shape, task_)) {
      add_star(c, *terms, shape);
      return true;
    }
    return false;
  }

  // Tables over (state before, x, state after) along the scope; the last holds the values.
  void add_automaton(FactorId c, const Automaton& machine, const std::vector<State>& shape) {
    const auto scope = graph_.scope(c);
    const std::size_t n = scope.size();
    std::optional<Id> before;
    for (std::size_t i = 0; i < n; ++i) {
      const bool last = i + 1 == n;
      const std::size_t from = before ? p_.variables[*before].states : 1;
      const std::size_t to = last ? 1 : machine.states[i];
      const std::optional<Id> after = last ? std::nullopt : std::optional(new_extra(to));
      Source part;
      part.values.assign(from * shape[i] * to, kForbidden);
      for (std::uint32_t state = 0; state < from; ++state) {
        for (State x = 0; x < shape[i]; ++x) {
          double* row = &part.values[(state * shape[i] + x) * to];
          if (last) {
            row[0] = machine.finish(state, x);
          } else if (const auto next = machine.next(i, state, x); next != Automaton::kDead) {
            row[next] = 0;
          }
        }
      }
      if (before) read_extra(part, *before, shape[i] * to);
      read(part, scope[i], [&](State x) { return x * to; });
      if (after) read_extra(part, *after, 1);
      p_.sources.push_back(std::move(part));
      before = after;
    }
  }

  void add_star(FactorId c, const Star& terms, const std::vector<State>& shape) {
    const auto scope = graph_.scope(c);
    const std::size_t size = terms.log_weight.size();
    const Id z = new_extra(size);
    Source weight{.values = terms.log_weight};
    read_extra(weight, z, 1);
    p_.sources.push_back(std::move(weight));
    for (std::size_t j = 0; j < shape.size(); ++j) {
      Source part{.values = terms.log_weights[j]};
      read(part, scope[j], [&](State x) { return x * size; });
      read_extra(part, z, 1);
      p_.sources.push_back(std::move(part));
    }
  }

  const FactorGraph& graph_;
  const Domains& domains_;
  ExactTask task_;
  Problem p_;
};

}  // namespace

Problem restate(const FactorGraph& graph, const Domains& domains, ExactTask task,
                std::uint64_t expand_up_to) {
  return Restater(graph, domains, task).run(expand_up_to);
}

bool has_structure(const FactorGraph& graph, FactorId c, ExactTask task) {
  const auto shape = graph.shape(c);
  const Potential& p = graph.potential(c);
  return automaton(p, shape).has_value() || star(p, shape, task).has_value();
}

}  // namespace fgnn::exact
