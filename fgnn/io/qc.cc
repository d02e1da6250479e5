#include "fgnn/io/qc.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/core/text_writer.h"
#include "fgnn/core/token_reader.h"
#include "fgnn/io/reader_tools.h"

namespace fgnn {
namespace {

void read_marks(TokenReader& tokens, BaseMatrix& base) {
  bool any = false;
  for (std::uint32_t c = 0; c < base.columns; ++c) {
    base.sent.push_back(
        tokens.integer32("the end of the file, or per column 1 (sent) or 0 (punctured)", 0, 1) ==
        1);
    any |= base.sent.back();
  }
  if (base.columns > 0 && !any) tokens.fail("no column is sent");
  if (std::ranges::find(base.sent, false) == base.sent.end()) base.sent.clear();
}

}  // namespace

BaseMatrix read_qc(std::istream& in, const std::string& file, const ReadLimits& limits) {
  TokenReader tokens(in, file, Comments::hash);
  ReadBudget budget(tokens, limits);
  constexpr std::uint32_t kMost = 1 << 24;  // so that products below stay within 64 bits
  BaseMatrix base;
  base.columns = tokens.integer32("a number of columns", 0, kMost);
  base.rows = tokens.integer32("a number of rows", 0, kMost);
  base.size = tokens.integer32("the size of a block", 1, kMost);
  budget.declare(std::uint64_t{base.columns} * base.size, 2);
  budget.declare(std::uint64_t{base.rows} * base.size, 0);
  const std::uint64_t blocks = std::uint64_t{base.rows} * base.columns;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    budget.hold_ahead(i, blocks, sizeof(std::int32_t));
    if (tokens.take_if("-1")) {
      base.shifts.push_back(BaseMatrix::kZero);
    } else {
      base.shifts.push_back(
          static_cast<std::int32_t>(tokens.integer32("a shift or -1", 0, base.size - 1)));
      budget.imply(base.size);
      budget.hold(base.size, 2 * sizeof(std::uint32_t));  // a one, by row and by column
    }
  }
  if (!tokens.at_end()) read_marks(tokens, base);
  tokens.expect_end("the marks of what is sent");
  return base;
}

void write_qc(std::ostream& out, const BaseMatrix& base) {
  TextWriter text(out);
  text.put(base.columns, ' ', base.rows, ' ', base.size, '\n');
  for (std::size_t i = 0; i < base.shifts.size(); ++i) {
    if (base.shifts[i] == BaseMatrix::kZero) {
      text.put("-1");
    } else {
      text.put(static_cast<std::uint32_t>(base.shifts[i]));
    }
    text.put((i + 1) % base.columns == 0 ? '\n' : ' ');
  }
  for (std::size_t c = 0; c < base.sent.size(); ++c) {
    text.put(c == 0 ? "\n" : " ", base.sent[c] ? '1' : '0', c + 1 == base.columns ? "\n" : "");
  }
  text.flush();
}

SparseParityMatrix expand(const BaseMatrix& base) {
  const std::uint32_t z = base.size;
  std::vector<std::size_t> starts{0};
  starts.reserve(std::size_t{base.rows} * z + 1);
  std::vector<std::uint32_t> ones;
  ones.reserve(z * static_cast<std::size_t>(std::ranges::count_if(
                       base.shifts, [](std::int32_t s) { return s != BaseMatrix::kZero; })));
  for (std::uint32_t r = 0; r < base.rows; ++r) {
    const auto shifts = std::span(base.shifts).subspan(std::size_t{r} * base.columns, base.columns);
    for (std::uint32_t i = 0; i < z; ++i) {
      for (std::uint32_t c = 0; c < base.columns; ++c) {
        if (shifts[c] == BaseMatrix::kZero) continue;
        ones.push_back(c * z + (i + static_cast<std::uint32_t>(shifts[c])) % z);
      }
      starts.push_back(ones.size());
    }
  }
  return {base.columns * z, std::move(starts), std::move(ones)};
}

std::vector<std::uint32_t> punctured_columns(const BaseMatrix& base) {
  std::vector<std::uint32_t> columns;
  for (std::uint32_t c = 0; c < base.sent.size() * base.size; ++c) {
    if (!base.sent[c / base.size]) columns.push_back(c);
  }
  return columns;
}

void puncture(BaseMatrix& base, std::span<const std::uint32_t> columns) {
  if (columns.empty()) return;
  base.sent.assign(base.columns, true);
  for (const std::uint32_t c : columns) base.sent[c / base.size] = false;
  if (punctured_columns(base).size() != columns.size()) {
    throw Error(ErrorCode::unsupported, fmt::format("blocks of size {}", base.size),
                "are not sent or left out as a whole", "name another size");
  }
}

BaseMatrix base_matrix(const SparseParityMatrix& matrix, std::uint32_t size) {
  if (size == 0 || matrix.num_columns() % size != 0 || matrix.num_rows() % size != 0) {
    throw Error(
        ErrorCode::unsupported, fmt::format("blocks of size {}", size),
        fmt::format("do not fill {} rows and {} columns", matrix.num_rows(), matrix.num_columns()));
  }
  BaseMatrix base{matrix.num_rows() / size, matrix.num_columns() / size, size, {}, {}};
  base.shifts.assign(std::size_t{base.rows} * base.columns, BaseMatrix::kZero);
  for (std::uint32_t r = 0; r < base.rows; ++r) {
    for (std::uint32_t c : matrix.row(r * size)) {
      base.shifts[std::size_t{r} * base.columns + c / size] = static_cast<std::int32_t>(c % size);
    }
  }
  // The first row of each block tells its shift; the other rows must agree.
  const SparseParityMatrix expanded = expand(base);
  for (std::uint32_t r = 0; r < matrix.num_rows(); ++r) {
    if (!std::ranges::equal(matrix.row(r), expanded.row(r))) {
      throw Error(ErrorCode::unsupported, fmt::format("row {}", r),
                  fmt::format("is not made of shifted identities of size {}", size),
                  "name another size, or write an .alist file");
    }
  }
  return base;
}

}  // namespace fgnn
