// Amounts of memory as people read them.
#pragma once

#include <string>

namespace fgnn {

std::string bytes_text(double bytes);  // "12.0 MiB"

}  // namespace fgnn
