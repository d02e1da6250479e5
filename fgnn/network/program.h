// A network as data: a list of operations on registers, made from a description (description.h).
// run.h runs it forwards, learner.h forwards and backwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fgnn/network/operation.h"
#include "fgnn/network/structure.h"

namespace fgnn::network {

// What the rows of a register stand for.
struct Place {
  enum Kind { variable, factor, edge, kind, graph } rows = variable;
  int relation = -1;
  bool operator==(const Place&) const = default;
};

struct Register {
  Place place;
  std::size_t width = 0;
};

struct Parameter {
  std::string name;
  std::vector<std::int64_t> shape;
  // Uniform in +-bound around `centre` at the start; running moments are not trained.
  double centre = 0, bound = 0;
  bool trained = true;

  std::size_t count() const;
};

struct RelationSchema {
  std::string name;
  std::size_t factor_features = 0;  // numbers on each factor
  std::size_t kinds = 1;            // of edges; positions in the scope, for example
  std::size_t edge_features = 0;    // numbers on each kind of edge
};

// What graphs look like that a network takes.
struct Schema {
  std::size_t variable_features = 0;
  std::vector<RelationSchema> relations;
  std::size_t variables = 0;  // of every graph; 0: any number
};

struct Program {
  std::vector<Register> registers;
  std::vector<Parameter> parameters;
  std::vector<OperationPtr> operations;
  int variable_input = -1;  // registers
  std::vector<int> factor_input, edge_input;
  int output = -1;
  std::size_t variables = 0;  // of every graph; 0: any number

  std::size_t trained_numbers() const;
  // Where a trained parameter begins in a flat array of them all, each on a cache line: the last
  // entry is the array's size; -1 for those that are not trained.
  std::vector<std::int64_t> flat_offsets() const;
};

std::size_t rows(const Structure& structure, std::size_t copies, Place place);

// Row offsets of the graphs of a batch at a place with rows by graph.
std::vector<std::size_t> graph_rows(const Structure& structure, std::size_t copies, Place place);

// Throws Error(usage) naming the features, kinds of edges or numbers of variables that do not fit.
void check_features(const Program& program, const Batch& batch);

// Multiplications and additions of one forward pass over a structure (two per weight used).
double arithmetic(const Program& program, const Structure& structure);

}  // namespace fgnn::network
