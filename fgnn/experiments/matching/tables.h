// The tables of `fgnn reproduce matching` (section 5.3 of the paper), measured.
//
//   voc          accuracy by class on pairs of test objects, intersection protocol, beside the
//                paper's rows
//   protocols    the means of the other protocols (inclusion, unfiltered with F1) and of turned
//                pictures
//   noise, outliers   random point sets: 20 inliers, noise 0 … 0.1, or outliers 0 … 10
//   house, hotel      CMU's films at separations 10 … 100, all points and five dropped on each side
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fgnn/experiments/matching/evaluate.h"
#include "fgnn/experiments/matching/matcher.h"
#include "fgnn/report/page.h"
#include "fgnn/report/tables.h"

namespace fgnn::matching {

struct ReportOptions {
  std::filesystem::path data;
  std::vector<std::string> tables;          // empty: all
  std::vector<std::string> networks;        // of pictures: names or files
  std::vector<std::string> open_networks;   // of pictures, where points may have no partner
  std::vector<std::string> point_networks;  // of positions alone
  std::vector<std::string> solvers{"max-product", "mplp", "ad3"};
  std::size_t pairs = 1000, solver_pairs = 50;  // of each class
  std::size_t seeds = 3;                        // of evaluation
  std::size_t sets = 100;                       // random pairs of point sets by setting
  int threads = 1;
  std::string log;  // file of evaluations to go on from; empty: none
  Control control;  // told of every row; may ask to stop
};

struct ReportRow {
  std::string table, method;
  bool of_paper = false;
  std::optional<double> x;           // of a sweep
  std::vector<double> by_class;      // percent; empty but for voc
  double mean = 0;                   // percent
  std::optional<double> deviation;   // over seeds
  std::string measure = "accuracy";  // or F1
  std::size_t pairs = 0;             // of each class, or in all; 0: not known
  double seconds = 0;
};

const std::vector<report::TableInfo>& report_tables();

// Throws Error(usage) for unknown tables and methods, Error(io) for missing files, Error(format)
// for a log that is none.
std::vector<ReportRow> measure_tables(const ReportOptions& options);

// What tables call a network: its name, or that of the folder of its training.
std::string network_label(const std::string& network);

// A table for the terminal and the page. `classes`: all 20 columns of voc.
report::HtmlTable printed(const std::string& table, const std::vector<ReportRow>& rows,
                          bool classes);

}  // namespace fgnn::matching
