// The JSON header of a safetensors file, read and checked, and written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fgnn/io/tensor_file.h"

namespace fgnn {

inline constexpr std::uint64_t kMostHeaderBytes =
    100'000'000;  // as in the reference implementation
inline constexpr std::string_view kMetadataKey = "__metadata__";

// The file with its tensors in the order of their data, which is still to come: each has room for
// its data, and together they are `data_bytes` long, without holes. Throws Error(format).
TensorFile parse_header(std::string_view json, std::uint64_t data_bytes,
                        const std::string& subject);

// Padded with spaces to a multiple of eight bytes. Throws Error(unsupported).
std::string header_of(const TensorFile& tensors);

}  // namespace fgnn
