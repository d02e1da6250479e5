// Running an engine to the end: in which order factors are updated, and when to stop.
#pragma once

#include <string>
#include <vector>

#include "fgnn/core/timing.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/bp/engine.h"

namespace fgnn::bp {

// Fills status, message, iterations and residuals of the result. Status diverged: messages ran away
// or lost all states of a variable to rounding. Status infeasible: that nothing is allowed is
// proved.
template <class T>
void run(Engine<T>& engine, const FactorGraph& graph, const BpOptions& options,
         const Deadline& deadline, Result& result);

// Why every assignment is forbidden, as far as factors show one after another which states have no
// support in the others (generalised arc consistency); empty where that shows nothing. Exact: what
// is allowed is propagated without numbers. Gives up at the deadline.
std::string contradiction(const FactorGraph& graph, const Deadline& deadline);

// Where there is one, it is what the result says: status infeasible, for finish.h to complete.
void refute(const FactorGraph& graph, const Deadline& deadline, Result& result);

// Factors in layers, no two of a layer with a common variable; greedy, in the factors' order.
std::vector<std::vector<FactorId>> layers(const FactorGraph& graph);

}  // namespace fgnn::bp
