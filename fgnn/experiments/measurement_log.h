// Measurements of a reproduction or comparison, kept as they come, so that one that was stopped
// goes on where it was: a file with a line of JSON for each,
//
//   {"experiment":"synthetic","measured":{…},"result":{…}}
//
// "measured" holds all that makes it this measurement and no other (table, data, method with its
// settings and weights, count, seed). A line counts for exactly the same "measured"; everything
// else is measured again. Of a group, rank 0 alone reads and writes the file.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fgnn/cluster/group.h"
#include "fgnn/io/json_log.h"
#include "fgnn/report/json.h"

namespace fgnn::experiments {

class MeasurementLog {
 public:
  // Throws a nlohmann::json::exception for what is no result of this experiment.
  using Check = std::function<void(const Json& result)>;

  // An empty name keeps no log. A file that is there is read; throws Error(format) naming the line
  // that is not a measurement, and leaves the file as it is. A last line that was cut off by a
  // crash is dropped. Throws Error(io) when it cannot be written to. `command` is the program's
  // command that writes such files: empty stands for "reproduce EXPERIMENT".
  MeasurementLog(const std::string& file, std::string experiment, const Check& check,
                 cluster::Group& group = cluster::alone(), std::string command = {});

  // The results of these measurements, on all ranks what rank 0 knows; null: to be measured.
  std::vector<Json> known(const std::vector<Json>& measured) const;
  Json known(const Json& measured) const;
  // Adds a line. Throws Error(io).
  void add(const Json& measured, const Json& result);

 private:
  std::string experiment_;
  bool kept_;
  cluster::Group& group_;
  std::unique_ptr<JsonLog> lines_;       // of rank 0
  std::map<std::string, Json> results_;  // by what was measured; the last line counts
};

// What to say of a reproduction that was stopped, with this file for its log.
std::string after_stop(const std::string& log);

}  // namespace fgnn::experiments
