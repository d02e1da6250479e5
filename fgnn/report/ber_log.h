// The log of `fgnn ber`: a file with one line of JSON per measured cell. Cells that it holds are
// not measured again; a cell that needs more frames goes on where it stopped.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fgnn/cluster/group.h"
#include "fgnn/codes/code.h"
#include "fgnn/codes/decoder.h"
#include "fgnn/codes/error_rates.h"
#include "fgnn/io/json_log.h"
#include "fgnn/report/json.h"

namespace fgnn::report {

class BerLog {
 public:
  // An empty name keeps no log. A file that is there is read; throws Error(format) naming the line
  // that is not a cell, and leaves the file as it is. A last line that was cut off by a crash is
  // dropped. Throws Error(io) when it cannot be written to. Of a group, rank 0 alone keeps it.
  BerLog(const std::string& file, cluster::Group& group);

  // What is known of these cells, on all ranks; zero if nothing.
  std::vector<codes::ErrorCounts> known(std::span<const Json> cells) const;
  // Adds a line, unless the log has it already. Throws Error(io).
  void add(const Json& cell);

 private:
  cluster::Group& group_;
  std::unique_ptr<JsonLog> lines_;                   // none: no log is kept
  std::map<std::string, codes::ErrorCounts> cells_;  // the last line of a cell counts
};

// Throws Error(usage) when ranks would simulate different things: another code, other weights.
void check_same_words(cluster::Group& group, const codes::Code& code,
                      std::span<const std::unique_ptr<codes::Decoder>> decoders);

}  // namespace fgnn::report
