#include "fgnn/graph/find_variable.h"

#include <fmt/format.h>

#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"

namespace fgnn {

VariableId find_variable(const FactorGraph& graph, std::string_view name,
                         const std::string& subject) {
  if (const auto variable = graph.find(name)) return *variable;
  std::vector<std::string> known;
  for (const NameBlock& block : graph.names().blocks()) {
    known.push_back(block.array ? fmt::format("{}[0…{}]", block.name, block.count - 1)
                                : block.name);
  }
  constexpr std::size_t kShown = 8;
  if (known.size() > kShown) known.resize(kShown), known.push_back("…");
  throw Error(ErrorCode::model, subject, fmt::format("there is no variable '{}'", name),
              suggestion(name, known));
}

}  // namespace fgnn
