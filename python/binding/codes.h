// A code as Python holds it.
#pragma once

#include <memory>

#include "fgnn/codes/code.h"
#include "python/binding/binding.h"

namespace fgnn::python {

using SharedCode = std::shared_ptr<codes::Code>;

}  // namespace fgnn::python
