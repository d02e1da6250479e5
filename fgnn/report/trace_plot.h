// How an anytime method got on: score and bound over time, drawn by gnuplot.
#pragma once

#include <string>
#include <vector>

#include "fgnn/infer/result.h"

namespace fgnn::report {

// Its points, or where it kept none the end alone; the last one lies at the end.
std::vector<TracePoint> whole_trace(const Result& result);

// The commands given to gnuplot; the drawing goes to its standard output. Empty where there is
// neither a score nor a bound.
std::string trace_plot_script(const Result& result);

// The file appears whole or not at all. Throws Error(unsupported) where there is nothing to draw,
// Error(io) when gnuplot fails or the file cannot be written.
void plot_trace(const Result& result, const std::string& file);

}  // namespace fgnn::report
