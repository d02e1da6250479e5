// The suite of decoders; the list of suites is in suites.cc.
#pragma once

#include "bench/suite.h"

namespace fgnn::bench {

std::vector<Row> run_codes(const SuiteOptions& options);

}  // namespace fgnn::bench
