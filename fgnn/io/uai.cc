#include "fgnn/io/uai.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fgnn/core/text_writer.h"
#include "fgnn/core/token_reader.h"
#include "fgnn/core/warning.h"
#include "fgnn/graph/statistics.h"
#include "fgnn/io/linear_values.h"
#include "fgnn/io/reader_tools.h"
#include "fgnn/potentials/checks.h"

namespace fgnn {
namespace {

class UaiReader {
 public:
  UaiReader(std::istream& in, const std::string& file, const ReadLimits& limits)
      : tokens_(in, file, Comments::none), budget_(tokens_, limits) {}

  FactorGraph read() {
    read_header();
    read_variables();
    read_scopes();
    std::size_t begin = 0;
    for (std::size_t end : scope_ends_) {
      read_table(std::span(scopes_).subspan(begin, end - begin));
      begin = end;
    }
    skip_queries();
    tokens_.expect_end("the last table");
    return std::move(builder_).build();
  }

 private:
  void read_header();
  void read_variables();
  void read_scopes();
  void read_table(std::span<const VariableId> scope);
  void skip_queries();

  TokenReader tokens_;
  ReadBudget budget_;
  GraphBuilder builder_;
  std::vector<VariableId> scopes_;       // of all factors, one after another
  std::vector<std::size_t> scope_ends_;  // per factor
  TablePool tables_;
};

void UaiReader::read_header() {
  const std::string_view word = tokens_.word("MARKOV or BAYES");
  if (word != "MARKOV" && word != "BAYES") {
    tokens_.fail("expected MARKOV or BAYES, found " + in_quotes(word));
  }
}

void UaiReader::read_variables() {
  const std::uint32_t count = tokens_.integer32("a number of variables");
  std::vector<State> states;
  for (std::uint32_t v = 0; v < count; ++v) {
    states.push_back(tokens_.integer32("a number of states", 1));
    budget_.declare(1, states.back());
  }
  tokens_.at(tokens_.place(), [&] { builder_.variables("x", states); });
}

void UaiReader::read_scopes() {
  const auto variables = static_cast<std::uint32_t>(builder_.num_variables());
  const std::uint32_t factors = tokens_.integer32("a number of factors");
  RepeatFinder repeats;
  for (std::uint32_t c = 0; c < factors; ++c) {
    const std::uint32_t arity = tokens_.integer32("the size of a scope", 0, variables);
    budget_.hold_factor(arity);
    repeats.start_list();
    for (std::uint32_t i = 0; i < arity; ++i) {
      const VariableId v = tokens_.integer32("a variable", 0, variables - 1);
      if (!repeats.first_time(v)) tokens_.fail(fmt::format("variable {} is in a scope twice", v));
      scopes_.push_back(v);
    }
    scope_ends_.push_back(scopes_.size());
  }
}

void UaiReader::read_table(std::span<const VariableId> scope) {
  std::vector<State> shape;
  for (VariableId v : scope) shape.push_back(builder_.states(v));
  const std::uint64_t entries = tokens_.integer("the size of a table", 0, UINT64_MAX);
  const Place place = tokens_.place();
  if (entries != configurations(shape)) {
    tokens_.fail(fmt::format("a table of {} entries on a scope of {}", entries,
                             shape.empty() ? "no variables" : shape_text(shape) + " states"));
  }
  std::vector<double> values;
  values.reserve(std::min<std::uint64_t>(entries, 1024));  // the file must justify the rest
  for (std::uint64_t i = 0; i < entries; ++i) {
    budget_.hold_ahead(i, entries, sizeof(double));
    values.push_back(read_linear(tokens_, "a number"));
  }
  tokens_.at(place, [&] {
    if (scope.empty()) return builder_.constant(values[0]);
    if (scope.size() == 1) return builder_.unary(scope[0], values);
    const PotentialId table = tables_.add(builder_, std::move(shape), std::move(values), budget_);
    builder_.factor(scope, table);
  });
}

// Some programs keep the variables that they are asked about in the same file: on lines of their
// own, perhaps the word QUERY, then whole numbers. Others look no further than the last table, and
// neither do we. More numbers on the line of the table are a table of the wrong size.
void UaiReader::skip_queries() {
  const Place place = tokens_.next_place();
  if (place.line == tokens_.place().line) return;
  const auto is_whole = [](std::string_view token) {
    return !token.empty() && token.find_first_not_of("0123456789") == token.npos;
  };
  const bool announced = tokens_.take_if("QUERY") || tokens_.take_if("query");
  std::uint64_t numbers = 0;
  for (; is_whole(tokens_.peek()); ++numbers) {
    tokens_.integer("a variable", 0, builder_.num_variables());  // or how many there are
  }
  if (!announced && numbers == 0) return;
  warn(fmt::format("{}:{}:{}", tokens_.file(), place.line, place.column),
       fmt::format("{} numbers after the last table are ignored, as if they were a list of "
                   "queries",
                   numbers));
}

class UaiWriter {
 public:
  UaiWriter(std::ostream& out, const FactorGraph& graph, Budget* budget)
      : text_(out, budget), graph_(graph), budget_(budget) {
    for (VariableId v = 0; v < graph.num_variables(); ++v) {
      if (has_unary(graph, v)) unaries_.push_back(v);
    }
    for (FactorId c = 0; c < graph.num_factors(); ++c) check_expandable(graph, c);
  }

  void write() {
    write_preamble();
    if (graph_.constant() != 0) write_table(std::span(&constant_, 1), 1, "constant");
    for (VariableId v : unaries_) {
      write_table(graph_.unary(v), graph_.states(v), graph_.name(v));
    }
    for (FactorId c = 0; c < graph_.num_factors(); ++c) {
      write_table(expanded(graph_, c, budget_).values(), graph_.states(graph_.scope(c).back()),
                  graph_.describe(c));
    }
    text_.flush();
  }

 private:
  void write_preamble() {
    text_.put("MARKOV\n", graph_.num_variables(), '\n');
    for (VariableId v = 0; v < graph_.num_variables(); ++v) {
      text_.put(v ? " " : "", graph_.states(v));
    }
    const bool has_constant = graph_.constant() != 0;
    text_.put('\n', graph_.num_factors() + unaries_.size() + has_constant, '\n');
    if (has_constant) text_.put("0\n");
    for (VariableId v : unaries_) text_.put("1 ", v, '\n');
    for (FactorId c = 0; c < graph_.num_factors(); ++c) {
      text_.put(graph_.arity(c));
      for (VariableId v : graph_.scope(c)) text_.put(' ', v);
      text_.put('\n');
    }
  }

  // One line per joint state of all variables but the last.
  void write_table(std::span<const double> log_values, std::size_t per_line,
                   const std::string& subject) {
    text_.put('\n', log_values.size());
    for (std::size_t i = 0; i < log_values.size(); ++i) {
      text_.put(i % per_line == 0 ? "\n" : " ", to_linear(log_values[i], subject));
    }
    text_.put('\n');
  }

  TextWriter text_;
  const FactorGraph& graph_;
  Budget* budget_;
  double constant_ = graph_.constant();
  std::vector<VariableId> unaries_;
};

}  // namespace

FactorGraph read_uai(std::istream& in, const std::string& file, const ReadLimits& limits) {
  return UaiReader(in, file, limits).read();
}

void write_uai(std::ostream& out, const FactorGraph& graph, Budget* budget) {
  UaiWriter(out, graph, budget).write();
}

}  // namespace fgnn
