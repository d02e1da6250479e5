#include "fgnn/infer/belief_propagation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/log_math.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/timing.h"
#include "fgnn/infer/bp/engine.h"
#include "fgnn/infer/bp/schedule.h"
#include "fgnn/infer/decode.h"
#include "fgnn/infer/finish.h"
#include "fgnn/potentials/table.h"

namespace fgnn {
namespace {

template <class T>
Result sum_product_in(const FactorGraph& graph, const BpOptions& options, const Messages* warm,
                      const Deadline& deadline, PhaseClock& clock) {
  Result result;
  clock.begin("set-up");
  bp::Engine<T> engine(graph, bp::Algebra::sum, options.temperature, *options.damping,
                       options.threads, deadline);
  engine.start(warm);
  clock.begin("messages");
  bp::run(engine, graph, options, deadline, result);
  if (result.status == Status::infeasible) return result;
  clock.begin("beliefs");
  result.messages = engine.messages();
  result.marginals = engine.log_beliefs();
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    for (double& b : result.marginals[v]) b /= options.temperature;
    normalize_exp(result.marginals[v]);
  }
  if (result.status != Status::diverged) result.log_partition = engine.bethe_log_partition();
  return result;
}

// With what was left open.
BpOptions filled_in(const BpOptions& options, double damping) {
  BpOptions used = options;
  used.damping = options.damping.value_or(damping);
  if (used.threads == 0) used.threads = default_threads();
  // Below this, changes are the rounding of the arithmetic.
  if (used.single_precision && used.tolerance > 0) used.tolerance = std::max(used.tolerance, 1e-5);
  return used;
}

// Each variable given those before it, or each on its own where there is no time for that.
std::vector<State> decode(const FactorGraph& graph, const BpOptions& options, const Result& result,
                          const Deadline& deadline) {
  try {
    if (options.decimate) return decode_in_turn(graph, result.messages, deadline);
  } catch (const Error& error) {
    if (!out_of_time(error.code())) throw;
  }
  return decode_each(graph, result.marginals);
}

template <class T>
Result max_product_in(const FactorGraph& graph, const BpOptions& options, const Messages* warm,
                      const Deadline& deadline, PhaseClock& clock) {
  Result result;
  clock.begin("set-up");
  bp::Engine<T> engine(graph, bp::Algebra::max, 1.0, *options.damping, options.threads, deadline);
  engine.start(warm);
  clock.begin("messages");
  bp::run(engine, graph, options, deadline, result);
  if (result.status == Status::infeasible) return result;
  clock.begin("beliefs");
  result.messages = engine.messages();
  result.marginals = engine.log_beliefs();
  clock.begin("decoding");
  result.assignment = decode(graph, options, result, deadline);
  for (VariableId v = 0; v < graph.num_variables(); ++v) normalize_exp(result.marginals[v]);
  return result;
}

// What both algorithms do around `pass(type, given, used, deadline, clock)`, where a value of
// `type` stands for the precision.
template <class Pass, class Finish>
Result propagate(const char* method, const FactorGraph& graph, const BpOptions& options,
                 double usual_damping, const Evidence& evidence, Pass pass, Finish finish) {
  options.validate();
  const Stopwatch watch;
  const Deadline deadline(options.time_limit, watch, options.control.stop);
  const BpOptions used = filled_in(options, usual_damping);
  PhaseClock clock;
  clock.begin("evidence");
  const FactorGraph given = graph.given(evidence);
  Result result = used.single_precision ? pass(float(), given, used, deadline, clock)
                                        : pass(double(), given, used, deadline, clock);
  result.method = method;
  result.options = {options, used};
  result.phases = clock.take();
  result.seconds = watch.seconds();
  return finish(given, std::move(result));
}

}  // namespace

Fields fields(const BpOptions& o) {
  return Fields()
      .add("schedule", std::string(name_of(o.schedule)))
      .add("iterations", o.iterations)
      .add("tolerance", o.tolerance)
      .add("damping", o.damping)
      .add("temperature", o.temperature)
      .add("float", o.single_precision)
      .add("decimate", o.decimate)
      .add("threads", o.threads)
      .add("seed", o.seed)
      .add("time limit", o.time_limit);
}

const Words<Schedule>& words_of(Schedule) {
  static const Words<Schedule> kWords{"a schedule",
                                      {{"flooding", Schedule::flooding},
                                       {"sequential", Schedule::sequential},
                                       {"random", Schedule::random},
                                       {"residual", Schedule::residual},
                                       {"layered", Schedule::layered}}};
  return kWords;
}

void BpOptions::validate() const {
  const auto refuse = [](const char* what, const char* why) {
    throw Error(ErrorCode::usage, what, why);
  };
  if (damping && !(*damping >= 0 && *damping < 1))
    refuse("damping", "must be at least 0 and below 1");
  if (!(temperature > 0) || temperature == kInfinity) refuse("temperature", "must be positive");
  if (!(tolerance >= 0)) refuse("tolerance", "must be 0 (never stop) or more");
  if (threads < 0) refuse("threads", "must be 0 (all) or more");
  if (!(time_limit > 0)) refuse("time limit", "must be positive");
}

Result sum_product(const FactorGraph& graph, const BpOptions& options, const Evidence& evidence,
                   const Messages* warm) {
  return propagate(
      "sum-product", graph, options, 0, evidence,
      [&](auto type, const auto& given, const auto& used, const auto& deadline, auto& clock) {
        return sum_product_in<decltype(type)>(given, used, warm, deadline, clock);
      },
      [&](const FactorGraph& given, Result result) {
        return finish_marginals(given, std::move(result), options.temperature);
      });
}

Result max_product(const FactorGraph& graph, const BpOptions& options, const Evidence& evidence,
                   const Messages* warm) {
  return propagate(
      "max-product", graph, options, kMaxDamping, evidence,
      [&](auto type, const auto& given, const auto& used, const auto& deadline, auto& clock) {
        return max_product_in<decltype(type)>(given, used, warm, deadline, clock);
      },
      [](const FactorGraph& given, Result result) { return finish_map(given, std::move(result)); });
}

std::vector<double> factor_belief(const FactorGraph& graph, const Messages& messages, FactorId c,
                                  double temperature) {
  const auto shape = graph.shape(c);
  std::vector<double> belief = expand(graph, c).values();
  // What flows into the factor: the variable's own belief without the factor's message. Summed
  // afresh, because minus infinity cannot be subtracted.
  std::vector<std::vector<double>> incoming;
  for (VariableId v : graph.scope(c)) {
    auto& n = incoming.emplace_back(graph.unary(v).begin(), graph.unary(v).end());
    for (EdgeId e : graph.edges(v)) {
      if (graph.factor_of(e) == c) continue;
      for (std::size_t x = 0; x < n.size(); ++x) n[x] += messages[e][x];
    }
  }
  std::vector<State> x(shape.size(), 0);
  for (double& value : belief) {
    for (std::size_t j = 0; j < x.size(); ++j) value += incoming[j][x[j]];
    value /= temperature;
    next_configuration(shape, x);
  }
  normalize_exp(belief);
  return belief;
}

}  // namespace fgnn
