// The few names every room shares.
#pragma once

#include <cstdint>
#include <limits>

namespace fgnn {

using VariableId = std::uint32_t;
using FactorId = std::uint32_t;
using EdgeId = std::uint32_t;  // position of a (factor, variable) pair, counted factor by factor
using State = std::uint32_t;   // a value of a variable, 0 .. states-1

// All potentials are natural logarithms. Minus infinity is legal everywhere and means "forbidden".
inline constexpr double kForbidden = -std::numeric_limits<double>::infinity();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace fgnn
