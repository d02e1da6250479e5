// Debian's toulbar2 as an independent judge of MAP values. It works on integer costs with seven
// digits, so its solution may lose to ours by that much, and must never beat it.
#pragma once

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"
#include "fgnn/io/toulbar2.h"

namespace fgnn::testing {

// Fails the test when toulbar2 finds anything better or only something worse.
void expect_toulbar2_agrees(const FactorGraph& graph, const Result& ours);

}  // namespace fgnn::testing
