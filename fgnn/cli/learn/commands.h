#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "bench/suite.h"

namespace fgnn::cli {
void add_train(CLI::App& app);
}

namespace fgnn::bench {
std::vector<Row> learn_suite(const SuiteOptions& options);
}
