// Options that say which instances of the synthetic models are meant.
#pragma once

#include "fgnn/experiments/arguments.h"
#include "fgnn/experiments/synthetic/instances.h"

namespace fgnn::synthetic {

// --length, --side, --order, --windows and --pairwise.
std::vector<experiments::Option> instance_options();

// Validated. Throws Error(usage).
SyntheticOptions chosen_instances(const std::string& dataset, std::uint64_t seed,
                                  const experiments::Arguments& given);

}  // namespace fgnn::synthetic
