// fgnn reproduce ldpc: section 5.2 of the paper, six panels of bit error rates.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "fgnn/cli/options.h"
#include "fgnn/cli/reproduce.h"
#include "fgnn/codes/decoders.h"
#include "fgnn/codes/simulate.h"
#include "fgnn/core/progress.h"
#include "fgnn/experiments/ldpc/paper.h"
#include "fgnn/experiments/ldpc/task.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/gnuplot.h"
#include "fgnn/io/input_file.h"
#include "fgnn/report/ber_log.h"
#include "fgnn/report/ber_plot.h"
#include "fgnn/report/ber_row.h"
#include "fgnn/report/json.h"
#include "fgnn/report/page.h"

namespace fgnn::cli {
namespace {

constexpr double kBursts[] = {0, 1, 2, 3, 4, 5}, kRatios[] = {0, 1, 2, 3, 4};
constexpr std::uint64_t kWords = 10000, kQuickWords = 100;
constexpr const char* kPublished = "FGNN, published";

struct Options {
  std::string code, weights, html, plot, log;
  std::uint64_t words = 0;
  bool quick = false;
  SolverOptions solver;
  OutputOptions output;
};

// A row of the paper's figure, or one of ours; of a network that is missing only the note.
struct Method {
  std::string name, how, note;
};

std::vector<Method> methods(const std::filesystem::path& weights) {
  std::vector<Method> all{
      {"bits", "bitwise", ""},
      {"MacKay-Sum", "mackay", ""},
      {"Commpy-Sum", "commpy", ""},
      {"Commpy-Max", "min-sum:stop=first", ""},
      {"sum-product, bursts known of", "sum-product:llr=marginal", ""},
  };
  const auto learned = [&](const char* name, const std::string& file, const char* training) {
    const auto path = weights / (file + ".safetensors");
    if (file_exists(path)) {
      all.push_back({name, "fgnn:" + path.string(), ""});
    } else {
      all.push_back(
          {name, "",
           fmt::format("no {}.safetensors among the weights: fgnn train ldpc {}", file, training)});
    }
  };
  // What each was trained by is in docs/ldpc.md.
  learned("FGNN-Max", "ldpc-max", "--network fgnn-8 --task llr=sigma");
  learned("FGNN-Sum", "ldpc-sum", "--network fgnn-8-sum --task llr=sigma");
  learned("neuralized sum-product", "ldpc-neuralized",
          "--from what fgnn neuralize --family ldpc made");
  learned("FGNN on opinions", "ldpc",
          "--network decoder --task view=flips,beliefs=5+20,lists=2,targets=posterior");
  all.push_back({"ordered statistics, order 2", "osd:order=2,llr=marginal,output=bits", ""});
  all.push_back({"ordered statistics, order 3", "osd:order=3,llr=marginal,output=bits", ""});
  all.push_back({"the same, whole words", "osd:order=3,llr=marginal", ""});
  return all;
}

struct Panels {
  codes::Code code;
  report::BerRun run;
  std::vector<Method> methods;
  std::vector<report::BerRow> rows;  // by their method's name

  // Null where it was not measured.
  const report::BerRow* row(const std::string& method, double burst, double snr) const {
    for (const report::BerRow& r : rows) {
      const double mine = codes::decibels_of(r.channel.sigma, run.scale, code.rate());
      if (r.decoder == method && r.channel.burst_sigma == burst && std::abs(mine - snr) < 1e-6) {
        return &r;
      }
    }
    return nullptr;
  }
  std::optional<double> published(double burst, double snr) const {
    if (codes::fingerprint(code.checks) != ldpc::kPaperCode) return {};
    return ldpc::published_fgnn_ber(burst, snr);
  }
  double ber(const report::BerRow& row) const { return row.counts.ber(code.encoder.dimension()); }
  // All cells together.
  codes::ErrorCounts total(const std::string& method) const {
    codes::ErrorCounts sum;
    for (const report::BerRow& r : rows) {
      if (r.decoder == method) sum.add(r.counts);
    }
    return sum;
  }
};

std::unique_ptr<Panels> measure(const Options& options) {
  cluster::Group& group = cluster::world();
  ldpc::LdpcOptions task;
  task.code = options.code;
  auto result = std::make_unique<Panels>(Panels{ldpc::LdpcTask(task).code(), {}, {}, {}});
  Panels& panels = *result;
  panels.run = {&panels.code, codes::SnrScale::snr, options.solver.seed, false};
  panels.methods = methods(weights_folder(options.weights));
  std::vector<const Method*> measured;
  std::vector<std::unique_ptr<codes::Decoder>> decoders;
  for (const Method& m : panels.methods) {
    if (m.how.empty()) continue;
    measured.push_back(&m);
    decoders.push_back(codes::make_decoder(panels.code.checks, m.how));
  }
  codes::SimulationOptions simulation;
  simulation.seed = options.solver.seed;
  simulation.threads = options.solver.threads;
  simulation.max_frames = options.words > 0 ? options.words : options.quick ? kQuickWords : kWords;
  report::check_same_words(group, panels.code, decoders);
  report::BerLog log(options.log, group);
  Progress progress("words", double(simulation.max_frames) * double(decoders.size()) *
                                 std::size(kBursts) * std::size(kRatios));
  for (const double burst : kBursts) {
    for (const double snr : kRatios) {
      codes::Channel channel;
      channel.kind = codes::ChannelKind::burst;
      channel.sigma = codes::sigma_of(snr, panels.run.scale, panels.code.rate());
      channel.burst_sigma = burst;
      const auto cell = [&](std::size_t d, const codes::ErrorCounts& counted) {
        return report::ber_json(panels.run,
                                {measured[d]->how, channel, counted, decoders[d]->identity()});
      };
      std::vector<Json> cells;
      for (std::size_t d = 0; d < measured.size(); ++d) cells.push_back(cell(d, {}));
      std::vector<codes::ErrorCounts> counts = log.known(cells);
      simulate(
          panels.code, channel, decoders, simulation, counts,
          [&](std::uint64_t frames) { progress.advance(double(frames)); }, group);
      for (std::size_t d = 0; d < measured.size(); ++d) {
        log.add(cell(d, counts[d]));
        panels.rows.push_back({measured[d]->name, channel, counts[d], {}});
      }
    }
  }
  return result;
}

std::string rate(double ber) {
  return ber == 0 ? "0" : ber < 0.001 ? fmt::format("{:.5f}", ber) : fmt::format("{:.4f}", ber);
}

report::HtmlTable panel(const Panels& panels, double burst) {
  report::HtmlTable table;
  table.titles = {"decoder"};
  for (const double snr : kRatios) table.titles.push_back(fmt::format("{:g} dB", snr));
  for (const Method& m : panels.methods) {
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
  for (const Method& m : panels.methods) {
    if (m.how.empty()) continue;
    const auto total = panels.total(m.name);
    table.rows.push_back({m.name, rate(total.ber(panels.code.encoder.dimension())),
                          fmt::format("{:.3f}", total.fer()),
                          fmt::format("{:.0f}", total.codewords_per_second())});
  }
  return table;
}

std::string heading(double burst) { return fmt::format("sigma_b = {:g}", burst); }

std::string text(const Panels& panels) {
  std::string out =
      fmt::format("Bit error rates of {}, {} words a cell; SNR is 20 log10(1/sigma).\n",
                  panels.code.name, panels.rows.empty() ? 0 : panels.rows[0].counts.frames);
  for (const double burst : kBursts) {
    out += fmt::format("\n{}\n{}", heading(burst), printed_text(panel(panels, burst)));
  }
  out += fmt::format("\nall {} cells; words/s of one thread\n{}",
                     std::size(kBursts) * std::size(kRatios), printed_text(means(panels)));
  for (const Method& m : panels.methods) {
    if (!m.note.empty()) out += fmt::format("  {}: {}\n", m.name, m.note);
  }
  return out;
}

std::string json(const Panels& panels) {
  Json list = Json::array();
  const double bits = double(panels.code.encoder.dimension());
  for (const Method& m : panels.methods) {
    for (const double burst : kBursts) {
      for (const double snr : kRatios) {
        Json object{{"table", heading(burst)},
                    {"dataset", fmt::format("{:g} dB", snr)},
                    {"method", m.name},
                    {"unit", "BER"},
                    {"how", m.how},
                    {"sigma_b", burst},
                    {"snr_db", snr}};
        const bool fgnn = m.name.starts_with("FGNN");
        object["paper"] =
            optional_json(fgnn ? panels.published(burst, snr) : std::optional<double>());
        const report::BerRow* row = panels.row(m.name, burst, snr);
        object["ours"] = row ? Json(panels.ber(*row)) : Json();
        object["stderr"] = row ? Json(row->counts.bit_deviation() / bits) : Json();
        object["fer"] = row ? Json(row->counts.fer()) : Json();
        object["instances"] = row ? row->counts.frames : 0;
        object["codewords_per_second"] = row ? Json(row->counts.codewords_per_second()) : Json();
        if (!m.note.empty()) object["note"] = m.note;
        list.push_back(std::move(object));
      }
    }
  }
  return json_text({{"code", panels.code.name}, {"rows", std::move(list)}});
}

std::vector<report::BerCurve> published(const Panels& panels) {
  std::vector<report::BerCurve> curves;
  for (const double burst : kBursts) {
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
  for (const double burst : kBursts) {
    sections.push_back({heading(burst), "", panel(panels, burst), {}});
  }
  return report::html_page(
      "LDPC decoding under burst noise",
      fmt::format("Bit error rates of {}, {} words a cell, every decoder on the same words. Bits "
                  "are sent as +1 and -1 with Gaussian noise, and one in twenty is also hit by a "
                  "burst of standard deviation sigma_b; SNR is 20 log10(1/sigma).",
                  panels.code.name, panels.rows.empty() ? 0 : panels.rows[0].counts.frames),
      sections);
}

void run(const Options& options) {
  const bool first = cluster::world().first();
  if (first && !options.plot.empty()) require_gnuplot("--plot");
  const auto panels = measure(options);
  if (!first) return;
  if (!options.html.empty()) {
    write_file(options.html, [&](std::ostream& out) { out << page(*panels); });
  }
  if (!options.plot.empty())
    report::plot_ber(panels->run, panels->rows, options.plot, published(*panels));
  options.output.deliver(options.output.json ? json(*panels) : text(*panels));
}

constexpr const char* kPrints =
    R"(Prints the six panels of the paper's figure (bursts of strength 0 to 5, SNR 0 to 4 dB) as tables of
bit error rates, the published network's beside ours where its figure is known, and the mean over all
cells with the decoders' speed. All decoders see the same words. Networks are ldpc, ldpc-max, ldpc-sum
and ldpc-neuralized in the folder of weights; they take any code of checks. Without --code a (96,48)
code made here is used; the paper's is fgnn code convert 96.3.963.alist A2.alist --paper.
--json prints rows of table, dataset, method, ours, paper, unit, stderr and more. With --log a run
that was stopped goes on.)";

}  // namespace

void add_reproduce_ldpc(CLI::App& reproduce) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      reproduce, "ldpc", "Decoding under burst noise: section 5.2", kPrints,
      {"fgnn reproduce ldpc --quick", "fgnn reproduce ldpc --code A2.alist --html ldpc.html",
       "fgnn reproduce ldpc --code A2.alist --words 1000 --json"});
  command->add_option("--code", options->code, "The code; default: a (96,48) code made here")
      ->type_name("FILE");
  command->add_flag("--quick", options->quick, "A hundred words a cell: seconds");
  command->add_option("--words", options->words, "Words a cell; default 10000")
      ->check(positive())
      ->type_name("N");
  command->add_option("--weights", options->weights, "Folder of trained networks; default ours")
      ->type_name("DIR");
  command->add_option("--html", options->html, "Also write a page with the figure")
      ->type_name("FILE");
  command->add_option("--plot", options->plot, "Also draw the figure")->type_name("FILE.svg");
  command->add_option("--log", options->log, "Keep the cells in this file, and use those it has")
      ->type_name("FILE");
  options->solver.declare_threads(*command);
  options->output.declare_json(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
