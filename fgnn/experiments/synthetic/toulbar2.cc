// toulbar2 (https://toulbar2.github.io) as an entrant: a branch and bound of its own on the same
// graph, with budgets as tables.
#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "fgnn/core/timing.h"
#include "fgnn/experiments/synthetic/entrants.h"
#include "fgnn/io/files.h"
#include "fgnn/io/outside_program.h"

namespace fgnn::synthetic {
namespace {

Answer solve(const Problem& problem, int seconds) {
  const ScratchFolder folder;
  const auto model = folder.path() / "model.uai", solution = folder.path() / "answer.sol";
  write_graph(problem.graph, model);
  const Stopwatch watch;
  output_of(fmt::format("timeout {} toulbar2 {} -w={} -timer={}", seconds + 1, shell_word(model),
                        shell_word(solution), seconds));
  Answer answer{{}, watch.seconds()};
  std::ifstream in(solution);
  for (State x = 0; in >> x;) answer.assignment.push_back(x);
  if (answer.assignment.size() != problem.graph.num_variables()) answer.assignment.clear();
  return answer;
}

}  // namespace

Entrant toulbar2(int seconds) {
  Entrant entrant{"toulbar2", fmt::format("toulbar2 -timer={}", seconds), {}, ""};
  if (!have_program("toulbar2")) {
    entrant.note = "toulbar2 is not installed";
    return entrant;
  }
  entrant.solver = [seconds] {
    return [seconds](std::span<const Problem> problems) {
      std::vector<Answer> answers;
      for (const Problem& p : problems) answers.push_back(solve(p, seconds));
      return answers;
    };
  };
  return entrant;
}

}  // namespace fgnn::synthetic
