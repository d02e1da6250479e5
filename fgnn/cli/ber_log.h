// The log of `fgnn ber`: a file with one line of JSON per measured cell. Cells that it holds are
// not measured again; a cell that needs more frames goes on where it stopped.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "fgnn/cli/json.h"
#include "fgnn/codes/error_rates.h"
#include "fgnn/io/json_log.h"

namespace fgnn::cli {

class BerLog {
 public:
  // An empty name keeps no log. A file that is there is read; throws Error(format) naming the line
  // that is no cell, and leaves the file as it is. A last line that was cut off by a crash is
  // dropped. Throws Error(io) when it cannot be written to.
  explicit BerLog(const std::string& file);

  // What is known of the cell; zero if nothing.
  codes::ErrorCounts known(const Json& cell) const;
  // Adds a line, unless the log has it already. Throws Error(io).
  void add(const Json& cell);

 private:
  std::unique_ptr<JsonLog> lines_;                   // none: no log is kept
  std::map<std::string, codes::ErrorCounts> cells_;  // the last line of a cell counts
};

}  // namespace fgnn::cli
