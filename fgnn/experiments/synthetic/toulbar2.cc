// toulbar2 (io/toulbar2.h) as an entrant: a branch and bound of its own on the same graph, with
// budgets as tables.
#include "fgnn/io/toulbar2.h"

#include <fmt/format.h>

#include "fgnn/experiments/synthetic/entrants.h"

namespace fgnn::synthetic {

Entrant toulbar2(int seconds) {
  Entrant entrant{"toulbar2", fmt::format("toulbar2 -timer={}", seconds), {}, ""};
  if (!have_toulbar2()) {
    entrant.note = "toulbar2 is not installed";
    return entrant;
  }
  entrant.solver = [seconds] {
    return [seconds](std::span<const Problem> problems) {
      std::vector<Answer> answers;
      for (const Problem& p : problems) {
        Toulbar2Answer answer = toulbar2_map(p.graph, {.time_limit = static_cast<double>(seconds)});
        answers.push_back({std::move(answer.assignment), answer.seconds});
      }
      return answers;
    };
  };
  return entrant;
}

}  // namespace fgnn::synthetic
