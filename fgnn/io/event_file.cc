#include "fgnn/io/event_file.h"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "fgnn/core/error.h"
#include "fgnn/io/crc32c.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

constexpr std::size_t kPiece = 64 << 10;

[[noreturn]] void fail(const fs::path& path, int error) {
  throw Error(ErrorCode::io, path.string(),
              std::string("cannot be written: ") + std::strerror(error));
}

template <class Number>
void put(std::string& out, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof number);
}

// Protocol buffers: a field is its number and wire type, then the value.
enum class Wire : unsigned { varint = 0, eight_bytes = 1, length_and_bytes = 2, four_bytes = 5 };

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

void put_key(std::string& out, unsigned field, Wire wire) {
  put_varint(out, field << 3 | static_cast<unsigned>(wire));
}

void put_bytes(std::string& out, unsigned field, std::string_view bytes) {
  put_key(out, field, Wire::length_and_bytes);
  put_varint(out, bytes.size());
  out += bytes;
}

// The start of every Event: wall_time = 1, step = 2.
std::string event_at(double wall_time, std::int64_t step) {
  std::string event;
  put_key(event, 1, Wire::eight_bytes);
  put(event, wall_time);
  put_key(event, 2, Wire::varint);
  put_varint(event, static_cast<std::uint64_t>(step));
  return event;
}

// TFRecord masks its checksums, so that one of data that holds checksums stays a good one.
std::uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8u;
}

}  // namespace

double wall_time_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

EventFile::EventFile(const fs::path& directory, double wall_time) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (failure) fail(directory, failure.value());
  // Another run may have begun in the same second.
  for (auto seconds = static_cast<std::int64_t>(wall_time); file_ == nullptr; ++seconds) {
    path_ = directory / fmt::format("events.out.tfevents.{}.local.fgnn", seconds);
    file_.reset(std::fopen(path_.c_str(), "wbx"));
    if (file_ == nullptr && errno != EEXIST) fail(path_, errno);
  }
  std::string event = event_at(wall_time, 0);
  put_bytes(event, 3, "brain.Event:2");  // file_version
  append(event);
  flush();
}

EventFile::~EventFile() {
  try {
    if (file_ != nullptr) flush();
  } catch (const Error&) {  // nobody is left to tell
  }
}

void EventFile::scalar(std::string_view tag, std::int64_t step, double value, double wall_time) {
  std::string summary_value, summary, event = event_at(wall_time, step);
  put_bytes(summary_value, 1, tag);
  put_key(summary_value, 2, Wire::four_bytes);  // simple_value
  put(summary_value, static_cast<float>(value));
  put_bytes(summary, 1, summary_value);
  put_bytes(event, 5, summary);
  append(event);
}

void EventFile::append(const std::string& event) {
  std::string length;
  put(length, std::uint64_t{event.size()});
  pending_ += length;
  put(pending_, masked_crc(length));
  pending_ += event;
  put(pending_, masked_crc(event));
  if (pending_.size() >= kPiece) flush();
}

void EventFile::flush() {
  errno = 0;
  const std::size_t written = std::fwrite(pending_.data(), 1, pending_.size(), file_.get());
  const bool whole = written == pending_.size() && std::fflush(file_.get()) == 0;
  pending_.clear();
  if (!whole) fail(path_, errno != 0 ? errno : EIO);
}

}  // namespace fgnn
