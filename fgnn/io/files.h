// Reading and writing factor graphs and evidence by file name: the format follows from the ending.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/core/read_limits.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn {

struct FormatInfo {
  std::string name;         // "uai"
  std::string ending;       // ".uai"
  std::string description;  // one line for `fgnn list formats`
};

const std::vector<FormatInfo>& graph_formats();

// `format` empty: by the file's ending. The file "-" is standard input. Throws Error(io) when the
// file cannot be read, Error(format) naming file:line:column when it is malformed, Error(usage) for
// an unknown format, Error(too_large) and Error(time_limit) beyond the limits.
FactorGraph read_graph(const std::filesystem::path& file, std::string_view format = {},
                       const ReadLimits& limits = {});

// Writes beside the target and renames, so that a failure leaves nothing half-written. The file
// "-" is standard output. Throws Error(unsupported) naming the factor when the format cannot
// express the graph, and Error(model) for a low-rank sum that turns negative, as far as `fgnn
// check` looks. Tables and time are taken from the budget, where there is one.
void write_graph(const FactorGraph& graph, const std::filesystem::path& file,
                 std::string_view format = {}, Budget* budget = nullptr);

// UAI evidence: "count variable state variable state …".
Evidence read_evidence(const FactorGraph& graph, const std::filesystem::path& file);

}  // namespace fgnn
