// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fgnn/core/units.h"

namespace fgnn {

std::string seconds_text(double seconds);  // "3.1 ms"
std::string count_text(double count);      // "1 234 567", or "1.2e+12" when that is long
std::string number_text(double value);     // six significant digits; "-inf" for forbidden

// "8G", "512MiB", "1000" in powers of 1024. Throws Error(usage).
std::uint64_t parse_bytes(std::string_view text);

}  // namespace fgnn
