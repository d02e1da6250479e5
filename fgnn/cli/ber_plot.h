// Curves of bit error rates as an SVG file, drawn by gnuplot.
#pragma once

#include <string>
#include <vector>

#include "fgnn/cli/ber_row.h"

namespace fgnn::cli {

// Throws Error(unsupported) when there is no gnuplot: worth knowing before hours of simulation.
void require_gnuplot();

// One panel per strength of the bursts, one curve per decoder with its 95 % intervals. Throws
// Error(io) when gnuplot fails.
void plot_ber(const BerRun& run, const std::vector<BerRow>& rows, const std::string& file);
// The commands given to gnuplot.
std::string ber_plot_script(const BerRun& run, const std::vector<BerRow>& rows,
                            const std::string& file);

}  // namespace fgnn::cli
