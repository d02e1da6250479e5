// fgnn ber: error rates of decoders by simulation.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/control.h"
#include "fgnn/cli/options.h"
#include "fgnn/codes/decoders.h"
#include "fgnn/codes/simulate.h"
#include "fgnn/core/error.h"
#include "fgnn/core/output.h"
#include "fgnn/core/parse.h"
#include "fgnn/io/code_files.h"
#include "fgnn/io/gnuplot.h"
#include "fgnn/io/json_text.h"
#include "fgnn/report/ber_log.h"
#include "fgnn/report/ber_plot.h"
#include "fgnn/report/ber_row.h"

namespace fgnn::cli {
namespace {

using codes::Channel;
using codes::ChannelKind;
using codes::SnrScale;

struct Options {
  std::string file, channel, snr, ebn0, esn0, burst, flip, log, plot;
  std::vector<std::string> decoders;
  double burst_probability = 0.05;
  codes::SimulationOptions simulation{.max_frames = 100000, .target_errors = 100};
  bool csv = false, json = false;
  LimitOptions limits;
};

ChannelKind kind_of(const Options& options) {
  if (!options.channel.empty()) return from_word<ChannelKind>(options.channel);
  return options.burst.empty() ? ChannelKind::awgn : ChannelKind::burst;
}

struct Levels {
  SnrScale scale = SnrScale::snr;
  std::vector<Channel> channels;
};

Levels levels_of(const Options& options, double rate) {
  const ChannelKind kind = kind_of(options);
  Levels levels;
  if (!has_sigma(kind)) {
    if (options.flip.empty()) {
      throw Error(ErrorCode::usage, "--flip", fmt::format("channel {} needs it", name_of(kind)),
                  "write for example --flip 0.01:0.1:0.01");
    }
    for (double flip : parse_levels("--flip", options.flip)) {
      levels.channels.push_back({.kind = kind, .flip = flip});
    }
  } else {
    const int given = !options.snr.empty() + !options.ebn0.empty() + !options.esn0.empty();
    if (given != 1) {
      throw Error(ErrorCode::usage, "ber", "needs one of --snr, --ebn0 and --esn0",
                  "write for example --snr 0:4:1");
    }
    levels.scale = !options.snr.empty()    ? SnrScale::snr
                   : !options.ebn0.empty() ? SnrScale::ebn0
                                           : SnrScale::esn0;
    if (!options.burst.empty() && kind != ChannelKind::burst) {
      throw Error(ErrorCode::usage, "--burst",
                  fmt::format("channel {} has no bursts", name_of(kind)));
    }
    const auto bursts =
        options.burst.empty() ? std::vector<double>{0} : parse_levels("--burst", options.burst);
    const auto ratios = parse_levels(fmt::format("--{}", name_of(levels.scale)),
                                     options.snr + options.ebn0 + options.esn0);
    for (double burst : bursts) {
      for (double ratio : ratios) {
        levels.channels.push_back({.kind = kind,
                                   .sigma = codes::sigma_of(ratio, levels.scale, rate),
                                   .burst_sigma = burst,
                                   .burst_probability = options.burst_probability});
      }
    }
  }
  for (const Channel& channel : levels.channels) channel.validate();
  return levels;
}

std::vector<std::string> decoder_names(const Options& options) {
  std::vector<std::string> names;
  for (const std::string& text : options.decoders) {
    for (std::string& variant : split_variants(text)) names.push_back(std::move(variant));
  }
  return names.empty() ? std::vector<std::string>{"sum-product"} : names;
}

// Prints rows as they come.
class Printer {
 public:
  Printer(const Options& options, const report::BerRun& run, const std::vector<std::string>& names)
      : options_(options), run_(run), table_(run, kind_of(options), names) {
    if (options.csv) print(report::ber_csv_header());
    if (!options.csv && !options.json) {
      print(report::ber_preamble(run, kind_of(options), options.burst_probability) +
            table_.header());
    }
  }
  void row(const report::BerRow& row) {
    print(options_.json  ? json_line(report::ber_json(run_, row)) + "\n"
          : options_.csv ? report::ber_csv(run_, row)
                         : table_.line(row));
  }

 private:
  static void print(const std::string& text) {
    print_result(text);
    flush_results();
  }
  const Options& options_;
  const report::BerRun& run_;
  report::BerTable table_;
};

void measure(const Options& options) {
  cluster::Group& group = cluster::world();
  const bool draws = group.first() && !options.plot.empty();
  if (draws) require_gnuplot("--plot");
  const Deadline clock = options.limits.clock();
  CodeFile read = read_code(options.file, options.limits.reading(clock));
  Budget budget = options.limits.budget("ber");
  budget.take(read.checks.bytes());
  const codes::Code code(std::filesystem::path(options.file).filename().string(),
                         std::move(read.checks), std::move(read.punctured), &budget);
  budget.take(codes::simulation_bytes(code, options.simulation));
  if (code.encoder.dimension() == 0) {
    throw Error(ErrorCode::model, options.file, "the code has no word but zero");
  }
  const Levels levels = levels_of(options, code.rate());
  const std::vector<std::string> names = decoder_names(options);
  std::vector<std::unique_ptr<codes::Decoder>> decoders;
  for (const auto& decoder : names) decoders.push_back(codes::make_decoder(code.checks, decoder));
  for (const auto& decoder : decoders) {
    for (const Channel& channel : levels.channels) decoder->check(channel, code.punctured.size());
  }
  const report::BerRun run{&code, levels.scale, options.simulation.seed,
                           options.simulation.zero_words};
  report::check_same_words(group, code, decoders);
  report::BerLog log(options.log, group);
  Printer printer(options, run, names);
  codes::SimulationOptions simulation = options.simulation;
  simulation.control = control();
  simulation.deadline = clock;
  std::vector<report::BerRow> rows;
  bool finished = true;
  for (std::size_t i = 0; finished && i < levels.channels.size(); ++i) {
    const Channel& channel = levels.channels[i];
    std::vector<Json> cells;
    for (std::size_t d = 0; d < names.size(); ++d) {
      cells.push_back(report::ber_json(run, {names[d], channel, {}, decoders[d]->identity()}));
    }
    std::vector<codes::ErrorCounts> counts = log.known(cells);
    simulation.label = fmt::format("cell {} of {}", i + 1, levels.channels.size());
    finished = simulate(code, channel, decoders, simulation, counts, group);
    for (std::size_t d = 0; d < names.size(); ++d) {
      rows.push_back({names[d], channel, counts[d], decoders[d]->identity()});
      log.add(report::ber_json(run, rows.back()));
      printer.row(rows.back());
    }
  }
  if (draws) report::plot_ber(run, rows, options.plot);
  const std::string what =
      options.log.empty() ? "the last rows are of fewer words" : "the same command goes on";
  end_if_interrupted(options.file, what);
  if (!finished)
    throw Error(ErrorCode::time_limit, options.file, "the time limit was reached; " + what);
}

constexpr const char* kPrints =
    R"(Sends random words of the code through a channel and counts what the decoders get wrong. Prints
a row per decoder and channel as soon as it is measured: bit and frame error rate with their 95 %
intervals, mean iterations, words per second of the decoder alone (one thread) and of the whole
simulation. All decoders see the same words and the same noise; a seed gives the same counts with
any number of threads and of machines (docs/scale.md).
Channels: awgn, burst (the paper's; chosen by --burst), rayleigh, bsc, bec. Ratios: --snr is
20 log10(1/sigma) as in the paper, --ebn0 and --esn0 the usual ones; every output says which.
Decoders: fgnn list decoders; settings follow a colon, as in sum-product:iterations=20,llr=marginal
(fgnn list decoder-settings).
A cell ends with --errors wrong frames or after --frames. With --log, cells that the file holds are
not measured again, and more --frames go on where the last run stopped.)";

void declare(CLI::App& command, Options& o) {
  const auto text = [&](const char* flag, std::string& value, const char* what, const char* type) {
    command.add_option(flag, value, what)->type_name(type);
  };
  const auto number = [&](const char* flag, auto& value, const char* what) {
    command.add_option(flag, value, what)
        ->check(not_negative())
        ->type_name("N")
        ->capture_default_str();
  };
  command.add_option("CODE", o.file, "The code: .alist, .qc, or a graph of parity checks")
      ->required()
      ->type_name("");
  command.add_option("--decoder", o.decoders, "Which ones, separated by commas; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME[:SETTING=VALUE,…]");
  text("--snr", o.snr, "20 log10(1/sigma) in dB: FIRST:LAST:STEP, or a list", "DB");
  text("--ebn0", o.ebn0, "The same as Eb/N0", "DB");
  text("--esn0", o.esn0, "The same as Es/N0", "DB");
  text("--burst", o.burst, "Standard deviations of the burst noise", "SIGMA");
  command
      .add_option("--burst-probability", o.burst_probability, "How often a bit is hit by a burst")
      ->check(not_negative())
      ->type_name("P")
      ->capture_default_str();
  text("--flip", o.flip, "Probabilities of the channels bsc and bec", "P");
  text("--channel", o.channel, "awgn, burst, rayleigh, bsc or bec", "NAME");
  number("--frames", o.simulation.max_frames, "Most words per cell");
  command.get_option("--frames")->check(positive());
  number("--errors", o.simulation.target_errors, "Enough wrong words; 0: all --frames");
  command.add_flag("--zero-words", o.simulation.zero_words, "Send zeros instead of random words");
  number("--threads", o.simulation.threads, "Threads to use; 0: all processors");
  number("--seed", o.simulation.seed, "Seed of words and noise");
  command.add_flag("--json", o.json, "Print a line of JSON per row instead of a table");
  command.add_flag("--csv", o.csv, "Print CSV instead of a table");
  text("--log", o.log, "Keep the cells in this file, and use those that it has", "FILE");
  text("--plot", o.plot, "Draw the curves, by gnuplot", "FILE.svg");
}

}  // namespace

void add_ber(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "ber", "Bit and frame error rates of decoders", kPrints,
      {"fgnn ber 96.3.963.alist --decoder mackay,osd:order=3 --snr 0:4:1 --burst 0:5:1",
       "fgnn ber wimax.alist --ebn0 0:3:0.25 --decoder sum-product:iterations=100 --plot wimax.svg",
       "fgnn ber code.alist --channel bsc --flip 0.02,0.05 --decoder min-sum --json | jq .fer"});
  declare(*command, *options);
  options->limits.declare(*command);
  command->callback([options] { measure(*options); });
}

}  // namespace fgnn::cli
