#include "fgnn/codes/analyse.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <set>

#include "fgnn/codes/bp/tanner.h"
#include "fgnn/codes/generator.h"
#include "fgnn/core/random.h"

namespace fgnn::codes {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Breadth-first search over columns (numbers below n) and rows (n and above).
class Bfs {
 public:
  explicit Bfs(const SparseParityMatrix& m)
      : m_(m), n_(m.num_columns()), distance_(n_ + m.num_rows(), kNone), from_(distance_.size()) {}

  // The shortest cycle seen from this column, if shorter than `best`.
  std::uint32_t shortest(std::uint32_t column, std::uint32_t best) {
    queue_.assign(1, column);
    distance_[column] = 0;
    from_[column] = kNone;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const std::uint32_t u = queue_[head];
      if (2 * distance_[u] + 1 >= best) break;
      for (std::uint32_t neighbour : u < n_ ? m_.column(u) : m_.row(u - n_)) {
        const std::uint32_t v = u < n_ ? neighbour + n_ : neighbour;
        if (v == from_[u]) continue;
        if (distance_[v] != kNone) {
          best = std::min(best, distance_[u] + distance_[v] + 1);
        } else {
          distance_[v] = distance_[u] + 1;
          from_[v] = u;
          queue_.push_back(v);
        }
      }
    }
    for (std::uint32_t v : queue_) distance_[v] = kNone;
    return best;
  }

 private:
  const SparseParityMatrix& m_;
  std::uint32_t n_;
  std::vector<std::uint32_t> distance_, from_, queue_;
};

// Walks along edges from columns to rows that never go back on the edge they came by. A closed walk
// is one of half its steps from the edge, and one of the other half that ends at the edge: both
// have few ends, where the whole walk would have their product.
class Walks {
 public:
  explicit Walks(const SparseParityMatrix& m)
      : g_(m), row_(g_.edges()), forward_(g_.edges()), backward_(g_.edges()) {
    for (std::uint32_t r = 0; r < g_.checks; ++r) {
      for (std::uint32_t e = g_.check_begin[r]; e < g_.check_begin[r + 1]; ++e) row_[e] = r;
    }
  }

  // closed[s] += walks of s + 1 double steps that come back to the edge.
  void add(std::uint32_t edge, std::vector<std::uint64_t>& closed) {
    forward_.start(edge);
    backward_.start(edge);
    for (std::size_t s = 0; s < closed.size(); ++s) {
      s % 2 == 0 ? step(forward_) : step_back(backward_);
      for (std::uint32_t e : backward_.ends) closed[s] += backward_.count[e] * forward_.count[e];
    }
    forward_.clear();
    backward_.clear();
  }

 private:
  struct Ends {
    explicit Ends(std::size_t edges) : count(edges, 0), next_count(edges, 0) {}
    void start(std::uint32_t edge) {
      ends.assign(1, edge);
      count[edge] = 1;
    }
    void add(std::uint32_t edge, std::uint64_t walks) {
      if (next_count[edge] == 0) next_ends.push_back(edge);
      next_count[edge] += walks;
    }
    void finish_step() {
      for (std::uint32_t e : ends) count[e] = 0;
      for (std::uint32_t e : next_ends) count[e] = std::exchange(next_count[e], 0);
      std::swap(ends, next_ends);
      next_ends.clear();
    }
    void clear() {
      for (std::uint32_t e : ends) count[e] = 0;
    }
    std::vector<std::uint64_t> count, next_count;  // walks by the edge they have come to
    std::vector<std::uint32_t> ends, next_ends;
  };

  void step(Ends& walks) {
    for (std::uint32_t e : walks.ends) {
      const std::uint32_t r = row_[e];
      for (std::uint32_t f = g_.check_begin[r]; f < g_.check_begin[r + 1]; ++f) {
        if (f == e) continue;
        const std::uint32_t c = g_.edge_bit[f];
        for (std::uint32_t k = g_.bit_begin[c]; k < g_.bit_begin[c + 1]; ++k) {
          if (g_.bit_edge[k] != f) walks.add(g_.bit_edge[k], walks.count[e]);
        }
      }
    }
    walks.finish_step();
  }

  void step_back(Ends& walks) {
    for (std::uint32_t e : walks.ends) {
      const std::uint32_t c = g_.edge_bit[e];
      for (std::uint32_t k = g_.bit_begin[c]; k < g_.bit_begin[c + 1]; ++k) {
        const std::uint32_t f = g_.bit_edge[k], r = row_[f];
        if (f == e) continue;
        for (std::uint32_t h = g_.check_begin[r]; h < g_.check_begin[r + 1]; ++h) {
          if (h != f) walks.add(h, walks.count[e]);
        }
      }
    }
    walks.finish_step();
  }

  Tanner g_;
  std::vector<std::uint32_t> row_;
  Ends forward_, backward_;
};

// Edges looked at by walks of this many double steps, about.
double work(const SparseParityMatrix& m, std::uint32_t steps) {
  const double ones = static_cast<double>(m.num_ones());
  const double branches = (ones / m.num_columns() - 1) * (ones / m.num_rows() - 1);
  double frontier = 1, sum = 0;
  for (std::uint32_t s = 0; s < steps; s += 2) {
    sum += 2 * frontier * branches;
    frontier = std::min(frontier * branches, ones);
  }
  return ones * sum;
}

}  // namespace

std::uint32_t girth(const SparseParityMatrix& checks, const Budget& budget) {
  Bfs search(checks);
  std::uint32_t best = kNone;
  for (std::uint32_t c = 0; c < checks.num_columns() && best > 4; ++c) {
    budget.check_time();
    best = search.shortest(c, best);
  }
  return best == kNone ? 0 : best;
}

std::map<std::uint32_t, std::uint64_t> short_cycles(const SparseParityMatrix& checks,
                                                    std::uint32_t girth, std::uint32_t longest,
                                                    const Budget& budget) {
  std::map<std::uint32_t, std::uint64_t> cycles;
  if (girth == 0) return cycles;
  std::uint32_t most = std::min(longest, 2 * girth - 2);
  constexpr double kMostWork = 2e9;
  while (most >= girth && work(checks, most / 2) > kMostWork) most -= 2;
  if (most < girth) return cycles;
  std::vector<std::uint64_t> closed(most / 2, 0);
  Walks walks(checks);
  for (std::uint32_t e = 0; e < checks.num_ones(); ++e) {
    budget.check_time();
    walks.add(e, closed);
  }
  // A cycle of length l is found from its l / 2 edges, in both directions.
  for (std::uint32_t l = girth; l <= most; l += 2) cycles[l] = closed[l / 2 - 1] / l;
  return cycles;
}

namespace {

class WordCollector {
 public:
  void see(std::span<const std::uint64_t> word) {
    std::uint32_t weight = 0;
    for (std::uint64_t w : word) weight += static_cast<std::uint32_t>(std::popcount(w));
    if (weight == 0 || weight > least_ + 2) return;
    least_ = std::min(least_, weight);
    if (words_[weight].size() < kMostKept) words_[weight].emplace(word.begin(), word.end());
  }
  LowWeightWords result() const {
    LowWeightWords found;
    if (words_.empty()) return found;
    found.least = least_;
    for (const auto& [weight, words] : words_) {
      if (weight <= least_ + 2) found.by_weight[weight] = words.size();
    }
    return found;
  }

 private:
  static constexpr std::size_t kMostKept = 100000;
  std::uint32_t least_ = kNone - 2;
  std::map<std::uint32_t, std::set<std::vector<std::uint64_t>>> words_;
};

}  // namespace

LowWeightWords low_weight_words(const SparseParityMatrix& checks, std::uint64_t seed,
                                const Budget& budget) {
  constexpr std::uint32_t kLongest = 4096;
  if (checks.num_columns() > kLongest) return {};
  const BitMatrix generator = generator_matrix(checks);
  const std::size_t k = generator.rows(), words = generator.words();
  const double work = double(k) * double(k) * double(words) + 1;
  const int trials = static_cast<int>(std::clamp(2e9 / work, 5.0, 2000.0));
  std::vector<std::uint32_t> order(checks.num_columns());
  std::iota(order.begin(), order.end(), 0u);
  Rng rng(seed, 0x10u);
  WordCollector collector;
  std::vector<std::uint64_t> sum(words);
  for (int trial = 0; trial < trials; ++trial) {
    rng.shuffle(order);
    BitMatrix rows = generator;
    reduce(rows, order);
    for (std::size_t a = 0; a < k; ++a) {
      budget.check_time();
      collector.see(rows.row(a));
      for (std::size_t b = 0; b < a; ++b) {
        for (std::size_t w = 0; w < words; ++w) sum[w] = rows.row(a)[w] ^ rows.row(b)[w];
        collector.see(sum);
      }
    }
  }
  return collector.result();
}

}  // namespace fgnn::codes
