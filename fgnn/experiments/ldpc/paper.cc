#include "fgnn/experiments/ldpc/paper.h"

#include <cmath>

namespace fgnn::ldpc {
namespace {

struct Panel {
  double burst_sigma;
  double ber[5];  // at 0 … 4 dB
};

constexpr Panel kPanels[] = {
    {0, {.129, .0857, .0422, .0148, .0028}},
    {2, {.149, .109, .0739, .0376, .0149}},
    {5, {.153, .119, .0772, .0404, .0169}},
};

}  // namespace

std::optional<double> published_fgnn_ber(double burst_sigma, double snr_db) {
  const double place = std::round(snr_db);
  if (std::abs(snr_db - place) > 1e-6 || place < 0 || place > 4) return {};
  for (const Panel& panel : kPanels) {
    if (panel.burst_sigma == burst_sigma) return panel.ber[static_cast<int>(place)];
  }
  return {};
}

}  // namespace fgnn::ldpc
