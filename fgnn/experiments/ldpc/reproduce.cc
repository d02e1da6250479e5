#include "fgnn/experiments/ldpc/reproduce.h"

#include <fmt/format.h>

#include "fgnn/experiments/ldpc/panels.h"
#include "fgnn/io/gnuplot.h"
#include "fgnn/io/json_text.h"
#include "fgnn/report/ber_plot.h"

namespace fgnn::ldpc {
namespace {

constexpr std::uint64_t kQuickWords = 100;
constexpr const char* kPublished = "FGNN, published";

std::string rate(double ber) {
  return ber == 0 ? "0" : ber < 0.001 ? fmt::format("{:.5f}", ber) : fmt::format("{:.4f}", ber);
}

std::string table_name(double burst) { return fmt::format("sigma_b={:g}", burst); }
std::string heading(double burst) { return fmt::format("sigma_b = {:g}", burst); }

report::HtmlTable panel(const Panels& panels, double burst) {
  report::HtmlTable table;
  table.titles = {"decoder"};
  for (const double snr : kRatios) table.titles.push_back(fmt::format("{:g} dB", snr));
  for (const PanelMethod& m : panels.methods) {
    if (m.how.empty()) continue;
    table.rows.push_back({m.name});
    for (const double snr : kRatios) {
      const report::BerRow* row = panels.row(m.name, burst, snr);
      table.rows.back().push_back(row ? rate(panels.ber(*row)) : "");
    }
  }
  if (!panels.published(burst, 0)) return table;
  table.rows.push_back({kPublished});
  for (const double snr : kRatios) {
    table.rows.back().push_back(rate(*panels.published(burst, snr)));
  }
  return table;
}

report::HtmlTable means(const Panels& panels) {
  report::HtmlTable table;
  table.titles = {"decoder", "mean BER", "FER", "words/s"};
  for (const PanelMethod& m : panels.methods) {
    if (m.how.empty()) continue;
    const auto total = panels.total(m.name);
    table.rows.push_back({m.name, rate(total.ber(panels.code.encoder.dimension())),
                          fmt::format("{:.3f}", total.fer()),
                          fmt::format("{:.0f}", total.codewords_per_second())});
  }
  return table;
}

experiments::ReportRow report_row(const Panels& panels, const PanelMethod& m, double burst,
                                  double snr) {
  experiments::ReportRow r{.table = table_name(burst),
                           .dataset = fmt::format("{:g} dB", snr),
                           .method = m.name,
                           .ours = {},
                           .paper = {},
                           .unit = "BER",
                           .note = m.note};
  if (m.name.starts_with("FGNN")) r.paper = panels.published(burst, snr);
  const report::BerRow* row = panels.row(m.name, burst, snr);
  std::optional<double> fer, speed;
  if (row != nullptr) {
    r.ours = panels.ber(*row);
    r.error = row->counts.bit_deviation() / double(panels.code.encoder.dimension());
    fer = row->counts.fer();
    speed = row->counts.codewords_per_second();
  }
  r.more = {{"how", m.how},
            {"sigma_b", std::optional(burst)},
            {"snr_db", std::optional(snr)},
            {"fer", fer},
            {"instances", row != nullptr ? std::uint64_t{row->counts.frames} : std::uint64_t{0}},
            {"codewords_per_second", speed}};
  return r;
}

std::vector<report::BerCurve> published(const Panels& panels) {
  std::vector<report::BerCurve> curves;
  for (const double burst : panels.bursts) {
    if (!panels.published(burst, 0)) continue;
    curves.push_back({kPublished, burst, {}});
    for (const double snr : kRatios) {
      curves.back().points.emplace_back(snr, *panels.published(burst, snr));
    }
  }
  return curves;
}

std::string page(const Panels& panels) {
  std::vector<report::Section> sections{
      {"All cells", "Words per second are of one thread.", means(panels), {}}};
  const std::string drawing =
      gnuplot_inline(report::ber_plot_script(panels.run, panels.rows, published(panels)));
  if (!drawing.empty()) sections[0].drawings.push_back(drawing);
  for (const double burst : panels.bursts) {
    sections.push_back({heading(burst), "", panel(panels, burst), {}});
  }
  return report::html_page(
      "LDPC decoding under burst noise",
      fmt::format("Bit error rates of {}, {} words a cell, every decoder on the same words. Bits "
                  "are sent as +1 and -1 with Gaussian noise, and one in twenty is also hit by a "
                  "burst of standard deviation sigma_b; SNR is 20 log10(1/sigma).",
                  panels.code.name, panels.words()),
      sections);
}

experiments::Report report_of(const std::shared_ptr<const Panels>& panels) {
  const Panels& p = *panels;
  experiments::Report report;
  report.further.emplace_back("code", json_line(nlohmann::json(p.code.name)));
  for (const PanelMethod& m : p.methods) {
    for (const double burst : p.bursts) {
      for (const double snr : kRatios) report.rows.push_back(report_row(p, m, burst, snr));
    }
  }
  report.introduction =
      fmt::format("Bit error rates of {}, {} words a cell; SNR is 20 log10(1/sigma).\n",
                  p.code.name, p.words());
  for (const double burst : p.bursts) report.tables.push_back({heading(burst), panel(p, burst)});
  report.tables.push_back(
      {fmt::format("all {} cells; words/s of one thread", p.bursts.size() * std::size(kRatios)),
       means(p)});
  for (const PanelMethod& m : p.methods) {
    if (!m.note.empty()) {
      report.tables.back().notes.push_back(fmt::format("{}: {}", m.name, m.note));
    }
  }
  report.page = [panels] { return page(*panels); };
  return report;
}

experiments::Report run(const experiments::Request& request) {
  const std::string plot = request.options.text("--plot");
  const bool first = request.group->first();
  if (first && !plot.empty()) require_gnuplot("--plot");
  PanelOptions options;
  options.code = request.options.text("--code");
  options.weights = request.weights;
  for (const double burst : kBursts) {
    if (request.wants(table_name(burst))) options.bursts.push_back(burst);
  }
  if (request.quick) options.words = kQuickWords;
  if (request.options.has("--words")) options.words = request.options.whole("--words");
  options.seed = request.seed;
  options.threads = request.threads;
  options.log = request.log;
  options.group = request.group;
  options.control = request.control;
  const auto panels = measure_panels(options);
  if (first && !plot.empty()) {
    report::plot_ber(panels->run, panels->rows, plot, published(*panels));
  }
  return report_of(panels);
}

constexpr const char* kHelp =
    R"(Prints the six panels of the paper's figure (bursts of strength 0 to 5, SNR 0 to 4 dB) as tables of
bit error rates, the published network's beside ours where its figure is known, and the mean over all
cells with the decoders' speed. All decoders see the same words. Networks are ldpc, ldpc-max, ldpc-sum
and ldpc-neuralized in the folder of weights; they take any code of checks. Without --code a (96,48)
code made here is used; the paper's is fgnn code convert 96.3.963.alist A2.alist --paper.
Tables: sigma_b=0 to sigma_b=5, the panels. --json prints rows of table, dataset, method, ours, paper,
unit, stderr and more. With --log a run that was stopped goes on.)";

}  // namespace

experiments::Reproduction reproduction() {
  using Kind = experiments::Option::Kind;
  std::vector<report::TableInfo> tables;
  for (const double burst : kBursts) {
    tables.push_back({table_name(burst), fmt::format("bursts of strength {:g}", burst)});
  }
  return {.summary = "Decoding under burst noise: section 5.2",
          .help = kHelp,
          .examples = {"fgnn reproduce ldpc --quick",
                       "fgnn reproduce ldpc --code A2.alist --html ldpc.html",
                       "fgnn reproduce ldpc --code A2.alist --words 1000 --json"},
          .quick = "A hundred words a cell: seconds",
          .tables = std::move(tables),
          .options = {{"--code", "FILE", "The code; default: a (96,48) code made here"},
                      {"--words", "N", "Words a cell; default 10000", Kind::positive},
                      {"--plot", "FILE.svg", "Also draw the figure"}},
          .weights = true,
          .log = true,
          .several_ranks = true,
          .run = run};
}

}  // namespace fgnn::ldpc
