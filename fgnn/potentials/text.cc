#include "fgnn/potentials/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "fgnn/potentials/potentials.h"

namespace fgnn {
namespace {

// The kinds of the library: one line each.
std::vector<PotentialKind> own_kinds() {
  return {Table::text(),        Sparse::text(),  Count::text(),      Parity::text(),
          AllDifferent::text(), LowRank::text(), MaxRankOne::text(), RobustPotts::text()};
}

class Kinds {
 public:
  void add(PotentialKind kind) {
    const std::lock_guard lock(mutex_);
    const auto same = std::ranges::find(all_, kind.name, &PotentialKind::name);
    if (same == all_.end()) {
      all_.push_back(std::move(kind));
    } else {
      *same = std::move(kind);
    }
  }
  std::vector<PotentialKind> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }
  std::optional<PotentialWord> word(std::string_view word) const {
    const std::lock_guard lock(mutex_);
    for (const PotentialKind& kind : all_) {
      const auto found = std::ranges::find(kind.words, word, &PotentialWord::word);
      if (found != kind.words.end()) return *found;
    }
    return std::nullopt;
  }
  bool needs_shape(std::string_view kind) const {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(all_, kind, &PotentialKind::name);
    return found != all_.end() && std::ranges::any_of(found->words, &PotentialWord::needs_shape);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<PotentialKind> all_ = own_kinds();
};

Kinds& kinds() {
  static Kinds all;
  return all;
}

std::string known_words() {
  std::string known;
  for (const PotentialKind& kind : potential_kinds()) {
    for (const PotentialWord& word : kind.words) known += (known.empty() ? "" : ", ") + word.word;
  }
  return known;
}

}  // namespace

std::uint64_t PotentialText::width() const {
  return std::accumulate(scope->begin(), scope->end(), std::uint64_t{0});
}

std::vector<double> PotentialText::log_values(std::uint64_t count) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    budget.hold_ahead(i, count, sizeof(double));
    values.push_back(log_value());
  }
  return values;
}

void add_potential_kind(PotentialKind kind) { kinds().add(std::move(kind)); }

std::vector<PotentialKind> potential_kinds() { return kinds().all(); }

bool text_needs_shape(std::string_view kind) { return kinds().needs_shape(kind); }

std::shared_ptr<const Potential> read_potential(TokenReader& tokens, ReadBudget& budget,
                                                const Shape* shape) {
  constexpr std::uint64_t kOwn = 96;  // bytes of the object itself, shared
  const std::string_view word = tokens.word("a kind of potential");
  budget.hold(1, kOwn);
  const auto known = kinds().word(word);
  if (!known) {
    tokens.fail(in_quotes(word) + " is not a kind of potential", "known are " + known_words());
  }
  if (known->needs_shape && shape == nullptr) {
    tokens.fail(known->word + " needs to know the numbers of states",
                fmt::format("write 'potential NAME over 2 2 : {} …'", known->word));
  }
  PotentialText text{tokens, budget, shape};
  return known->read(text);
}

}  // namespace fgnn
