// The six panels of the paper's figure (section 5.2): bit error rates of decoders under burst
// noise, every decoder on the same words.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fgnn/cluster/group.h"
#include "fgnn/codes/code.h"
#include "fgnn/core/control.h"
#include "fgnn/report/ber_row.h"

namespace fgnn::ldpc {

inline constexpr double kBursts[] = {0, 1, 2, 3, 4, 5}, kRatios[] = {0, 1, 2, 3, 4};

// A row of the paper's figure, or one of ours; of a network that is missing only the note.
struct PanelMethod {
  std::string name, how, note;
};

struct PanelOptions {
  std::string code;                       // a file; empty: a (96,48) code made here
  std::filesystem::path weights;          // folder of the networks
  std::vector<double> bursts;             // panels
  std::uint64_t words = 10000, seed = 0;  // words a cell
  int threads = 1;
  std::string log;  // file of measured cells; empty: none is kept
  cluster::Group* group = &cluster::alone();
  Control control;  // asked to stop: Error(interrupted); the cells measured are in the log
};

struct Panels {
  codes::Code code;
  report::BerRun run;
  std::vector<double> bursts;
  std::vector<PanelMethod> methods;
  std::vector<report::BerRow> rows;  // by their method's name

  // Null where it was not measured.
  const report::BerRow* row(const std::string& method, double burst, double snr) const;
  // The authors' network, where the code is theirs.
  std::optional<double> published(double burst, double snr) const;
  double ber(const report::BerRow& row) const;
  // All cells together.
  codes::ErrorCounts total(const std::string& method) const;
  std::uint64_t words() const { return rows.empty() ? 0 : rows[0].counts.frames; }
};

// The rows refer to the code, so it must stay where it is.
std::shared_ptr<const Panels> measure_panels(const PanelOptions& options);

}  // namespace fgnn::ldpc
