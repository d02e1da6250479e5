#include "fgnn/io/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/half.h"
#include "fgnn/core/suggest.h"
#include "fgnn/core/token_reader.h"

namespace fgnn {
namespace {

static_assert(std::endian::native == std::endian::little, "the data is copied as it is");

struct Kind {
  std::string_view name;
  std::size_t size;
};

constexpr std::array<Kind, 6> kKinds{
    {{"F16", 2}, {"F32", 4}, {"F64", 8}, {"I32", 4}, {"I64", 8}, {"U8", 1}}};

template <class Number>
void add_numbers(TensorFile& file, std::string name, DType dtype, TensorFile::Shape shape,
                 std::span<const Number> values) {
  const std::string subject = "tensor " + in_quotes(name);
  if (file.find(name) != nullptr) throw Error(ErrorCode::usage, subject, "is there already");
  if (bytes_of(dtype, shape) != static_cast<std::int64_t>(values.size_bytes())) {
    throw Error(ErrorCode::usage, subject,
                fmt::format("{} values for the shape [{}]", values.size(), fmt::join(shape, ", ")));
  }
  std::vector<std::byte> data(values.size_bytes());
  if (!data.empty()) std::memcpy(data.data(), values.data(), data.size());
  file.tensors.push_back({std::move(name), dtype, std::move(shape), std::move(data)});
}

// Each number of the tensor, stored as Stored, through `convert`.
template <class Stored, class Number, class Convert>
std::vector<Number> numbers(const SavedTensor& tensor, Convert convert) {
  std::vector<Number> result(tensor.data.size() / sizeof(Stored));
  for (std::size_t i = 0; i < result.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, tensor.data.data() + i * sizeof(Stored), sizeof(Stored));
    result[i] = static_cast<Number>(convert(stored));
  }
  return result;
}

[[noreturn]] void fail_kind(const SavedTensor& tensor, std::string_view wanted) {
  throw Error(ErrorCode::format, "tensor " + in_quotes(tensor.name),
              fmt::format("holds {}, expected {}", name(tensor.dtype), wanted));
}

template <class Number>
std::vector<Number> real_numbers(const SavedTensor& tensor) {
  const auto same = [](auto value) { return value; };
  switch (tensor.dtype) {
    case DType::f16:
      return numbers<std::uint16_t, Number>(tensor, float_of_half);
    case DType::f32:
      return numbers<float, Number>(tensor, same);
    case DType::f64:
      return numbers<double, Number>(tensor, same);
    default:
      fail_kind(tensor, "real numbers: F16, F32 or F64");
  }
}

}  // namespace

std::size_t size_of(DType dtype) { return kKinds[static_cast<std::size_t>(dtype)].size; }

std::string_view name(DType dtype) { return kKinds[static_cast<std::size_t>(dtype)].name; }

std::optional<DType> dtype_of(std::string_view name) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::string dtype_names() {
  std::string text;
  for (const Kind& kind : kKinds) text.append(text.empty() ? "" : ", ").append(kind.name);
  return text;
}

std::int64_t SavedTensor::count() const {
  std::int64_t count = 1;
  for (std::int64_t extent : shape) count *= extent;
  return count;
}

std::optional<std::int64_t> bytes_of(DType dtype, std::span<const std::int64_t> shape) {
  if (shape.size() > kMostDimensions) return std::nullopt;
  auto bytes = static_cast<std::int64_t>(size_of(dtype));
  bool empty = false;
  for (std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) {
      empty = true;
    } else if (extent > INT64_MAX / bytes) {
      return std::nullopt;
    } else {
      bytes *= extent;
    }
  }
  return empty ? 0 : bytes;
}

const SavedTensor* TensorFile::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &SavedTensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

const SavedTensor& TensorFile::at(std::string_view name) const {
  if (const SavedTensor* tensor = find(name)) return *tensor;
  std::vector<std::string> known;
  for (const SavedTensor& tensor : tensors) known.push_back(tensor.name);
  const std::string near = nearest_word(name, known);
  throw Error(ErrorCode::format, file, fmt::format("there is no tensor {}", in_quotes(name)),
              near.empty() ? "" : fmt::format("the nearest name is {}", in_quotes(near)));
}

void TensorFile::add(std::string name, Shape shape, std::span<const float> values) {
  add_numbers(*this, std::move(name), DType::f32, std::move(shape), values);
}

void TensorFile::add(std::string name, Shape shape, std::span<const double> values) {
  add_numbers(*this, std::move(name), DType::f64, std::move(shape), values);
}

void TensorFile::add(std::string name, Shape shape, std::span<const std::int32_t> values) {
  add_numbers(*this, std::move(name), DType::i32, std::move(shape), values);
}

void TensorFile::add(std::string name, Shape shape, std::span<const std::int64_t> values) {
  add_numbers(*this, std::move(name), DType::i64, std::move(shape), values);
}

void TensorFile::add(std::string name, Shape shape, std::span<const std::uint8_t> values) {
  add_numbers(*this, std::move(name), DType::u8, std::move(shape), values);
}

void TensorFile::add_half(std::string name, Shape shape, std::span<const float> values) {
  std::vector<std::uint16_t> halves(values.size());
  std::ranges::transform(values, halves.begin(), half_of_float);
  add_numbers<std::uint16_t>(*this, std::move(name), DType::f16, std::move(shape), halves);
}

std::vector<float> as_floats(const SavedTensor& tensor) { return real_numbers<float>(tensor); }

std::vector<double> as_doubles(const SavedTensor& tensor) { return real_numbers<double>(tensor); }

std::vector<std::int64_t> as_int64(const SavedTensor& tensor) {
  const auto same = [](auto value) { return value; };
  switch (tensor.dtype) {
    case DType::i32:
      return numbers<std::int32_t, std::int64_t>(tensor, same);
    case DType::i64:
      return numbers<std::int64_t, std::int64_t>(tensor, same);
    case DType::u8:
      return numbers<std::uint8_t, std::int64_t>(tensor, same);
    default:
      fail_kind(tensor, "whole numbers: I32, I64 or U8");
  }
}

}  // namespace fgnn
