#include "fgnn/codes/osd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "fgnn/codes/encoder.h"
#include "fgnn/codes/generator.h"
#include "fgnn/core/error.h"

namespace fgnn::codes {
namespace {

// Words this much less likely (in logarithms) than the best do not move a bit's posterior.
constexpr double kMargin = 15;

// Searches the changes of the basis of one word. Parity bits are those outside the basis; a word is
// described by what it changes: which bits of the basis, and in which parity bits it then differs
// from the hard decisions.
template <std::size_t kWords>
class Search {
 public:
  using Difference = std::array<std::uint64_t, kWords>;

  Search(const OsdOptions& options, const BitMatrix& generator, std::span<const float> llr)
      : options_(options), llr_(llr) {
    const auto n = static_cast<std::uint32_t>(llr.size());
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return std::abs(llr[a]) > std::abs(llr[b]);
    });
    BitMatrix rows = generator;
    basis_ = reduce(rows, order);
    std::vector<bool> in_basis(n, false);
    for (std::uint32_t b : basis_) in_basis[b] = true;
    for (std::uint32_t c = 0; c < n; ++c) {
      if (!in_basis[c]) parity_.push_back(c);
    }
    std::ranges::reverse(basis_);  // the least reliable first: the cheapest to change
    rows_.resize(basis_.size());
    start_ = {};
    for (std::size_t p = 0; p < parity_.size(); ++p) {
      if (llr[parity_[p]] > 0) flip(start_, p);
    }
    for (std::size_t i = 0; i < basis_.size(); ++i) {
      const std::size_t row = basis_.size() - 1 - i;
      for (std::size_t p = 0; p < parity_.size(); ++p) {
        if (rows.get(row, parity_[p])) flip(rows_[i], p);
      }
      cost_.push_back(std::abs(llr[basis_[i]]));
      if (llr[basis_[i]] > 0) add(start_, rows_[i]);
    }
    fill_tables();
  }

  void run() {
    slack_ = options_.output == OsdOutput::bits ? static_cast<float>(kMargin) : 0.0f;
    if (slack_ > 0) {
      seen_.assign(bytes() * 256, 0.0);
      changed_weight_.assign(basis_.size(), 0.0);
    }
    visit(start_, 0, 0);
    extend(start_, 0, 0, 0);
  }

  void word(std::span<std::uint8_t> bits) const {
    hard(bits);
    for (std::size_t i = 0; i < best_changes_; ++i) bits[basis_[best_[i]]] ^= 1;
    for (std::size_t p = 0; p < parity_.size(); ++p) {
      if (best_difference_[p / 64] >> p % 64 & 1) bits[parity_[p]] ^= 1;
    }
  }

  // log P(1) / P(0) over the list.
  void posterior(std::span<float> soft) const {
    for (std::size_t i = 0; i < basis_.size(); ++i) set(soft, basis_[i], changed_weight_[i]);
    for (std::size_t p = 0; p < parity_.size(); ++p) {
      double differs = 0;
      for (std::size_t value = 0; value < 256; ++value) {
        if (value >> p % 8 & 1) differs += seen_[p / 8 * 256 + value];
      }
      set(soft, parity_[p], differs);
    }
  }

 private:
  static void flip(Difference& d, std::size_t p) { d[p / 64] ^= std::uint64_t{1} << p % 64; }
  static void add(Difference& d, const Difference& row) {
    for (std::size_t w = 0; w < kWords; ++w) d[w] ^= row[w];
  }
  std::size_t bytes() const { return (parity_.size() + 7) / 8; }

  // Cost of every value of each byte of a difference.
  void fill_tables() {
    table_.assign(bytes() * 256, 0.0f);
    for (std::size_t p = 0; p < parity_.size(); ++p) {
      const float cost = std::abs(llr_[parity_[p]]);
      float* const table = table_.data() + p / 8 * 256;
      const std::size_t bit = std::size_t{1} << p % 8;
      for (std::size_t value = bit; value < 2 * bit; ++value)
        table[value] = table[value - bit] + cost;
    }
  }

  void visit(const Difference& difference, float basis_cost, std::size_t changes) {
    float cost = basis_cost;
    const float* table = table_.data();
    for (std::size_t b = 0, count = bytes(); b < count; ++b, table += 256) {
      cost += table[difference[b / 8] >> 8 * (b % 8) & 255];
    }
    if (changes == 0) first_cost_ = cost;
    if (slack_ > 0 && cost < limit_) weigh(difference, cost, changes);
    if (cost < best_cost_) {
      best_cost_ = cost;
      limit_ = cost + slack_;
      best_difference_ = difference;
      best_ = changed_;
      best_changes_ = changes;
    }
  }

  void weigh(const Difference& difference, float cost, std::size_t changes) {
    const double weight = std::exp(static_cast<double>(first_cost_ - cost));
    total_ += weight;
    for (std::size_t i = 0; i < changes; ++i) changed_weight_[changed_[i]] += weight;
    for (std::size_t b = 0, count = bytes(); b < count; ++b) {
      seen_[b * 256 + (difference[b / 8] >> 8 * (b % 8) & 255)] += weight;
    }
  }

  // All changes of one more bit of the basis, from `from` on, and those that extend them.
  void extend(const Difference& difference, float basis_cost, std::size_t changes,
              std::size_t from) {
    if (changes == options_.order) return;
    for (std::size_t i = from; i < basis_.size(); ++i) {
      const float cost = basis_cost + cost_[i];
      if (cost >= limit_) return;  // later bits cost no less
      Difference next = difference;
      add(next, rows_[i]);
      changed_[changes] = static_cast<std::uint32_t>(i);
      visit(next, cost, changes + 1);
      extend(next, cost, changes + 1, i + 1);
    }
  }

  void hard(std::span<std::uint8_t> bits) const {
    for (std::size_t c = 0; c < bits.size(); ++c) bits[c] = llr_[c] > 0;
  }

  void set(std::span<float> soft, std::uint32_t bit, double differs) const {
    constexpr double kLeast = 1e-30;
    const double same = std::max(total_ - differs, total_ * kLeast);
    const auto l = static_cast<float>(std::log(std::max(differs, total_ * kLeast) / same));
    soft[bit] = llr_[bit] > 0 ? -l : l;
  }

  const OsdOptions& options_;
  std::span<const float> llr_;
  std::vector<std::uint32_t> basis_, parity_;
  std::vector<Difference> rows_;  // parity bits that a change of the basis turns round
  std::vector<float> cost_, table_;
  Difference start_;
  std::array<std::uint32_t, 4> changed_{}, best_{};
  std::size_t best_changes_ = 0;
  Difference best_difference_{};
  float best_cost_ = std::numeric_limits<float>::infinity(), limit_ = best_cost_, slack_ = 0;
  float first_cost_ = 0;
  double total_ = 0;
  std::vector<double> seen_, changed_weight_;
};

template <std::size_t kWords>
void decode_one(const OsdOptions& options, const BitMatrix& generator, std::span<const float> llr,
                std::span<std::uint8_t> bits, std::span<float> soft) {
  Search<kWords> search(options, generator, llr);
  search.run();
  search.word(bits);
  if (options.output == OsdOutput::word) {
    // A word has no posterior; its own side of the channel's ratio stands for it.
    for (std::size_t c = 0; c < soft.size(); ++c) {
      soft[c] = bits[c] ? std::abs(llr[c]) : -std::abs(llr[c]);
    }
    return;
  }
  thread_local std::vector<float> posterior;
  posterior.resize(llr.size());
  search.posterior(posterior);
  for (std::size_t c = 0; c < bits.size(); ++c) bits[c] = posterior[c] > 0;
  std::ranges::copy(std::span(posterior).first(soft.size()), soft.begin());
}

}  // namespace

OsdDecoder::OsdDecoder(const SparseParityMatrix& checks, const OsdOptions& options)
    : checks_(checks), options_(options) {
  if (options.order > 4) {
    throw Error(ErrorCode::usage, "order", fmt::format("{} is not from 0 to 4", options.order));
  }
  const std::uint32_t rank = Encoder(checks).rank();
  if (rank > kMostParityBits) {
    throw Error(
        ErrorCode::unsupported, "osd",
        fmt::format("the code has {} parity bits, at most {} are taken", rank, kMostParityBits),
        "use sum-product for long codes");
  }
  generator_ = generator_matrix(checks);
}

void OsdDecoder::decode(const Frames& frames, Decoded& out) const {
  const std::size_t n = length();
  out.resize(frames.count, n);
  const std::size_t words = (n - generator_.rows() + 63) / 64;
  const auto one = words <= 1   ? decode_one<1>
                   : words <= 2 ? decode_one<2>
                   : words <= 4 ? decode_one<4>
                   : words <= 8 ? decode_one<8>
                                : decode_one<kMostParityBits / 64>;
  for (std::size_t f = 0; f < frames.count; ++f) {
    const std::span<std::uint8_t> bits(out.bits.data() + f * n, n);
    const std::span<float> soft(out.soft.data() + f * n, out.wants_soft ? n : 0);
    one(options_, generator_, frames.llr.subspan(f * n, n), bits, soft);
    out.valid[f] = satisfies(checks_, bits);
  }
}

}  // namespace fgnn::codes
