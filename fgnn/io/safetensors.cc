#include "fgnn/io/safetensors.h"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>

#include "fgnn/core/error.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/safetensors_header.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "the length is copied as it is");

// Fills the span with the bytes that come next.
using Take = std::function<void(std::span<std::byte>)>;

TensorFile read_from(std::uint64_t file_bytes, const Take& take, const std::string& subject) {
  std::uint64_t length = 0;
  if (file_bytes < sizeof length) {
    throw Error(ErrorCode::format, subject,
                fmt::format("has {} bytes, the length of a header takes 8", file_bytes));
  }
  take(std::as_writable_bytes(std::span(&length, 1)));
  const std::uint64_t rest = file_bytes - sizeof length;
  if (length > kMostHeaderBytes) {
    throw Error(
        ErrorCode::format, subject,
        fmt::format("declares a header of {} bytes, the limit is {}", length, kMostHeaderBytes),
        "is this a safetensors file?");
  }
  if (length > rest) {
    throw Error(ErrorCode::format, subject,
                fmt::format("declares a header of {} bytes, {} follow", length, rest),
                "the file is cut off or damaged");
  }
  std::string header(length, '\0');
  take(std::as_writable_bytes(std::span(header)));
  TensorFile result = parse_header(header, rest - length, subject);
  for (SavedTensor& tensor : result.tensors) take(tensor.data);
  return result;
}

// Before the data.
std::string opening(const TensorFile& tensors) {
  const std::string header = header_of(tensors);
  const std::uint64_t length = header.size();
  std::string text(sizeof length, '\0');
  std::memcpy(text.data(), &length, sizeof length);
  return text + header;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TensorFile parse_safetensors(std::span<const std::byte> bytes, const std::string& subject) {
  const std::uint64_t size = bytes.size();
  const auto take = [&bytes](std::span<std::byte> piece) {
    std::ranges::copy(bytes.first(piece.size()), piece.begin());
    bytes = bytes.subspan(piece.size());
  };
  return read_from(size, take, subject);
}

TensorFile read_safetensors(const fs::path& file) {
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorCode::io, file.string(), message);
  };
  std::error_code failure;
  const std::uint64_t size = fs::file_size(file, failure);
  if (failure) fail("cannot be read: " + std::string(std::strerror(failure.value())));
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(std::string("cannot be read: ") + std::strerror(errno));
  const auto take = [&](std::span<std::byte> piece) {
    in.read(reinterpret_cast<char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
    if (!in) fail("cannot be read to its end");
  };
  return read_from(size, take, file.string());
}

std::string serialize_safetensors(const TensorFile& tensors) {
  std::string bytes = opening(tensors);
  for (const SavedTensor& tensor : tensors.tensors) bytes += text_of(tensor.data);
  return bytes;
}

void write_safetensors(const fs::path& file, const TensorFile& tensors) {
  const std::string head = opening(tensors);
  write_file(file, [&](std::ostream& out) {
    out << head;
    for (const SavedTensor& tensor : tensors.tensors) out << text_of(tensor.data);
  });
}

}  // namespace fgnn
