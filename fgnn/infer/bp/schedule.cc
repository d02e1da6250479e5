#include "fgnn/infer/bp/schedule.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include "fgnn/core/budget.h"
#include "fgnn/core/control.h"
#include "fgnn/core/error.h"
#include "fgnn/core/random.h"
#include "fgnn/infer/bp/indexed_heap.h"

namespace fgnn::bp {
namespace {

// One iteration at a time; returns the largest change.
template <class T>
using Iteration = std::function<double()>;

template <class T>
Iteration<T> in_order(Engine<T>& engine, const FactorGraph& graph, bool shuffled,
                      std::uint64_t seed, const Deadline& deadline) {
  std::vector<FactorId> order(graph.num_factors());
  std::iota(order.begin(), order.end(), FactorId{0});
  return [&engine, shuffled, order, rng = Rng(seed), clock = TimeCheck(deadline)]() mutable {
    if (shuffled) rng.shuffle(order);
    double residual = 0;
    for (FactorId c : order) {
      if (clock.late(engine.steps(c))) return kInfinity;
      residual = std::max(residual, engine.update_factor(c));
    }
    return residual;
  };
}

template <class T>
Iteration<T> layer_by_layer(Engine<T>& engine, const FactorGraph& graph) {
  return [&engine, all = layers(graph)] {
    double residual = 0;
    for (const auto& layer : all) residual = std::max(residual, engine.update_together(layer));
    return residual;
  };
}

// Always the factor whose messages would change most.
template <class T>
class Residual {
 public:
  Residual(Engine<T>& engine, const FactorGraph& graph, const Deadline& deadline)
      : engine_(engine), graph_(graph), clock_(deadline), queue_(graph.num_factors()) {
    for (FactorId c = 0; c < graph.num_factors(); ++c) propose(c);
  }

  // As many updates as there are factors; returns what is left at the top.
  double operator()() {
    for (std::size_t done = 0; done < graph_.num_factors() && queue_.top_key() > 0; ++done) {
      const FactorId c = queue_.top();
      if (clock_.late()) return kInfinity;
      engine_.commit(c);
      propose(c);
      for (VariableId v : graph_.scope(c)) {
        for (EdgeId e : graph_.edges(v)) {
          if (graph_.factor_of(e) != c) propose(graph_.factor_of(e));
        }
      }
    }
    return queue_.top_key();
  }

 private:
  void propose(FactorId c) {
    if (!clock_.late(engine_.steps(c))) queue_.set(c, engine_.propose(c));
  }

  Engine<T>& engine_;
  const FactorGraph& graph_;
  TimeCheck clock_;
  IndexedHeap queue_;
};

template <class T>
Iteration<T> iteration(Engine<T>& engine, const FactorGraph& graph, const BpOptions& options,
                       const Deadline& deadline) {
  switch (options.schedule) {
    case Schedule::sequential:
      return in_order(engine, graph, false, 0, deadline);
    case Schedule::random:
      return in_order(engine, graph, true, options.seed, deadline);
    case Schedule::layered:
      return layer_by_layer(engine, graph);
    case Schedule::residual:
      return Residual<T>(engine, graph, deadline);
    case Schedule::flooding:
      break;
  }
  return [&engine] { return engine.flood(); };
}

}  // namespace

std::vector<std::vector<FactorId>> layers(const FactorGraph& graph) {
  std::vector<std::vector<FactorId>> result;
  std::vector<std::uint32_t> next(graph.num_variables(), 0);  // first layer still free per variable
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    std::uint32_t layer = 0;
    for (VariableId v : graph.scope(c)) layer = std::max(layer, next[v]);
    for (VariableId v : graph.scope(c)) next[v] = layer + 1;
    if (result.size() <= layer) result.resize(layer + 1);
    result[layer].push_back(c);
  }
  return result;
}

namespace {

// What the potentials allow, propagated to its end (or the deadline). Null where a potential has
// neither a kernel nor a table that is made in time.
std::unique_ptr<Engine<double>> support(const FactorGraph& graph, const Deadline& deadline) {
  try {
    auto engine =
        std::make_unique<Engine<double>>(graph, Algebra::max, 1, 0, 1, deadline, /*support=*/true);
    engine->start(nullptr);
    while (engine->contradiction().empty() && !deadline.expired() && engine->flood() > 0) continue;
    return engine;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large && !out_of_time(error.code())) throw;
    return nullptr;
  }
}

// Whether messages forbid a state that the potentials do not: signed terms cancelled by rounding.
template <class T>
bool lost_states(const Engine<T>& engine, const FactorGraph& graph, const Deadline& deadline) {
  if (!engine.may_lose_states()) return false;
  const Marginals beliefs = engine.log_beliefs();
  const auto forbidden = [](double b) { return b == kForbidden; };
  if (std::ranges::none_of(beliefs.values(), forbidden)) return false;
  const auto allowed = support(graph, deadline);
  if (!allowed) return true;
  const Marginals supported = allowed->log_beliefs();
  for (std::size_t i = 0; i < beliefs.values().size(); ++i) {
    if (forbidden(beliefs.values()[i]) && !forbidden(supported.values()[i])) return true;
  }
  return false;
}

}  // namespace

std::string contradiction(const FactorGraph& graph, const Deadline& deadline) {
  const auto engine = support(graph, deadline);
  return engine ? engine->contradiction() : std::string();
}

void refute(const FactorGraph& graph, const Deadline& deadline, Result& result) {
  std::string why = contradiction(graph, deadline);
  if (why.empty()) return;
  result.status = Status::infeasible;
  result.message = std::move(why);
}

template <class T>
void run(Engine<T>& engine, const FactorGraph& graph, const BpOptions& options,
         const Deadline& deadline, Result& result) {
  Stage stage(options.control, "message passing", static_cast<double>(options.iterations));
  auto step = iteration(engine, graph, options, deadline);
  result.status = Status::iteration_limit;
  bool ran_away = false;
  while (engine.contradiction().empty() && result.iterations < options.iterations) {
    if (deadline.expired()) {
      result.status = stopped_by(deadline);
      break;
    }
    const double residual = step();
    ran_away = engine.ran_away();
    ++result.iterations;
    result.residuals.push_back(residual);
    stage.now().residual = residual;
    stage.advance();
    if (residual <= options.tolerance && options.tolerance > 0 && !deadline.expired()) {
      result.status = Status::converged;
      break;
    }
  }
  if (graph.num_factors() == 0 && engine.contradiction().empty()) result.status = Status::converged;
  if (!engine.contradiction().empty()) {
    result.message = contradiction(graph, deadline);
    result.status = result.message.empty() ? Status::diverged : Status::infeasible;
    if (result.message.empty()) {
      result.message = engine.contradiction() + ", which is rounding and proves nothing";
    }
  } else if (lost_states(engine, graph, deadline)) {
    result.status = Status::diverged;
    result.message = "signed terms cancel beyond the precision of a number";
  } else if (ran_away) {
    result.status = Status::diverged;
    result.message = "messages grow without end; more damping or --schedule residual may help";
  }
}

template void run(Engine<float>&, const FactorGraph&, const BpOptions&, const Deadline&, Result&);
template void run(Engine<double>&, const FactorGraph&, const BpOptions&, const Deadline&, Result&);

}  // namespace fgnn::bp
