#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fgnn/core/token_reader.h"
#include "fgnn/io/fgt.h"
#include "fgnn/io/reader_tools.h"
#include "fgnn/potentials/text.h"

namespace fgnn {
namespace {

constexpr std::uint64_t kVersion = 1;

// "name", "name[index]" or "name[begin..end]", both ends included.
struct Reference {
  std::string_view name;
  std::optional<std::uint64_t> first, last;  // last: of a range only
};

std::optional<Reference> parse_reference(std::string_view token) {
  const std::size_t bracket = token.find('[');
  Reference reference{token.substr(0, bracket), {}, {}};
  if (bracket == std::string_view::npos) return reference;
  const char* end = token.data() + token.size();
  std::uint64_t value = 0;
  auto parsed = std::from_chars(token.data() + bracket + 1, end, value);
  if (parsed.ec != std::errc()) return std::nullopt;
  reference.first = value;
  if (std::string_view(parsed.ptr, end).starts_with("..")) {
    parsed = std::from_chars(parsed.ptr + 2, end, value);
    if (parsed.ec != std::errc()) return std::nullopt;
    reference.last = value;
  }
  if (std::string_view(parsed.ptr, end) != "]") return std::nullopt;
  return reference;
}

class FgtReader {
 public:
  FgtReader(std::istream& in, const std::string& file, const ReadLimits& limits)
      : tokens_(in, file, Comments::hash), budget_(tokens_, limits) {}

  FactorGraph read() {
    tokens_.expect("fgnn");
    if (tokens_.integer("a version", 0, UINT64_MAX) != kVersion) {
      tokens_.fail(fmt::format("this program reads version {} of the format", kVersion));
    }
    while (!tokens_.at_end()) read_statement();
    return std::move(builder_).build();
  }

 private:
  void read_statement();
  void read_var();
  void read_unary();
  void read_factor();
  void read_potential();
  void read_scope_entry();
  std::vector<State> read_each(std::uint64_t count);
  [[noreturn]] void fail_unknown(std::string_view token) const;
  Shape scope_shape();

  TokenReader tokens_;
  ReadBudget budget_;
  GraphBuilder builder_;
  RepeatFinder repeats_;
  std::vector<VariableId> scope_;
  std::vector<State> shape_;
  std::unordered_map<std::string, PotentialId> potentials_;
};

void FgtReader::read_statement() {
  const std::string_view word = tokens_.word("a statement");
  const Place place = tokens_.place();
  if (word == "var") {
    read_var();
  } else if (word == "unary") {
    read_unary();
  } else if (word == "factor") {
    read_factor();
  } else if (word == "potential") {
    read_potential();
  } else if (word == "constant") {
    const double value = tokens_.number("a number or -inf", Infinity::minus);
    tokens_.at(place, [&] { builder_.constant(value); });
  } else {
    tokens_.fail("expected var, constant, unary, factor or potential, found " + in_quotes(word));
  }
}

// var rain 3 | var x[30] 2 | var x[3] each 2 2 3
void FgtReader::read_var() {
  const Place statement = tokens_.place();
  const std::string token(tokens_.word("a name"));
  const auto declared = parse_reference(token);
  if (!declared || declared->last) {
    tokens_.fail("expected a name such as rain or x[30], found " + in_quotes(token));
  }
  std::string name(declared->name);
  budget_.hold_name(name.size());
  if (declared->first && tokens_.take_if("each")) {
    const std::vector<State> states = read_each(*declared->first);
    tokens_.at(statement, [&] { builder_.variables(std::move(name), states); });
    return;
  }
  const std::uint32_t states = tokens_.integer32("a number of states", 1);
  budget_.declare(declared->first.value_or(1), states);
  tokens_.at(statement, [&] {
    if (declared->first) {
      builder_.variables(std::move(name), *declared->first, states);
    } else {
      builder_.variable(std::move(name), states);
    }
  });
}

std::vector<State> FgtReader::read_each(std::uint64_t count) {
  std::vector<State> states;
  for (std::uint64_t i = 0; i < count; ++i) {
    states.push_back(tokens_.integer32("a number of states", 1));
    budget_.declare(1, states.back());
  }
  return states;
}

void FgtReader::fail_unknown(std::string_view token) const {
  tokens_.fail(fmt::format("there is no variable {}", in_quotes(token)),
               token.ends_with(':') ? "put a space before the colon" : "declare it with var first");
}

void FgtReader::read_unary() {
  const Place statement = tokens_.place();
  const std::string_view token = tokens_.word("a variable");
  const auto variable = builder_.names().find(token);
  if (!variable) fail_unknown(token);
  std::vector<double> values;
  for (State x = 0; x < builder_.states(*variable); ++x) {
    values.push_back(tokens_.number("a number or -inf", Infinity::minus));
  }
  tokens_.at(statement, [&] { builder_.unary(*variable, values); });
}

// One variable, a range of an array, or all of it.
void FgtReader::read_scope_entry() {
  const std::string_view token = tokens_.word("a variable or ':'");
  const auto reference = parse_reference(token);
  const NameBlock* block = reference ? builder_.names().block(reference->name) : nullptr;
  if (block == nullptr || (reference->first && !block->array)) fail_unknown(token);
  const std::uint64_t first = reference->first.value_or(0);
  const std::uint64_t whole = reference->first ? first : std::uint64_t{block->count} - 1;
  const std::uint64_t last = reference->last.value_or(whole);
  if (block->count == 0) tokens_.fail(in_quotes(token) + " is an empty array");
  if (last >= block->count) {
    tokens_.fail(fmt::format("there is no {}[{}]", block->name, last),
                 fmt::format("the array has {} elements", block->count));
  }
  if (first > last) {
    tokens_.fail(fmt::format("{} is a range that runs backwards", in_quotes(token)));
  }
  budget_.imply(last - first);
  budget_.hold_factor(last - first + 1);
  for (std::uint64_t i = first; i <= last; ++i) {
    const VariableId v = block->first + static_cast<VariableId>(i);
    if (!repeats_.first_time(v)) tokens_.fail(builder_.name(v) + " is in the scope twice");
    scope_.push_back(v);
  }
}

Shape FgtReader::scope_shape() {
  shape_.clear();
  for (VariableId v : scope_) shape_.push_back(builder_.states(v));
  return shape_;
}

// factor x[0] x[1] : table … | factor x[2..9] : use budget
void FgtReader::read_factor() {
  const Place statement = tokens_.place();
  scope_.clear();
  repeats_.start_list();
  while (!tokens_.take_if(":")) read_scope_entry();
  // Before the potential is read: on no variables its lists would be of nothing, without end.
  if (scope_.empty()) tokens_.fail_at(statement, "the factor has no variables", "use constant");
  if (tokens_.take_if("use")) {
    const std::string_view name = tokens_.word("the name of a potential");
    const auto known = potentials_.find(std::string(name));
    if (known == potentials_.end()) {
      tokens_.fail("there is no potential " + in_quotes(name), "declare it with potential first");
    }
    tokens_.at(statement,
               [&] { builder_.factor(std::span<const VariableId>(scope_), known->second); });
    return;
  }
  const Shape shape = scope_shape();
  tokens_.at(statement, [&] {
    builder_.factor(std::span<const VariableId>(scope_),
                    fgnn::read_potential(tokens_, budget_, &shape));
  });
}

// potential budget : at-most 5 | potential coupling over 2 2 : table …
void FgtReader::read_potential() {
  const Place statement = tokens_.place();
  std::string name(tokens_.word("a name"));
  if (name == ":" || name == "over") tokens_.fail("expected a name, found " + in_quotes(name));
  if (potentials_.contains(name)) {
    tokens_.fail(fmt::format("there is already a potential {}", in_quotes(name)));
  }
  shape_.clear();
  const bool shaped = tokens_.take_if("over");
  while (shaped && (shape_.empty() || tokens_.peek() != ":")) {
    shape_.push_back(tokens_.integer32("a number of states", 1));
  }
  tokens_.expect(":");
  const Shape shape = shape_;
  tokens_.at(statement, [&] {
    potentials_.emplace(std::move(name), builder_.potential(fgnn::read_potential(
                                             tokens_, budget_, shaped ? &shape : nullptr)));
  });
}

}  // namespace

FactorGraph read_fgt(std::istream& in, const std::string& file, const ReadLimits& limits) {
  return FgtReader(in, file, limits).read();
}

}  // namespace fgnn
