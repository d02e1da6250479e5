// Debian's toulbar2 as an independent judge of MAP values. It works on integer costs with seven
// digits, so its solution may lose to ours by that much, and must never beat it.
#pragma once

#include <filesystem>
#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn::testing {

bool have_toulbar2();

// Its best assignment; empty when it found none. Works in `folder`.
std::vector<State> toulbar2_map(const FactorGraph& graph, const std::filesystem::path& folder);

// Fails the test when toulbar2 finds anything better or only something worse.
void expect_toulbar2_agrees(const FactorGraph& graph, const Result& ours,
                            const std::filesystem::path& folder);

}  // namespace fgnn::testing
