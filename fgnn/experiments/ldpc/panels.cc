#include "fgnn/experiments/ldpc/panels.h"

#include <fmt/format.h>

#include <cmath>

#include "fgnn/codes/decoders.h"
#include "fgnn/codes/simulate.h"
#include "fgnn/experiments/ldpc/paper.h"
#include "fgnn/experiments/ldpc/task.h"
#include "fgnn/experiments/measurement_log.h"
#include "fgnn/io/input_file.h"
#include "fgnn/report/ber_log.h"

namespace fgnn::ldpc {
namespace {

std::vector<PanelMethod> methods(const std::filesystem::path& weights) {
  std::vector<PanelMethod> all{
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

}  // namespace

const report::BerRow* Panels::row(const std::string& method, double burst, double snr) const {
  for (const report::BerRow& r : rows) {
    const double mine = codes::decibels_of(r.channel.sigma, run.scale, code.rate());
    if (r.decoder == method && r.channel.burst_sigma == burst && std::abs(mine - snr) < 1e-6) {
      return &r;
    }
  }
  return nullptr;
}

std::optional<double> Panels::published(double burst, double snr) const {
  if (codes::fingerprint(code.checks) != kPaperCode) return {};
  return published_fgnn_ber(burst, snr);
}

double Panels::ber(const report::BerRow& row) const {
  return row.counts.ber(code.encoder.dimension());
}

codes::ErrorCounts Panels::total(const std::string& method) const {
  codes::ErrorCounts sum;
  for (const report::BerRow& r : rows) {
    if (r.decoder == method) sum.add(r.counts);
  }
  return sum;
}

std::shared_ptr<const Panels> measure_panels(const PanelOptions& options) {
  cluster::Group& group = *options.group;
  LdpcOptions task;
  task.code = options.code;
  auto result = std::make_shared<Panels>(Panels{LdpcTask(task).code(), {}, options.bursts, {}, {}});
  Panels& panels = *result;
  panels.run = {&panels.code, codes::SnrScale::snr, options.seed, false};
  panels.methods = methods(options.weights);
  std::vector<const PanelMethod*> measured;
  std::vector<std::unique_ptr<codes::Decoder>> decoders;
  for (const PanelMethod& m : panels.methods) {
    if (m.how.empty()) continue;
    measured.push_back(&m);
    decoders.push_back(codes::make_decoder(panels.code.checks, m.how));
  }
  codes::SimulationOptions simulation;
  simulation.seed = options.seed;
  simulation.threads = options.threads;
  simulation.max_frames = options.words;
  report::check_same_words(group, panels.code, decoders);
  report::BerLog log(options.log, group);
  simulation.control = options.control;
  for (const double burst : options.bursts) {
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
      simulation.label = fmt::format("bursts of {:g}, {:g} dB", burst, snr);
      simulate(panels.code, channel, decoders, simulation, counts, group);
      for (std::size_t d = 0; d < measured.size(); ++d) {
        log.add(cell(d, counts[d]));
        panels.rows.push_back({measured[d]->name, channel, counts[d], {}});
      }
      options.control.end_if_stopped("reproduce ldpc", experiments::after_stop(options.log));
    }
  }
  return result;
}

}  // namespace fgnn::ldpc
