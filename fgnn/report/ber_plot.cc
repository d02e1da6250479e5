#include "fgnn/report/ber_plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/io/gnuplot.h"

namespace fgnn::report {
namespace {

template <class Value, class Get>
std::vector<Value> distinct(const std::vector<BerRow>& rows, Get get) {
  std::vector<Value> values;
  for (const BerRow& row : rows) {
    if (std::ranges::find(values, get(row)) == values.end()) values.push_back(get(row));
  }
  return values;
}

double level(const BerRun& run, const BerRow& row) {
  return has_sigma(row.channel.kind)
             ? codes::decibels_of(row.channel.sigma, run.scale, run.code->rate())
             : row.channel.flip;
}

std::string axis(const BerRun& run, const std::vector<BerRow>& rows) {
  if (!rows.empty() && !has_sigma(rows[0].channel.kind)) return "flip probability";
  return run.scale == codes::SnrScale::snr    ? "SNR = 20 log10(1/sigma) (dB)"
         : run.scale == codes::SnrScale::ebn0 ? "Eb/N0 (dB)"
                                              : "Es/N0 (dB)";
}

}  // namespace

std::string ber_plot_script(const BerRun& run, const std::vector<BerRow>& rows,
                            const std::vector<BerCurve>& further) {
  const auto decoders = distinct<std::string>(rows, [](const BerRow& row) { return row.decoder; });
  const auto bursts =
      distinct<double>(rows, [](const BerRow& row) { return row.channel.burst_sigma; });
  const std::size_t across = std::min<std::size_t>(3, bursts.size());
  const std::size_t down = (bursts.size() + across - 1) / std::max<std::size_t>(across, 1);
  std::string script = fmt::format(
      "set terminal svg size {},{} dynamic enhanced background '#ffffff'\n"
      "set logscale y\nset format y '10^{{%L}}'\nset grid\nset xlabel {}\nset ylabel 'BER'\n"
      "set key bottom left Left reverse samplen 1.5 font ',9' noenhanced\nset multiplot layout "
      "{},{} title {} noenhanced\n",
      std::max<std::size_t>(across, 1) * 420, down * 360 + 30, gnuplot_string(axis(run, rows)),
      down, across, gnuplot_string(run.code->name));
  for (std::size_t b = 0; b < bursts.size(); ++b) {
    std::string curves;
    for (std::size_t d = 0; d < decoders.size(); ++d) {
      const std::string data = fmt::format("$b{}d{}", b, d);
      script += data + " << END\n";
      for (const BerRow& row : rows) {
        const std::uint64_t k = run.code->encoder.dimension();
        if (row.decoder != decoders[d] || row.channel.burst_sigma != bursts[b]) continue;
        if (row.counts.bit_errors == 0) continue;  // no place on a logarithmic axis
        const codes::Interval i = row.counts.ber_interval(k);
        const double ber = row.counts.ber(k);
        script +=
            fmt::format("{} {} {} {}\n", level(run, row), ber, std::max(i.low, ber / 10), i.high);
      }
      script += "END\n";
      curves += fmt::format("{}{} with yerrorlines pointsize 0.5 title {}",
                            curves.empty() ? "" : ", ", data, gnuplot_string(decoders[d]));
    }
    for (std::size_t c = 0; c < further.size(); ++c) {
      if (further[c].burst_sigma != bursts[b]) continue;
      const std::string data = fmt::format("$b{}c{}", b, c);
      script += data + " << END\n";
      for (const auto& [x, y] : further[c].points) script += fmt::format("{} {}\n", x, y);
      script += "END\n";
      curves += fmt::format(", {} with lines dashtype 2 linecolor 'black' title {}", data,
                            gnuplot_string(further[c].title));
    }
    // The first panel's key is for all: it covers less than six would.
    if (b == 1) script += "unset key\n";
    script += fmt::format("set title 'sigma_b = {:g}'\nplot {}\n", bursts[b], curves);
  }
  return script + "unset multiplot\n";
}

void plot_ber(const BerRun& run, const std::vector<BerRow>& rows, const std::string& file,
              const std::vector<BerCurve>& further) {
  gnuplot_to_file(ber_plot_script(run, rows, further), file);
}

}  // namespace fgnn::report
