#include "fgnn/cli/learn/commands.h"

namespace fgnn::bench {
std::vector<Row> learn_suite(const SuiteOptions&) { return {}; }
}  // namespace fgnn::bench
