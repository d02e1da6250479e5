#include "python/binding/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fgnn/core/error.h"

namespace fgnn::python {

Wholes wholes(const py::object& given, const std::string& what) {
  const py::array array = py::array::ensure(given);
  if (!array) {
    PyErr_Clear();
    throw Error(ErrorCode::usage, what, "is not an array of whole numbers");
  }
  const bool whole = array.dtype().kind() == 'i' || array.dtype().kind() == 'u' ||
                     array.dtype().kind() == 'b' || array.size() == 0;
  if (!whole) {
    throw Error(
        ErrorCode::usage, what,
        fmt::format("holds {}, not whole numbers", py::str(array.dtype()).cast<std::string>()));
  }
  Wholes result;
  result.shape.assign(array.shape(), array.shape() + array.ndim());
  using Own = py::array_t<std::uint32_t, py::array::c_style>;
  if (py::isinstance<Own>(array)) {  // as variables() gives them
    const auto own = array.cast<Own>();
    result.values.assign(own.data(), own.data() + own.size());
    return result;
  }
  using Longs = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
  const Longs longs = Longs::ensure(array);
  result.values.resize(static_cast<std::size_t>(longs.size()));
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    const std::int64_t value = longs.data()[i];
    if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(ErrorCode::usage, what, fmt::format("{} is out of range", value));
    }
    result.values[i] = static_cast<std::uint32_t>(value);
  }
  return result;
}

py::object by_variable(std::span<const double> values, std::span<const State> states,
                       py::handle owner) {
  const bool alike =
      std::ranges::adjacent_find(states, std::not_equal_to<>()) == states.end() && !states.empty();
  if (alike) {
    const Lengths shape{static_cast<py::ssize_t>(states.size()),
                        static_cast<py::ssize_t>(states.front())};
    return shown_only(values, shape, owner);
  }
  py::list rows(states.size());
  std::size_t begin = 0;
  for (std::size_t v = 0; v < states.size(); ++v) {
    rows[v] = shown_only(values.subspan(begin, states[v]), owner);
    begin += states[v];
  }
  return rows;
}

}  // namespace fgnn::python
