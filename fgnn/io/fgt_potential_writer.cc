#include <algorithm>
#include <cmath>

#include "fgnn/io/fgt_potentials.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn {
namespace {

constexpr std::size_t kPerLine = 16;

void write(TextWriter& text, const Table& table) {
  const std::size_t row = table.shape().empty() ? 1 : table.shape().back();
  text.put("table").list(table.values(), std::max(row, kPerLine / row * row));
}

void write(TextWriter& text, const Sparse& sparse) {
  text.put("sparse ", sparse.otherwise(), ' ', sparse.size());
  for (std::size_t i = 0; i < sparse.size(); ++i) {
    text.put("\n ");
    for (State x : sparse.row(i)) text.put(' ', x);
    text.put("  ", sparse.value(i));
  }
}

void write(TextWriter& text, const LowRank& potential) {
  text.put("low-rank ", potential.rank());
  if (potential.log_scale() != 0) text.put(" scale ", potential.log_scale());
  for (std::size_t r = 0; r < potential.rank(); ++r) {
    text.put("\n  ", potential.lambda()[r]);
    for (std::size_t j = 0; j < potential.shape().size(); ++j) {
      text.put(' ');
      for (State x = 0; x < potential.shape()[j]; ++x) text.put(' ', potential.weight(j, x, r));
    }
  }
}

void write(TextWriter& text, const MaxRankOne& potential) {
  text.put("max-rank-1 ", potential.size());
  for (std::size_t z = 0; z < potential.size(); ++z) {
    text.put("\n ");
    for (double weight : potential.term(z)) text.put(' ', weight);
  }
}

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

void write(TextWriter& text, const Count& count) {
  if (!write_named_count(text, count)) {
    text.put("count ", count.values().size()).list(count.values(), kPerLine);
    if (count.beyond() != kForbidden) text.put(" beyond ", count.beyond());
  }
  write_chosen(text, count.chosen());
}

void write(TextWriter& text, const Parity& parity) {
  text.put(parity.odd() ? "parity odd" : "parity even");
}

void write(TextWriter& text, const AllDifferent&) { text.put("all-different"); }

template <class Kind>
bool write_if(TextWriter& text, const Potential& potential) {
  const auto* kind = dynamic_cast<const Kind*>(&potential);
  if (kind != nullptr) write(text, *kind);
  return kind != nullptr;
}

template <class... Kinds>
bool is_any(const Potential& potential) {
  return ((dynamic_cast<const Kinds*>(&potential) != nullptr) || ...);
}

}  // namespace

bool write_fgt_potential(TextWriter& text, const Potential& potential) {
  return write_if<Table>(text, potential) || write_if<Sparse>(text, potential) ||
         write_if<LowRank>(text, potential) || write_if<MaxRankOne>(text, potential) ||
         write_if<Count>(text, potential) || write_if<Parity>(text, potential) ||
         write_if<AllDifferent>(text, potential);
}

bool fgt_needs_shape(const Potential& potential) {
  return is_any<Table, Sparse, LowRank, MaxRankOne>(potential);
}

}  // namespace fgnn
