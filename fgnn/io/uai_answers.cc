#include "fgnn/io/uai_answers.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "fgnn/core/text_writer.h"
#include "fgnn/core/token_reader.h"
#include "fgnn/core/warning.h"
#include "fgnn/io/reader_tools.h"

namespace fgnn {
namespace {

struct PlacedInteger {
  std::uint64_t value = 0;
  Place place;
};

// Number of variables at the head of MAR and MAP; it must be the graph's.
void expect_variables(TokenReader& tokens, const FactorGraph& graph) {
  const std::uint64_t count = tokens.integer("a number of variables", 0, UINT64_MAX);
  if (count != graph.num_variables()) {
    tokens.fail(fmt::format("{} variables, the graph has {}", count, graph.num_variables()));
  }
}

}  // namespace

Evidence read_evidence(std::istream& in, const std::string& file, const FactorGraph& graph) {
  TokenReader tokens(in, file, Comments::none);
  std::vector<PlacedInteger> all;
  while (!tokens.at_end()) {
    all.push_back({tokens.integer("a number", 0, UINT32_MAX), tokens.place()});
  }
  Evidence evidence;
  if (all.empty()) return evidence;
  // One leading number and pairs: the count. Two leading numbers and pairs: samples, count.
  const bool old_layout =
      all.size() % 2 == 0 && all[0].value == 1 && all[1].value * 2 + 2 == all.size();
  const std::size_t head = old_layout ? 2 : 1;
  const PlacedInteger& count = all[head - 1];
  if (count.value == 0 && all.size() > head) {
    // As other programs do, which read no further than they are told to.
    warn(fmt::format("{}:{}:{}", file, count.place.line, count.place.column),
         fmt::format("declares no observations, the {} numbers after it are ignored",
                     all.size() - head));
    return evidence;
  }
  const std::uint64_t pairs = (all.size() - head) / 2;
  if (count.value * 2 + head != all.size()) {
    tokens.fail_at(count.place, fmt::format("declares {} observations, {} numbers follow",
                                            count.value, all.size() - head));
  }
  RepeatFinder repeats;
  repeats.start_list();
  for (std::uint64_t i = 0; i < pairs; ++i) {
    const PlacedInteger& variable = all[head + 2 * i];
    const PlacedInteger& state = all[head + 2 * i + 1];
    if (variable.value >= graph.num_variables()) {
      tokens.fail_at(variable.place, fmt::format("there is no variable {}, the graph has {}",
                                                 variable.value, graph.num_variables()));
    }
    const auto v = static_cast<VariableId>(variable.value);
    if (!repeats.first_time(v)) {
      tokens.fail_at(variable.place, fmt::format("variable {} is observed twice", v));
    }
    if (state.value >= graph.states(v)) {
      tokens.fail_at(state.place, fmt::format("state {} of variable {}, which has {}", state.value,
                                              v, graph.states(v)));
    }
    evidence.fix(v, static_cast<State>(state.value));
  }
  return evidence;
}

void write_mar(std::ostream& out, const Marginals& marginals) {
  TextWriter text(out);
  text.put("MAR\n", marginals.size());
  for (VariableId v = 0; v < marginals.size(); ++v) {
    text.put(' ', marginals[v].size());
    for (double p : marginals[v]) text.put(' ', p);
  }
  text.put('\n');
  text.flush();
}

void write_map(std::ostream& out, std::span<const State> assignment) {
  TextWriter text(out);
  text.put("MAP\n", assignment.size());
  for (State x : assignment) text.put(' ', x);
  text.put('\n');
  text.flush();
}

void write_pr(std::ostream& out, double log_partition) {
  TextWriter text(out);
  text.put("PR\n", log_partition / std::numbers::ln10, '\n');
  text.flush();
}

Marginals read_mar(std::istream& in, const std::string& file, const FactorGraph& graph) {
  TokenReader tokens(in, file, Comments::none);
  tokens.expect("MAR");
  expect_variables(tokens, graph);
  Marginals marginals(graph);
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    const std::uint64_t states = tokens.integer("a number of states", 0, UINT64_MAX);
    if (states != graph.states(v)) {
      tokens.fail(
          fmt::format("{} states of variable {}, which has {}", states, v, graph.states(v)));
    }
    for (double& p : marginals[v]) {
      p = tokens.number("a probability");
      if (p < 0) tokens.fail(fmt::format("probability {} is negative", p));
    }
  }
  tokens.expect_end("the last marginal");
  return marginals;
}

std::vector<State> read_map(std::istream& in, const std::string& file, const FactorGraph& graph) {
  TokenReader tokens(in, file, Comments::none);
  if (!tokens.take_if("MPE")) tokens.expect("MAP");
  expect_variables(tokens, graph);
  std::vector<State> assignment;
  for (State states : graph.states()) {
    assignment.push_back(tokens.integer32("a state", 0, states - 1));
  }
  tokens.expect_end("the last state");
  return assignment;
}

double read_pr(std::istream& in, const std::string& file) {
  TokenReader tokens(in, file, Comments::none);
  tokens.expect("PR");
  const double log10 = tokens.number("a number or -inf", Infinity::minus);
  tokens.expect_end("the value");
  return log10 * std::numbers::ln10;
}

}  // namespace fgnn
