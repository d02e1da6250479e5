// CRC-32C (Castagnoli), the checksum of TFRecord files.
#pragma once

#include <cstdint>
#include <string_view>

namespace fgnn {

std::uint32_t crc32c(std::string_view bytes);

}  // namespace fgnn
