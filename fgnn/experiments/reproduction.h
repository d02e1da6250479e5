// The paper's tables done again, in one shape for all experiments: `fgnn reproduce NAME` with
// --tables, --quick, --json, --html, and where they apply --data, --weights, --out and --log.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fgnn/cluster/group.h"
#include "fgnn/experiments/arguments.h"
#include "fgnn/experiments/data.h"
#include "fgnn/report/page.h"
#include "fgnn/report/tables.h"

namespace fgnn::experiments {

// A member of a row beyond those that all have; an empty optional is null.
using Member = std::variant<std::optional<double>, std::uint64_t, std::string>;

// A measured figure beside the paper's: an object of "rows" in --json.
struct ReportRow {
  std::string table, dataset, method;
  std::optional<double> ours, paper;
  std::string unit;
  std::optional<double> error = {};  // "stderr"
  std::string note = {};             // why there is no figure, or what to know of it
  std::vector<std::pair<std::string, Member>> more = {};
};

// A table as it is printed.
struct Printed {
  std::string heading;
  report::HtmlTable table;
  std::vector<std::string> notes = {};
};

struct Report {
  std::vector<ReportRow> rows;
  std::string introduction = {};  // lines above the tables
  std::vector<Printed> tables;
  std::function<std::string()> page;                              // HTML, made when it is wanted
  std::vector<std::pair<std::string, std::string>> further = {};  // JSON members beside "rows"
};

// What the user wants.
struct Request {
  std::vector<std::string> tables;  // empty: all; they exist
  bool quick = false;
  int threads = 1;
  std::uint64_t seed = 0;
  std::string data;               // found (data.h), where the experiment reads any
  std::filesystem::path weights;  // folder of trained networks
  std::filesystem::path folder;   // --out: of models and outcomes, to go on from
  std::string log;                // --log: file of measurements, to go on from; empty: none
  cluster::Group* group = &cluster::alone();
  Control control;    // who looks on, and may ask to stop
  Arguments options;  // those of Reproduction::options

  bool wants(const std::string& table) const { return report::wants_table(tables, table); }
};

struct Reproduction {
  std::string summary, help;  // as of a Command
  std::vector<std::string> examples;
  std::string quick;                      // what --quick does: "A hundred words a cell: seconds"
  std::vector<report::TableInfo> tables;  // --tables
  std::vector<Option> options = {};       // further ones
  std::optional<DataSource> data = {};    // --data
  bool weights = false;                   // --weights
  std::string folder = {};                // what --out holds; empty: there is no --out
  bool log = false;                       // --log
  bool several_ranks = false;             // MPI's ranks share it out (docs/scale.md)
  std::function<Report(const Request&)> run;
};

}  // namespace fgnn::experiments
