#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "bench/suite.h"
#include "fgnn/report/handwriting.h"

namespace fgnn::cli {
void add_train(CLI::App& app);
report::HandwritingTrainer handwriting_trainer(const report::HandwritingReportOptions& options);
}  // namespace fgnn::cli

namespace fgnn::bench {
std::vector<Row> learn_suite(const SuiteOptions& options);
}
