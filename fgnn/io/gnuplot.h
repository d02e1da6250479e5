// Plots by the program gnuplot, where it is installed.
#pragma once

#include <optional>
#include <string>

namespace fgnn {

// What the script prints on standard output, such as the drawing of "set terminal svg". None when
// there is no gnuplot or it refuses the script.
std::optional<std::string> gnuplot(const std::string& script);

}  // namespace fgnn
