#include "fgnn/codes/construct.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/core/random.h"

namespace fgnn::codes {
namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

void require(bool holds, const char* what, const std::string& why) {
  if (!holds) throw Error(ErrorCode::usage, what, why);
}

bool contains(const std::vector<std::uint32_t>& list, std::uint32_t entry) {
  return std::ranges::find(list, entry) != list.end();
}

}  // namespace

SparseParityMatrix random_regular(const RegularOptions& o) {
  require(o.length > 0 && o.column_weight > 0 && o.row_weight > 0, "regular code",
          "length and weights must be above zero");
  const std::uint64_t ones = std::uint64_t{o.length} * o.column_weight;
  require(ones % o.row_weight == 0, "regular code",
          fmt::format("{} columns of weight {} do not fill rows of weight {}", o.length,
                      o.column_weight, o.row_weight));
  const std::uint64_t rows = ones / o.row_weight;
  require(o.column_weight <= rows && o.row_weight <= o.length, "regular code",
          "the weights are larger than the matrix");
  std::vector<std::uint32_t> socket(ones);  // column of each place in a row
  for (std::uint64_t i = 0; i < ones; ++i) {
    socket[i] = static_cast<std::uint32_t>(i / o.column_weight);
  }
  Rng rng(o.seed, 0x5e6u);
  rng.shuffle(socket);
  const auto row_has = [&](std::uint64_t row, std::uint32_t column, std::uint64_t but) {
    for (std::uint64_t i = row * o.row_weight; i < (row + 1) * o.row_weight; ++i) {
      if (i != but && socket[i] == column) return true;
    }
    return false;
  };
  std::uint64_t tries = 0;
  for (std::uint64_t i = 0; i < ones; ++i) {
    while (row_has(i / o.row_weight, socket[i], i)) {
      const std::uint64_t j = rng.below(ones);
      require(++tries < 1000 + 100 * ones, "regular code",
              "no matrix without double edges was found; try another seed or smaller weights");
      if (row_has(j / o.row_weight, socket[i], j) || row_has(i / o.row_weight, socket[j], i)) {
        continue;
      }
      std::swap(socket[i], socket[j]);
    }
  }
  Lists lists(rows);
  for (std::uint64_t i = 0; i < ones; ++i) lists[i / o.row_weight].push_back(socket[i]);
  return {o.length, lists};
}

namespace {

// Rows by their number of edges, so that a lightest one that is not excluded is found without
// looking at all of them.
class WeightBuckets {
 public:
  explicit WeightBuckets(std::uint32_t rows) : buckets_(1), place_(rows), weight_(rows, 0) {
    buckets_[0].resize(rows);
    std::iota(buckets_[0].begin(), buckets_[0].end(), 0u);
    std::iota(place_.begin(), place_.end(), 0u);
  }

  void add_edge(std::uint32_t row) {
    auto& old = buckets_[weight_[row]];
    std::swap(old[place_[row]], old.back());
    place_[old[place_[row]]] = place_[row];
    old.pop_back();
    if (++weight_[row] == buckets_.size()) buckets_.emplace_back();
    place_[row] = static_cast<std::uint32_t>(buckets_[weight_[row]].size());
    buckets_[weight_[row]].push_back(row);
  }

  // A random one of the lightest rows for which excluded(row) is false; there must be one.
  template <class Excluded>
  std::uint32_t lightest(Rng& rng, Excluded excluded) {
    constexpr int kProbes = 16;
    for (const auto& bucket : buckets_) {
      for (int i = 0; i < kProbes && !bucket.empty(); ++i) {
        const std::uint32_t row = bucket[rng.below(bucket.size())];
        if (!excluded(row)) return row;
      }
      open_.clear();
      std::ranges::remove_copy_if(bucket, std::back_inserter(open_), excluded);
      if (!open_.empty()) return open_[rng.below(open_.size())];
    }
    throw Error(ErrorCode::internal, "PEG", "no check is left");
  }

 private:
  std::vector<std::vector<std::uint32_t>> buckets_;
  std::vector<std::uint32_t> place_, weight_, open_;
};

// Grows one edge at a time; see the header.
class EdgeGrowth {
 public:
  explicit EdgeGrowth(const PegOptions& options)
      : options_(options),
        rng_(options.seed, 0x9e6u),
        buckets_(options.checks),
        rows_(options.checks),
        columns_(options.length),
        step_of_row_(options.checks, 0),
        column_seen_(options.length, 0) {}

  Lists run() {
    for (std::uint32_t c = 0; c < options_.length; ++c) {
      for (std::uint32_t k = 0; k < options_.column_weight; ++k) {
        const std::uint64_t near = reach(c);
        const auto excluded = [&](std::uint32_t r) { return step_of_row_[r] >= near; };
        connect(c, buckets_.lightest(rng_, excluded));
      }
    }
    return std::move(rows_);
  }

 private:
  void connect(std::uint32_t column, std::uint32_t row) {
    rows_[row].push_back(column);
    columns_[column].push_back(row);
    buckets_.add_edge(row);
  }

  // Marks the checks by how far they are from the column and returns a threshold: those marked with
  // it or above are nearer than the farthest ones. An edge to a check reached in step d closes a
  // cycle of length 2 d; steps are counted down from call to call, so that old marks are below.
  std::uint64_t reach(std::uint32_t column) {
    const std::uint64_t base = calls_++ * kSteps;
    frontier_.assign(1, column);
    column_seen_[column] = calls_;
    std::size_t reached = 0;
    for (std::uint64_t step = 1; options_.girth == 0 || 2 * step < options_.girth; ++step) {
      const std::uint64_t mark = base + kSteps - std::min(step, kSteps - 1);
      next_.clear();
      for (std::uint32_t c : frontier_) {
        for (std::uint32_t r : columns_[c]) {
          if (step_of_row_[r] <= base) step_of_row_[r] = mark, next_.push_back(r);
        }
      }
      reached += next_.size();
      if (next_.empty()) break;
      if (reached == options_.checks) return mark + 1;
      frontier_.clear();
      for (std::uint32_t r : next_) {
        for (std::uint32_t c : rows_[r]) {
          if (column_seen_[c] != calls_) column_seen_[c] = calls_, frontier_.push_back(c);
        }
      }
    }
    return base + 1;
  }

  static constexpr std::uint64_t kSteps = 1 << 20;  // more than any search takes

  PegOptions options_;
  Rng rng_;
  WeightBuckets buckets_;
  Lists rows_, columns_;
  std::vector<std::uint64_t> step_of_row_, column_seen_;
  std::uint64_t calls_ = 0;
  std::vector<std::uint32_t> frontier_, next_;
};

}  // namespace

SparseParityMatrix progressive_edge_growth(const PegOptions& options) {
  require(options.length > 0 && options.checks > 0 && options.column_weight > 0, "PEG code",
          "length, checks and column weight must be above zero");
  require(options.column_weight < options.checks, "PEG code",
          fmt::format("{} checks are too few for columns of weight {}", options.checks,
                      options.column_weight));
  return {options.length, EdgeGrowth(options).run()};
}

SparseParityMatrix with_ones(const SparseParityMatrix& matrix, std::span<const Entry> entries) {
  Lists rows;
  for (std::uint32_t r = 0; r < matrix.num_rows(); ++r) {
    rows.emplace_back(matrix.row(r).begin(), matrix.row(r).end());
  }
  for (const auto& [row, column] : entries) {
    const std::string subject = fmt::format("entry {}:{}", row, column);
    if (row >= matrix.num_rows() || column >= matrix.num_columns()) {
      throw Error(ErrorCode::usage, subject, "is outside the matrix",
                  fmt::format("it has {} rows and {} columns, counted from 0", matrix.num_rows(),
                              matrix.num_columns()));
    }
    if (contains(rows[row], column)) throw Error(ErrorCode::usage, subject, "is a one already");
    rows[row].push_back(column);
  }
  return {matrix.num_columns(), rows};
}

}  // namespace fgnn::codes
