#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "fgnn/io/fgt_potentials.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn {
namespace {

using Made = std::shared_ptr<const Potential>;

class PotentialReader {
 public:
  PotentialReader(TokenReader& tokens, ReadBudget& budget, const Shape* shape)
      : tokens_(tokens), budget_(budget), shape_(shape) {}

  Made read();

 private:
  struct Kind {
    std::string_view word;
    bool needs_shape;
    Made (PotentialReader::*read)();
  };
  static const std::array<Kind, 11> kKinds;

  Made read_table();
  Made read_sparse();
  Made read_low_rank();
  Made read_max_rank_one();
  Made read_count();
  Made read_at_most() {
    const std::uint64_t k = read_k();
    return make(Count::at_most(k, read_chosen()));
  }
  Made read_at_least() {
    const std::uint64_t k = read_k();
    return make(Count::at_least(k, read_chosen()));
  }
  Made read_exactly() {
    const std::uint64_t k = read_k();
    return make(Count::exactly(k, read_chosen()));
  }
  Made read_exactly_one() { return make(Count::exactly_one(read_chosen())); }
  Made read_parity();
  Made read_all_different() { return make(AllDifferent()); }

  template <class P>
  static Made make(P potential) {
    return std::make_shared<const P>(std::move(potential));
  }
  std::uint64_t read_k();
  Count::Chosen read_chosen();
  std::vector<State> read_state_set();
  double read_log_value() { return tokens_.number("a number or -inf", Infinity::minus); }
  std::vector<State> shape() const { return {shape_->begin(), shape_->end()}; }
  // Numbers per rank-1 term: one for each state of each variable.
  std::uint64_t width() const {
    return std::accumulate(shape_->begin(), shape_->end(), std::uint64_t{0});
  }

  TokenReader& tokens_;
  ReadBudget& budget_;
  const Shape* shape_;
};

const std::array<PotentialReader::Kind, 11> PotentialReader::kKinds{{
    {"table", true, &PotentialReader::read_table},
    {"sparse", true, &PotentialReader::read_sparse},
    {"low-rank", true, &PotentialReader::read_low_rank},
    {"max-rank-1", true, &PotentialReader::read_max_rank_one},
    {"count", false, &PotentialReader::read_count},
    {"at-most", false, &PotentialReader::read_at_most},
    {"at-least", false, &PotentialReader::read_at_least},
    {"exactly", false, &PotentialReader::read_exactly},
    {"exactly-one", false, &PotentialReader::read_exactly_one},
    {"parity", false, &PotentialReader::read_parity},
    {"all-different", false, &PotentialReader::read_all_different},
}};

Made PotentialReader::read() {
  constexpr std::uint64_t kOwn = 96;  // bytes of the object itself, shared
  const std::string_view word = tokens_.word("a kind of potential");
  budget_.hold(1, kOwn);
  const auto kind = std::ranges::find(kKinds, word, &Kind::word);
  if (kind == kKinds.end()) {
    std::string known;
    for (const Kind& k : kKinds) known += (known.empty() ? "" : ", ") + std::string(k.word);
    tokens_.fail(in_quotes(word) + " is not a kind of potential", "known are " + known);
  }
  if (kind->needs_shape && shape_ == nullptr) {
    tokens_.fail(std::string(word) + " needs to know the numbers of states",
                 fmt::format("write 'potential NAME over 2 2 : {} …'", word));
  }
  return (this->*kind->read)();
}

Made PotentialReader::read_table() {
  std::vector<double> values;
  const std::uint64_t entries = configurations(*shape_);
  for (std::uint64_t i = 0; i < entries; ++i) {
    budget_.hold_ahead(i, entries, sizeof(double));
    values.push_back(read_log_value());
  }
  return make(Table(shape(), std::move(values)));
}

Made PotentialReader::read_sparse() {
  const double otherwise = read_log_value();
  const std::uint64_t count = tokens_.integer("a number of rows", 0, UINT64_MAX);
  std::vector<State> rows;
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    budget_.hold(1, sizeof(double) + shape_->size() * sizeof(State));
    for (State states : *shape_) rows.push_back(tokens_.integer32("a state", 0, states - 1));
    values.push_back(read_log_value());
  }
  return make(Sparse(shape(), otherwise, std::move(rows), std::move(values)));
}

Made PotentialReader::read_low_rank() {
  const std::uint64_t rank = tokens_.integer("a number of terms", 0, UINT64_MAX);
  const double scale = tokens_.take_if("scale") ? tokens_.number("a number") : 0.0;
  std::vector<double> lambda;
  std::vector<std::vector<double>> terms;
  for (std::uint64_t r = 0; r < rank; ++r) {
    budget_.hold(1, 2 * sizeof(double) * (width() + 2));  // by term and by variable
    lambda.push_back(tokens_.number("a number"));
    auto& term = terms.emplace_back();
    for (std::uint64_t i = width(); i > 0; --i) term.push_back(tokens_.number("a number"));
  }
  return LowRank::from_terms(shape(), std::move(lambda), terms, scale);
}

Made PotentialReader::read_max_rank_one() {
  const std::uint64_t count = tokens_.integer("a number of terms", 0, UINT64_MAX);
  std::vector<std::vector<double>> terms;
  for (std::uint64_t z = 0; z < count; ++z) {
    budget_.hold(1, sizeof(double) * (width() + 4));
    auto& term = terms.emplace_back();
    for (std::uint64_t i = width(); i > 0; --i) term.push_back(read_log_value());
  }
  return make(MaxRankOne(shape(), std::move(terms)));
}

Made PotentialReader::read_count() {
  const std::uint64_t count = tokens_.integer("a number of values", 0, UINT64_MAX);
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    budget_.hold_ahead(i, count, sizeof(double));
    values.push_back(read_log_value());
  }
  const double beyond = tokens_.take_if("beyond") ? read_log_value() : kForbidden;
  return make(Count(std::move(values), beyond, read_chosen()));
}

// The k of at-most k: one value is stored per count up to it.
std::uint64_t PotentialReader::read_k() {
  const std::uint64_t k = tokens_.integer("a count", 0, UINT32_MAX);
  budget_.imply(k + 1);
  budget_.hold(k + 1, sizeof(double));
  return k;
}

Count::Chosen PotentialReader::read_chosen() {
  Count::Chosen chosen;
  if (tokens_.take_if("of")) {
    chosen.push_back(read_state_set());
  } else if (tokens_.take_if("of-each")) {
    const std::uint64_t count = tokens_.integer("a number of positions", 1, UINT64_MAX);
    for (std::uint64_t i = 0; i < count; ++i) {
      budget_.hold_ahead(i, count, 2 * sizeof(std::vector<State>));
      chosen.push_back(read_state_set());
    }
  } else {
    chosen.push_back({1});
  }
  return chosen;
}

// "1", "0,2" or "none"; a comma at the end continues the set in the next token.
std::vector<State> PotentialReader::read_state_set() {
  std::vector<State> states;
  while (true) {
    const std::string_view token = tokens_.word("states such as 0,2");
    if (states.empty() && token == "none") return states;
    const char* at = token.data();
    const char* end = at + token.size();
    while (at != end) {
      State state = 0;
      const auto [stop, failure] = std::from_chars(at, end, state);
      const bool separated = stop == end || *stop == ',';
      if (failure != std::errc() || !separated) {
        tokens_.fail("expected states such as 0,2, found " + in_quotes(token));
      }
      states.push_back(state);
      if (stop == end) return states;
      at = stop + 1;
    }
  }
}

Made PotentialReader::read_parity() {
  const std::string_view word = tokens_.word("even or odd");
  if (word != "even" && word != "odd") {
    tokens_.fail("expected even or odd, found " + in_quotes(word));
  }
  return make(Parity(word == "odd"));
}

}  // namespace

std::shared_ptr<const Potential> read_fgt_potential(TokenReader& tokens, ReadBudget& budget,
                                                    const Shape* shape) {
  return PotentialReader(tokens, budget, shape).read();
}

}  // namespace fgnn
