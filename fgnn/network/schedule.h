// In which order the operations of a program run, and how long their registers are needed.
//
// Operations that need sums over a whole batch run in two halves, with a meeting of all parts in
// between. Between meetings a part runs on its own: a stage. Whatever does not depend on a meeting
// comes before it, so that there are as few as the program allows: two for a layer of an FGNN with
// batch norms, however many factor types it has.
#pragma once

#include <vector>

#include "fgnn/network/pass.h"
#include "fgnn/network/program.h"

namespace fgnn::network {

struct Step {
  int operation = 0;
  enum Half { whole, first, second } half = whole;
  int output = -1;                // of the operation
  std::vector<int> last_reads;    // values that nobody reads again after this step, forwards
  std::vector<int> last_returns;  // values that nobody reads again after this step, backwards
};

struct Stage {
  std::vector<Step> steps;
  std::vector<int> parameters;  // trained, whose gradients its steps write
};

struct Schedule {
  Schedule(const Program& program, const Purpose& purpose);

  std::vector<Stage> stages;
  std::vector<bool> wanted;  // by register: whether it has a gradient
  // By parameter: the stage, backwards, after which its gradient is complete; -1 for none.
  std::vector<int> complete;
};

}  // namespace fgnn::network
