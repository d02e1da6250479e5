// The trainings that the tables of motion are made of, what came out of them, and the file in which
// outcomes are kept as they come: a reproduction can be stopped and taken up again.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/experiments/motion/evaluate.h"
#include "fgnn/report/tables.h"

namespace fgnn::motion {

// A table: one data set, one form, so many windows, some horizons.
struct TableSpec {
  std::string name, title, dataset;
  Form form = Form::position;
  std::size_t windows = 8, predicted = 25;
  std::size_t first_horizon = 0, last_horizon = 5;
  bool longer = false;  // H3.6M's four actions at 560 and 1000 ms
};
const std::vector<TableSpec>& table_specs();
std::vector<report::TableInfo> motion_tables();

// One network, trained and tested.
struct Run {
  std::string dataset = "cmu", network = "gcn";
  Form form = Form::position;
  std::size_t predicted = 25;
  double epochs = 50;
  std::size_t stride = 1;
  std::uint64_t seed = 0;
  std::string products = "float";  // train/options.h

  std::string name() const;  // says everything, fit for a folder
};

struct Outcome {
  std::string run;
  std::map<std::size_t, Errors> errors;  // by windows: 8 and 256
  double parameters = 0, seconds = 0;    // of wall clock
  int threads = 1;
};

struct ReportOptions {
  std::string cmu, h36m;         // folders of data; empty: none
  std::filesystem::path folder;  // of trainings and outcomes
  std::vector<std::string> tables, networks{"gcn", "fgnn"};
  double epochs = 50;
  std::size_t stride = 1;
  std::size_t seeds = 1;
  std::string products = "float";  // of trainings; train/options.h
  bool train = true;               // otherwise only what is there is shown
  int threads = 1;
  Control control;

  void validate() const;                     // throws Error(usage)
  bool wants(const TableSpec& table) const;  // and has its data
  const std::string& data(const std::string& dataset) const {
    return dataset == "cmu" ? cmu : h36m;
  }
};

std::vector<Run> runs_of(const TableSpec& table, const ReportOptions& options);

// Those of a folder (experiments/outcomes.h).
std::vector<Outcome> read_outcomes(const std::filesystem::path& folder);
std::string line_of(const Outcome& outcome);

// Outcomes in the folder, completed by trainings where these are asked for. Throws
// Error(interrupted): the same call goes on.
std::vector<Outcome> reproduce(const ReportOptions& options);

}  // namespace fgnn::motion
