// Arrays of numpy: memory of ours that they show, and numbers that they bring.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fgnn/core/types.h"
#include "python/binding/binding.h"

namespace fgnn::python {

using Lengths = std::vector<py::ssize_t>;

// Whatever can be read as an array of these; copied only where it is another type or not in rows.
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;
using Bytes = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;

inline std::span<const double> numbers(const Doubles& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

// An array on memory that `owner` keeps alive.
template <class T>
py::array shown(std::span<T> memory, const Lengths& shape, py::handle owner) {
  return py::array_t<std::remove_const_t<T>>(shape, memory.data(), owner);
}
template <class T>
py::array shown(std::span<T> memory, py::handle owner) {
  return shown(memory, {static_cast<py::ssize_t>(memory.size())}, owner);
}

// The same that cannot be written to.
template <class T>
py::array shown_only(std::span<const T> memory, const Lengths& shape, py::handle owner) {
  py::array array = shown(memory, shape, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}
template <class T>
py::array shown_only(std::span<const T> memory, py::handle owner) {
  return shown_only(memory, {static_cast<py::ssize_t>(memory.size())}, owner);
}

// An array that owns what it shows.
template <class T>
py::array given_away(std::vector<T> values, Lengths shape = {}) {
  if (shape.empty()) shape = {static_cast<py::ssize_t>(values.size())};
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<T>*>(p); });
  return shown(std::span<T>(*kept), shape, owner);
}

// Whole numbers from 0 to 2^32 - 1, such as variables and states, in any array or sequence of whole
// numbers. Throws Error(usage) that opens with `what` for others.
struct Wholes {
  std::vector<std::uint32_t> values;
  Lengths shape;
};
Wholes wholes(const py::object& given, const std::string& what);

// Rows with one entry per variable and state: a matrix where all have equally many states, else a
// list of arrays.
py::object by_variable(std::span<const double> values, std::span<const State> states,
                       py::handle owner);

}  // namespace fgnn::python
