// Labelled graphs of a user's own: a file of JSON, one graph a line (docs/graphfile.md has the
// keys).
//
//   {"variables": [[1, 0], [0, 1], [1, 1]],
//    "relations": {"pair": {"scopes": [[0, 1], [1, 2]], "features": [[0.5], [0.1]]}},
//    "labels": [0, 1, 1], "split": "train"}
//
// What is wanted is one of labels (a class by variable), label (of the graph), targets (rows of
// numbers by variable) and target (of the graph), the same in all lines. A graph's memory is
// counted before it is kept.
#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/network/program.h"
#include "fgnn/tasks/task.h"

namespace fgnn::graphfile {

struct LabelledLine {
  tasks::Labelled graph;
  std::optional<tasks::Stream> split;  // where the line says it
};

struct GraphLines {
  network::Schema schema;  // relations have as many kinds of edges as any line shows
  bool of_graphs = false;  // what is wanted is of graphs, not of variables
  bool of_classes = true;
  std::size_t outputs = 0;  // classes, or numbers
  std::vector<LabelledLine> lines;
};

// Throws Error(io), Error(format) naming file:line (and column, where it is not JSON), and what the
// budget throws.
GraphLines read_graph_lines(const std::string& file, Budget& budget);
// The same of a stream; `file` is the name used in messages.
GraphLines read_graph_lines(std::istream& in, const std::string& file, Budget& budget);

}  // namespace fgnn::graphfile
