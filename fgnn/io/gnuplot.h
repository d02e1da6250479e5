// Plots by the program gnuplot, where it is installed: the one door to it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fgnn {

// Throws Error(unsupported) about `option` when there is no gnuplot: worth knowing before hours of
// work for a plot.
void require_gnuplot(const std::string& option);

// What the script prints on standard output, such as the drawing of "set terminal svg". None when
// there is no gnuplot or it refuses the script.
std::optional<std::string> gnuplot(const std::string& script);

// The drawing as part of a page: without the XML declaration and the document type, which only a
// file of its own needs. Empty where there is none.
std::string gnuplot_inline(const std::string& script);

// The drawing as a file, whole or not at all. Throws Error(io).
void gnuplot_to_file(const std::string& script, const std::filesystem::path& file);

// Text as a string of gnuplot.
std::string gnuplot_string(const std::string& text);

}  // namespace fgnn
