// A factor graph restated for AD3, on flat arrays of coordinates.
//
// A decided variable has no coordinate, one with two states left has one (the second state's), one
// with more has one per state. Factors keep their undecided variables only: those with fewer than
// two are folded into the unary terms and the constant, positions that a count does not depend on
// are dropped, and the linear part of a pairwise table joins the unary terms. What remains is
//   constant + sum_k theta_k y_k + sum_c f_c(y_c),
// the local coordinates of factor c being first .. last-1, each a copy of global coordinate `at`.
// Factors of the common forms stand in groups that are stepped together (lanes.h); the padding of
// those copies one more global coordinate, beyond the last.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/ad3/lanes.h"
#include "fgnn/infer/ad3/oracle.h"
#include "fgnn/infer/ad3/projections.h"
#include "fgnn/infer/domains.h"

namespace fgnn::admm {

enum class Kind : std::uint8_t { pair, count, parity, general };

struct LocalFactor {
  Kind kind = Kind::general;
  bool odd = false;     // parity
  bool flat = true;     // count: CountValues::flat
  bool turned = false;  // count: some coordinates are of states that do not count
  std::uint32_t first = 0, last = 0;
  std::uint32_t values = 0, size = 0, least = 0;  // count: its values in Problem::values
  std::uint32_t oracle = 0;                       // general
  double coupling = 0;                            // pair
};

// One undecided variable of one factor.
struct LocalEdge {
  EdgeId edge = 0;
  std::uint32_t first = 0;  // local coordinate
};

struct Problem {
  double constant = 0;
  std::vector<std::uint32_t> coordinate{0};  // per variable, one more at the end
  std::vector<double> theta;                 // per global coordinate
  std::vector<std::uint32_t> degree;         // per global coordinate: local copies
  std::vector<LaneGroup> groups;
  std::vector<LocalFactor> factors;  // that are in no group
  std::vector<LocalEdge> edges;
  std::size_t grouped = 0;       // local coordinates of the groups, which come first
  std::size_t copies = 0;        // local coordinates without padding
  std::vector<std::int64_t> at;  // per local coordinate
  std::vector<char> turned;      // per local coordinate
  std::vector<double> values;
  std::vector<std::unique_ptr<Oracle>> oracles;
  std::string contradiction;  // a factor without an allowed joint state; empty if none

  std::size_t coordinates(VariableId v) const { return coordinate[v + 1] - coordinate[v]; }
  CountValues count(const LocalFactor& f) const {
    return {f.least, std::span(values).subspan(f.values, f.size), f.flat};
  }
};

// `domains` must be propagated (propagate.h). The problem refers to the graph and the tables.
Problem restate(const FactorGraph& graph, const Domains& domains, TableStore& tables);

}  // namespace fgnn::admm
