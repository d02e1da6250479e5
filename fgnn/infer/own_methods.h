// The methods that come with the library, and what each makes of the options that all methods
// share.
#pragma once

#include <vector>

#include "fgnn/infer/methods.h"

namespace fgnn {

struct ExactOptions;

std::vector<Method> own_methods();

// Those of the settings that exact inference takes.
ExactOptions exact_options(const MethodOptions& options);

}  // namespace fgnn
