// The kinds of potentials by name, and their text: what stands behind the colon of a factor in the
// .fgt format. A kind of a user's own joins by add_potential_kind() and is then read, written and
// listed like the others; Potential::write writes what the kind's words read.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/core/read_budget.h"
#include "fgnn/core/text_writer.h"
#include "fgnn/core/token_reader.h"
#include "fgnn/graph/potential.h"

namespace fgnn {

// The text at hand, behind the kind's word.
struct PotentialText {
  TokenReader& tokens;
  ReadBudget& budget;  // hold() memory before it is allocated
  const Shape* scope;  // null: not known, which words that need the shape never see

  std::vector<State> shape() const { return {scope->begin(), scope->end()}; }
  std::uint64_t width() const;  // states of all variables together
  double log_value() { return tokens.number("a number or -inf", Infinity::minus); }
  std::vector<double> log_values(std::uint64_t count);
};

struct PotentialWord {
  std::string word;
  bool needs_shape = false;
  std::function<std::shared_ptr<const Potential>(PotentialText&)> read;
};

struct PotentialKind {
  std::string name;     // Potential::kind()
  std::string formula;  // log phi(x) on n variables of d states
  std::string memory;
  std::vector<PotentialWord> words;
};

// In place of a kind of the same name. Any thread, at any time.
void add_potential_kind(PotentialKind kind);

// Those of the library first.
std::vector<PotentialKind> potential_kinds();

// Reads "table 0 .1 .2 1", "at-most 5 of 1,2", …. `shape` is that of the scope, or null.
std::shared_ptr<const Potential> read_potential(TokenReader& tokens, ReadBudget& budget,
                                                const Shape* shape);

// Whether the text of potentials of this kind needs the shape to be read back.
bool text_needs_shape(std::string_view kind);

// For the words of a kind.
template <class Kind>
std::shared_ptr<const Potential> shared(Kind potential) {
  return std::make_shared<const Kind>(std::move(potential));
}

}  // namespace fgnn
