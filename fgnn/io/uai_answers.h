// Evidence and answers in the formats of the UAI competitions.
//
//   evidence   count variable state variable state …      (nothing, or 0: no evidence)
//   MAR        number of variables, then per variable its number of states and probabilities
//   MAP        number of variables, then the state of each
//   PR         log10 of the partition function
//
// Readers throw Error(format) naming file:line:column, also where the file does not fit the graph.
#pragma once

#include <istream>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/result.h"

namespace fgnn {

// The layout of older competitions, which puts a number of samples first, is understood when that
// number is 1: the count of numbers in the file tells the two apart.
Evidence read_evidence(std::istream& in, const std::string& file, const FactorGraph& graph);

void write_mar(std::ostream& out, const Marginals& marginals);
void write_map(std::ostream& out, std::span<const State> assignment);
// `log_partition` is a natural logarithm, here as elsewhere; the file holds it to base 10.
void write_pr(std::ostream& out, double log_partition);

Marginals read_mar(std::istream& in, const std::string& file, const FactorGraph& graph);
// Also under the name that some competitions gave it, MPE.
std::vector<State> read_map(std::istream& in, const std::string& file, const FactorGraph& graph);
double read_pr(std::istream& in, const std::string& file);

}  // namespace fgnn
