// Curves of bit error rates as an SVG file, drawn by gnuplot.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fgnn/report/ber_row.h"

namespace fgnn::report {

// A curve that was not measured here, in the panel of its bursts.
struct BerCurve {
  std::string title;
  double burst_sigma = 0;
  std::vector<std::pair<double, double>> points;  // level, BER
};

// One panel per strength of the bursts, one curve per decoder with its 95 % intervals. The
// file appears whole or not at all. Throws Error(io) when gnuplot fails or it cannot be written.
void plot_ber(const BerRun& run, const std::vector<BerRow>& rows, const std::string& file,
              const std::vector<BerCurve>& further = {});
// The commands given to gnuplot; the drawing goes to its standard output.
std::string ber_plot_script(const BerRun& run, const std::vector<BerRow>& rows,
                            const std::vector<BerCurve>& further = {});

}  // namespace fgnn::report
