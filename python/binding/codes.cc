// Codes: read, made, encoded, looked at.
#include "python/binding/codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "fgnn/codes/analyse.h"
#include "fgnn/codes/construct.h"
#include "fgnn/core/error.h"
#include "fgnn/io/code_files.h"
#include "python/binding/arrays.h"
#include "python/binding/results.h"
#include "python/binding/running.h"

namespace fgnn::python {
namespace {

using codes::Code;

SharedCode make(std::string name, SparseParityMatrix checks,
                std::vector<std::uint32_t> punctured = {}) {
  return run(py::none(), [&](const Control& control) {
    Budget budget("code", Budget::kNoLimit, Deadline(kInfinity, {}, control.stop));
    return std::make_shared<Code>(std::move(name), std::move(checks), std::move(punctured),
                                  &budget);
  });
}

SharedCode read(const std::string& file) {
  CodeFile read = run(py::none(), [&](const Control& control) {
    const Deadline clock(kInfinity, {}, control.stop);
    ReadLimits limits;
    limits.deadline = &clock;
    return read_code(file, limits);
  });
  return make(std::filesystem::path(file).filename().string(), std::move(read.checks),
              std::move(read.punctured));
}

SharedCode from_rows(std::string name, const py::object& starts, const py::object& ones,
                     std::uint32_t columns, const py::object& punctured) {
  const auto begin = wholes(starts, "code: starts of rows").values;
  return make(std::move(name),
              SparseParityMatrix(columns, {begin.begin(), begin.end()},
                                 wholes(ones, "code: columns").values),
              wholes(punctured, "code: punctured").values);
}

SharedCode peg(std::uint32_t length, std::uint32_t checks, std::uint32_t weight, std::uint64_t seed,
               std::uint32_t girth) {
  return make(fmt::format("peg-{}-{}", length, checks),
              codes::progressive_edge_growth({length, checks, weight, seed, girth}));
}

SharedCode regular(std::uint32_t length, std::uint32_t column_weight, std::uint32_t row_weight,
                   std::uint64_t seed) {
  return make(fmt::format("regular-{}-{}-{}", length, column_weight, row_weight),
              codes::random_regular({length, column_weight, row_weight, seed}));
}

// The columns of all ones, row by row, and where each row begins.
py::tuple rows(const Code& code) {
  std::vector<std::uint32_t> starts{0}, ones;
  for (std::uint32_t r = 0; r < code.checks.num_rows(); ++r) {
    const auto row = code.checks.row(r);
    ones.insert(ones.end(), row.begin(), row.end());
    starts.push_back(static_cast<std::uint32_t>(ones.size()));
  }
  return py::make_tuple(given_away(std::move(starts)), given_away(std::move(ones)));
}

// Zeros and ones, of whatever whole type. Throws Error(usage) that opens with `what` for others.
Bytes bits_of(const py::object& given, const char* what) {
  if (py::isinstance<Bytes>(given)) return given.cast<Bytes>();
  const Wholes all = wholes(given, what);
  Bytes bits(all.shape);
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    bits.mutable_data()[i] = static_cast<std::uint8_t>(std::min(all.values[i], 2u));
  }
  return bits;
}

// How many rows of `width` bits there are. Throws Error(usage) for other shapes and numbers.
std::size_t rows_of_bits(const Bytes& bits, std::size_t width, const char* what) {
  const auto dims = bits.ndim();
  if (dims == 0 || static_cast<std::size_t>(bits.shape(dims - 1)) != width) {
    throw Error(ErrorCode::usage, what, fmt::format("need {} bits in each row", width));
  }
  for (py::ssize_t i = 0; i < bits.size(); ++i) {
    if (bits.data()[i] > 1) throw Error(ErrorCode::usage, what, "hold more than zeros and ones");
  }
  return width > 0 ? static_cast<std::size_t>(bits.size()) / width : 0;
}

Lengths with_last(const Bytes& like, std::size_t last) {
  Lengths shape(like.shape(), like.shape() + like.ndim());
  shape.back() = static_cast<py::ssize_t>(last);
  return shape;
}

py::array encode(const Code& code, const py::object& given) {
  const Bytes messages = bits_of(given, "messages");
  const std::size_t k = code.encoder.dimension(), n = code.encoder.length();
  const std::size_t count = rows_of_bits(messages, k, "messages");
  std::vector<std::uint8_t> words(count * n);
  for (std::size_t f = 0; f < count; ++f) {
    code.encoder.encode({messages.data() + f * k, k}, std::span(words).subspan(f * n, n));
  }
  return given_away(std::move(words), with_last(messages, n));
}

py::array_t<bool> holds(const Code& code, const py::object& given) {
  const Bytes words = bits_of(given, "words");
  const std::size_t n = code.encoder.length();
  const std::size_t count = rows_of_bits(words, n, "words");
  py::array_t<bool> all(Lengths(words.shape(), words.shape() + words.ndim() - 1));
  for (std::size_t f = 0; f < count; ++f) {
    all.mutable_data()[f] = codes::satisfies(code.checks, {words.data() + f * n, n});
  }
  return all;
}

std::uint32_t girth_of(const Code& code) {
  return run(py::none(), [&](const Control& control) {
    return codes::girth(code.checks,
                        Budget("girth", Budget::kNoLimit, Deadline(kInfinity, {}, control.stop)));
  });
}

}  // namespace

void add_codes(py::module_& m) {
  py::class_<Code, SharedCode>(m, "Code",
                               "A binary linear code by its parity checks, H x = 0.\n\n"
                               "Made by the functions of fgnn.codes.")
      .def_readonly("name", &Code::name, "Such as the file's.")
      .def_property_readonly(
          "length", [](const Code& c) { return c.encoder.length(); }, "Bits of a word.")
      .def_property_readonly(
          "dimension", [](const Code& c) { return c.encoder.dimension(); }, "Bits of a message.")
      .def_property_readonly(
          "num_checks", [](const Code& c) { return c.checks.num_rows(); },
          "Rows of the matrix, whether independent or not.")
      .def_property_readonly("rate", &Code::rate, "Bits of a message per bit sent.")
      .def_property_readonly(
          "punctured", [](const Code& c) { return given_away(std::vector(c.punctured)); },
          "Positions that are not sent, as an array.")
      .def_property_readonly(
          "information",
          [](const py::object& self) {
            return shown_only(self.cast<const Code&>().encoder.information(), self);
          },
          "Where the bits of the message stand in a word, as an array.")
      .def_property_readonly("rows", &rows,
                             "The matrix as two arrays: where each row begins in the second, and\n"
                             "the columns of its ones.")
      .def("encode", &encode, py::arg("messages"),
           "The words of messages, rows of `dimension` bits.")
      .def("holds", &holds, py::arg("words"), "Of each word whether all checks hold.")
      .def("girth", &girth_of, "The length of the shortest cycle; 0: there is none.")
      .def(
          "graph",
          [](const Code& c) { return std::make_shared<FactorGraph>(parity_graph(c.checks)); },
          "Its parity checks as a FactorGraph.")
      .def(
          "save",
          [](const Code& c, const std::string& file, std::uint32_t block_size) {
            write_code(c.checks, file, {.block_size = block_size, .punctured = c.punctured});
          },
          py::arg("file"), py::arg("block_size") = 0,
          "Writes .alist, .qc (which needs the size of its blocks) or a graph.")
      .def("__repr__", [](const Code& c) {
        return fmt::format("<fgnn.codes.Code {}: {} bits of {}>", c.name, c.encoder.dimension(),
                           c.encoder.length());
      });
  m.def("read_code", &read);
  m.def("code_of_rows", &from_rows);
  m.def("peg_code", &peg);
  m.def("regular_code", &regular);
}

}  // namespace fgnn::python
