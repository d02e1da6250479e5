// The safetensors format: the length of a header (8 bytes, little-endian), the header (JSON: per
// tensor its name, dtype, shape and place in the data, and "__metadata__", a map of strings), then
// the data. docs/formats.md says what fgnn keeps in such files.
//
// A file is taken for hostile until it is checked: whatever the bytes, a reader throws nothing but
// Error(format) naming the file and the tensor, and allocates no more than the file is long, times
// a small constant.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "fgnn/io/tensor_file.h"

namespace fgnn {

// `subject` names the file in messages. Tensors come in the order of their data.
TensorFile parse_safetensors(std::span<const std::byte> bytes, const std::string& subject);
// Also throws Error(io).
TensorFile read_safetensors(const std::filesystem::path& file);

// Throws Error(unsupported) naming the tensor or the remark that the format cannot hold: a shape
// that does not fit the data, a repeated name, text that is not UTF-8.
std::string serialize_safetensors(const TensorFile& tensors);
// The file appears whole or not at all (write_file in atomic_file.h).
void write_safetensors(const std::filesystem::path& file, const TensorFile& tensors);

}  // namespace fgnn
