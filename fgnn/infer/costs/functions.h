// Cost functions in tables, and adding them up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fgnn/core/types.h"

namespace fgnn::costs {

using Id = std::uint32_t;  // a variable

struct Function {
  std::vector<Id> scope;       // ascending
  std::vector<double> values;  // last variable fastest
};

// base + sum of unary costs + sum of functions.
struct Functions {
  std::vector<std::uint32_t> states;       // per variable
  std::vector<std::vector<double>> unary;  // per variable; empty once it is eliminated
  std::vector<Function> functions;
  double base = 0;

  // One more, whose scope may be empty or one variable.
  void add(Function function);
  // host += part, whose variables are among the host's.
  void add_into(Function& host, const Function& part) const;
  // The sizes of these variables.
  std::vector<std::uint32_t> shape(std::span<const Id> scope) const;
  // Subtracts the least cost of everything and adds it to the base.
  void normalise();
};

// The same table with its axes in ascending order of variables.
Function sorted(Function function, const Functions& costs);

}  // namespace fgnn::costs
