// What solvers get from any potential that depends on how many variables are in chosen states.
#pragma once

#include <memory>

#include "fgnn/graph/oracle.h"

namespace fgnn {

// Sorted by what being chosen gains, the best joint state of every count is a prefix: n log n.
std::unique_ptr<Oracle> counting_oracle(const Counting& counting, Left left);

// Where all variables that can be chosen must be, or none may be.
void narrow_counting(const Counting& counting, ScopeStates& scope);

}  // namespace fgnn
