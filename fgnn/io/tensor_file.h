// Named arrays of numbers and the remarks that go with them: what a file of learned weights holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fgnn {

enum class DType { f16, f32, f64, i32, i64, u8 };

std::size_t size_of(DType dtype);    // in bytes
std::string_view name(DType dtype);  // "F16", "F32", …
std::optional<DType> dtype_of(std::string_view name);
std::string dtype_names();  // all of them, for messages

struct SavedTensor {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  // the last dimension varies fastest; empty: one number
  std::vector<std::byte> data;      // little-endian, without gaps

  std::int64_t count() const;  // of numbers
  friend bool operator==(const SavedTensor&, const SavedTensor&) = default;
};

// The size in bytes of an array of this shape; nothing when a dimension is negative, when there are
// more than kMostDimensions, or when the size, taking empty dimensions for 1, needs over 63 bits.
inline constexpr std::size_t kMostDimensions = 64;
std::optional<std::int64_t> bytes_of(DType dtype, std::span<const std::int64_t> shape);

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::vector<SavedTensor> tensors;  // in file order
  std::string file;                  // where it was read from, for messages; may be empty

  const SavedTensor* find(std::string_view name) const;  // null when absent
  const SavedTensor& at(std::string_view name) const;    // Error(format) when absent

  // Throw Error(usage) when the name is taken or the shape does not fit the number of values.
  using Shape = std::vector<std::int64_t>;
  void add(std::string name, Shape shape, std::span<const float> values);
  void add(std::string name, Shape shape, std::span<const double> values);
  void add(std::string name, Shape shape, std::span<const std::int32_t> values);
  void add(std::string name, Shape shape, std::span<const std::int64_t> values);
  void add(std::string name, Shape shape, std::span<const std::uint8_t> values);
  // Stored as halves: to the nearest, ties to even.
  void add_half(std::string name, Shape shape, std::span<const float> values);
};

// The numbers of a tensor, converted where necessary: the first two from any DType f…, the last
// from any other. Throw Error(format) naming the tensor when it is of the other sort.
std::vector<float> as_floats(const SavedTensor& tensor);
std::vector<double> as_doubles(const SavedTensor& tensor);
std::vector<std::int64_t> as_int64(const SavedTensor& tensor);

}  // namespace fgnn
