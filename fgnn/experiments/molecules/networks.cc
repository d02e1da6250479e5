#include "fgnn/experiments/molecules/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/experiments/molecules/atom_features.h"

namespace fgnn::molecules {
namespace {

constexpr std::size_t kPaperRank = 512, kOurRank = 128;
constexpr std::size_t kBatch = 64;

// Without the factors' features, which the MPNN reads as they are.
std::string start(std::size_t width, std::size_t columns) {
  return fmt::format("FC({}, norm=none, relation=none, columns={})", width, columns);
}

// Three steps, tied or each with weights of its own.
std::string mpnn(std::size_t columns, bool tied, std::size_t hidden, const char* aggregate) {
  return fmt::format(
      "{} - 3{}MPNN(64, q_hidden={}, direction=symmetric, aggregate={}, root=yes, q_bias=yes, "
      "received=relu)",
      start(64, columns), tied ? '@' : '*', hidden, aggregate);
}

std::string paper(const NetworkOptions& o) {
  const bool large = o.network == "mpnn-large";
  const std::string steps =
      mpnn(kAtomFeatures + (o.form == Form::positions ? 3 : 0), !large, large ? 232 : 128, "mean");
  if (o.network != "fgnn") return steps;
  const std::size_t rank = o.rank > 0 ? o.rank : kPaperRank;
  const bool positions = o.form == Form::positions;
  return fmt::format(
      "{}{} - Cat[3*FGNN(64, relation={}, factor={}, to_factor=max, to_variable=sum, norm=layer, "
      "update=no)]",
      steps,
      positions
          ? fmt::format(" - Factors(64, relation=bond, aggregate=product, first={})", kAtomFeatures)
          : "",
      positions ? "atom+bond" : "atom", rank);
}

std::string invariant(const NetworkOptions& o) {
  const std::size_t rank = o.rank > 0 ? o.rank : kOurRank;
  const bool large = o.network == "mpnn-large";
  const std::string text = mpnn(kAtomFeatures + 1, !large, large ? 96 : 48, "sum");
  if (o.network != "fgnn") return text;
  return text +
         fmt::format(
             " - Cat[3*[FGNN(64, relation=atom, factor={}, to_factor=max, to_variable=sum, "
             "norm=layer, update=no) - FGNN(64, relation=angle, q=mixture, bases=8, q_hidden=32, "
             "to_factor=max, to_variable=sum, norm=layer, update=no)]]",
             rank);
}

}  // namespace

void NetworkOptions::validate() const {
  const std::vector<std::string> known{"fgnn", "mpnn", "mpnn-large"};
  if (std::ranges::find(known, network) == known.end()) {
    throw Error(ErrorCode::usage, "network", fmt::format("is '{}'", network),
                suggestion(network, known));
  }
  if (rank > 4096) throw Error(ErrorCode::usage, "rank", "is above 4096");
  if (rank > 0 && network != "fgnn")
    throw Error(ErrorCode::usage, "rank", "belongs to the network with factors");
}

network::Description network_of(const NetworkOptions& o) {
  o.validate();
  network::Description description;
  description.network =
      o.form == Form::invariant
          ? fmt::format(
                "{} - FC(128, norm=none, relation=none) - Pool(sum+mean+max, moments=16, "
                "first={}) - Cat[FC(128, norm=none)] - Out({})",
                invariant(o), kAtomFeatures + 1, o.outputs)
          : fmt::format("{} - Set2Set(3) - FC(64, norm=none) - Out({})", paper(o), o.outputs);
  return description;
}

std::string training_of(const NetworkOptions& o, std::size_t training, std::size_t validation,
                        double epochs) {
  const std::size_t epoch = (training + kBatch - 1) / kBatch;
  const auto steps =
      static_cast<std::size_t>(std::max(1.0, std::round(epochs * static_cast<double>(epoch))));
  // Four parts: every part writes a gradient of all weights, of which the paper's network has many.
  // Ours falls to nothing along a cosine, with averaged weights; the paper's waits for plateaus.
  const std::string schedule =
      o.form == Form::invariant
          ? R"("schedule": "cosine", "warmup": 500, "average": 0.999)"
          : R"("schedule": "plateau", "factor": 0.7, "every": 5, "floor": 1e-5, "warmup": 0, "parts": 4)";
  return fmt::format(
      R"({{"steps": {}, "batch": {}, "interval": {}, "validation": {}, "rate": 1e-3, "clip": 10, {}}})",
      steps, kBatch, epoch, validation, schedule);
}

}  // namespace fgnn::molecules
