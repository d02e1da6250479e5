// What a run writes as it goes: metrics.jsonl (one line per validation), a TensorBoard event file,
// and at the end a plot of the learning curve.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "fgnn/io/event_file.h"
#include "fgnn/io/json_log.h"

namespace fgnn::train {

class RunLog {
 public:
  // Continues after the lines of steps up to `step`; later ones, of a run that was killed, are
  // removed.
  RunLog(const std::filesystem::path& folder, std::uint64_t step);

  void write(std::uint64_t step, const std::map<std::string, double>& values);

 private:
  EventFile events_;  // makes the folder
  JsonLog lines_;
};

// curve.svg from metrics.jsonl, by gnuplot. False when gnuplot is not installed.
bool plot_curve(const std::filesystem::path& folder);

}  // namespace fgnn::train
