// Sequential tree-reweighted message passing on a store of costs (TRW-S, Kolmogorov 2006; SRMP for
// more than two variables, Kolmogorov 2015).
//
// Variables are visited in order and back. At each, all its functions are projected on it; what it
// then costs more than its best state goes to the bound; the rest is shared among the functions
// that have variables yet to come,
//   s_fi += u_i / max(#functions with later variables, #functions with earlier ones).
// The bound never falls. It converges to the linear relaxation's for most graphs of practice, or to
// a point where monotone chains agree. Cost of a pass: two projections per axis.
#pragma once

#include <cstdint>
#include <vector>

#include "fgnn/core/timing.h"
#include "fgnn/infer/costs/store.h"

namespace fgnn::costs {

class Sweeps {
 public:
  // The store must have no marks.
  Sweeps(Store& store, std::vector<std::uint32_t> rank);

  // Forwards and back. False: some variable has no state left, or the deadline has passed.
  bool pass(const Deadline& deadline);
  bool contradiction() const { return contradiction_; }

  // States chosen one after another, each best given those before it and the messages of the rest.
  std::vector<std::uint32_t> rounded();

 private:
  bool visit(Id v, bool forwards);

  Store& store_;
  std::vector<std::uint32_t> rank_;
  std::vector<Id> order_;
  std::vector<double> share_;  // of each function, by variable
  bool contradiction_ = false;
  std::vector<double> amount_;
};

}  // namespace fgnn::costs
