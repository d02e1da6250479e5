// Running an engine to the end: in which order factors are updated, and when to stop.
#pragma once

#include <vector>

#include "fgnn/core/timing.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/bp/engine.h"

namespace fgnn::bp {

// Fills status, message, iterations and residuals of the result.
template <class T>
void run(Engine<T>& engine, const FactorGraph& graph, const BpOptions& options, Result& result);

// Factors in layers, no two of a layer with a common variable; greedy, in the factors' order.
std::vector<std::vector<FactorId>> layers(const FactorGraph& graph);

}  // namespace fgnn::bp
