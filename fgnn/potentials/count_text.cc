// Counts as text: "at-most 5 of 1,2", "count 3 0 .5 1 beyond -inf", ….
#include <algorithm>
#include <charconv>
#include <cmath>

#include "fgnn/potentials/count.h"
#include "fgnn/potentials/text.h"

namespace fgnn {
namespace {

void write_state_set(TextWriter& text, const std::vector<State>& states) {
  constexpr std::size_t kTogether = 32;  // keeps tokens short
  text.put(states.empty() ? " none" : " ");
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (i > 0) text.put(i % kTogether == 0 ? ", " : ",");
    text.put(states[i]);
  }
}

void write_chosen(TextWriter& text, const Count::Chosen& chosen) {
  if (chosen == Count::Chosen{{1}}) return;
  if (chosen.size() == 1) {
    text.put(" of");
  } else {
    text.put(" of-each ", chosen.size());
  }
  for (const auto& states : chosen) write_state_set(text, states);
}

// Plus zero: the text of a named form reads back as that, and -0 must survive.
bool is_zero(double value) { return value == 0 && !std::signbit(value); }

// "at-most 5" and its like when the values are of that form.
bool write_named_count(TextWriter& text, const Count& count) {
  const auto& values = count.values();
  const auto forbidden = [](double value) { return value == kForbidden; };
  if (is_zero(count.beyond())) {
    if (!std::ranges::all_of(values, forbidden)) return false;
    text.put("at-least ", values.size());
    return true;
  }
  if (values.empty() || count.beyond() != kForbidden || !is_zero(values.back())) return false;
  const std::size_t k = values.size() - 1;
  if (k > 0 && std::all_of(values.begin(), values.end() - 1, forbidden)) {
    k == 1 ? text.put("exactly-one") : text.put("exactly ", k);
    return true;
  }
  if (!std::ranges::all_of(values, is_zero)) return false;
  text.put("at-most ", k);
  return true;
}

// "1", "0,2" or "none"; a comma at the end continues the set in the next token.
std::vector<State> read_state_set(TokenReader& tokens) {
  std::vector<State> states;
  while (true) {
    const std::string_view token = tokens.word("states such as 0,2");
    if (states.empty() && token == "none") return states;
    const char* at = token.data();
    const char* end = at + token.size();
    while (at != end) {
      State state = 0;
      const auto [stop, failure] = std::from_chars(at, end, state);
      const bool separated = stop == end || *stop == ',';
      if (failure != std::errc() || !separated) {
        tokens.fail("expected states such as 0,2, found " + in_quotes(token));
      }
      states.push_back(state);
      if (stop == end) return states;
      at = stop + 1;
    }
  }
}

Count::Chosen read_chosen(PotentialText& text) {
  if (text.tokens.take_if("of")) return {read_state_set(text.tokens)};
  if (!text.tokens.take_if("of-each")) return {{1}};
  Count::Chosen chosen;
  const std::uint64_t count = text.tokens.integer("a number of positions", 1, UINT64_MAX);
  for (std::uint64_t i = 0; i < count; ++i) {
    text.budget.hold_ahead(i, count, 2 * sizeof(std::vector<State>));
    chosen.push_back(read_state_set(text.tokens));
  }
  return chosen;
}

// The k of at-most k: one value is stored per count up to it.
std::uint64_t read_k(PotentialText& text) {
  const std::uint64_t k = text.tokens.integer("a count", 0, UINT32_MAX);
  text.budget.imply(k + 1);
  text.budget.hold(k + 1, sizeof(double));
  return k;
}

// A word for one of the named forms, followed by its k.
PotentialWord named(const char* word, Count (*make)(std::size_t, Count::Chosen)) {
  return {word, false, [make](PotentialText& text) {
            const std::uint64_t k = read_k(text);
            return shared(make(k, read_chosen(text)));
          }};
}

}  // namespace

bool Count::write(TextWriter& text) const {
  constexpr std::size_t kPerLine = 16;
  if (!write_named_count(text, *this)) {
    text.put("count ", values_.size()).list(values_, kPerLine);
    if (beyond_ != kForbidden) text.put(" beyond ", beyond_);
  }
  write_chosen(text, chosen_);
  return true;
}

PotentialKind Count::text() {
  const auto read = [](PotentialText& text) {
    const std::uint64_t count = text.tokens.integer("a number of values", 0, UINT64_MAX);
    std::vector<double> values = text.log_values(count);
    const double beyond = text.tokens.take_if("beyond") ? text.log_value() : kForbidden;
    return shared(Count(std::move(values), beyond, read_chosen(text)));
  };
  const auto read_one = [](PotentialText& text) { return shared(exactly_one(read_chosen(text))); };
  return {"count",
          "a function of how many variables are in chosen states",
          "n",
          {{"count", false, read},
           named("at-most", at_most),
           named("at-least", at_least),
           named("exactly", exactly),
           {"exactly-one", false, read_one}}};
}

}  // namespace fgnn
