// The paper's synthetic experiments done again: a row per table, dataset and method, with the
// paper's figure beside the measured one.
//
//   1         agreement with the exact MAP on D1, D2 and D3, with times
//   2         a network trained on chains of 30, on chains of other lengths
//   3         chains (D4) and trees
//   ablation  networks that are shown a part of every budget
//   timing    the appendix's times, with PointNet and DGCNN
//   d5        ours: budgets on a grid, where exact search is hard; every solver at equal time
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fgnn/cluster/group.h"
#include "fgnn/core/control.h"
#include "fgnn/report/tables.h"

namespace fgnn::synthetic {

struct Row {
  std::string table, dataset, method;
  std::string how;   // what was run
  std::string note;  // why there is no figure, or what to know of it
  std::string unit;  // "%" of variables equal to the exact MAP, or "us" an instance
  std::optional<double> ours, error, paper, paper_error;
  // Beyond the paper (contest.h).
  std::optional<double> exact, feasible, score_gap, left_open, proved, microseconds,
      paper_microseconds;
  std::size_t instances = 0;
};

struct SyntheticReportOptions {
  std::vector<std::string> tables;  // empty: all
  std::filesystem::path weights;    // folder of NAME.safetensors
  bool quick = false;               // seconds instead of minutes
  std::uint64_t count = 0;          // instances per dataset; 0: 10000, or 100 when quick
  int threads = 1;
  std::uint64_t seed = 0;                     // of the test instances
  std::size_t side = 12;                      // of D5's grids
  std::string log;                            // file of measurements to go on from; empty: none
  Control control;                            // asked to stop: Error(interrupted)
  cluster::Group* group = &cluster::alone();  // its ranks share out the instances

  void validate() const;  // throws Error(usage) for an unknown table
};

const std::vector<report::TableInfo>& synthetic_tables();

std::vector<Row> reproduce_synthetic(const SyntheticReportOptions& options);

}  // namespace fgnn::synthetic
