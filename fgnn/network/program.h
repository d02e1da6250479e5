// A network as data: a list of operations on registers, made from a description (description.h).
// Two interpreters run it: run.h on the kernels alone, nn/module.h on tensors with gradients.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "fgnn/kernels/activation.h"
#include "fgnn/kernels/aggregate.h"
#include "fgnn/kernels/convolution.h"
#include "fgnn/kernels/message.h"
#include "fgnn/network/structure.h"

namespace fgnn::network {

using kernels::Activation;
using kernels::Aggregate;

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

// Registers and parameters by number; -1 means none.

// output = act(inputs weight + bias), inputs side by side
struct Linear {
  std::vector<int> inputs;
  int weight, bias, output;
  Activation activation;
};

enum class NormKind { none, batch, layer, instance };

// output = act(norm(input)) + residual. A scale narrower than the input belongs to the channels of
// an image: each pixel is a row then.
struct Norm {
  int input, residual, output;
  NormKind kind;
  int scale, shift, mean, variance;  // parameters; moments for batch only
  Activation activation;
};

// kernels/message.h. Q is: a table of matrices, a mixture of bases by coefficients (a register of
// rows by kind), or nothing.
struct Message {
  Way way;
  int relation;
  int target, source, output;  // registers
  int matrices, coefficients;  // a parameter, a register
  kernels::MessageOptions options;
  int knn = -1;  // neighbours found by a KNearest instead of `way`
};

// kernels/scaled.h: a diagonal matrix by kind of edge
struct ScaledMessage {
  Way way;
  int relation;
  int source, output;
  int scale, shift;  // parameters; shift may be absent
  Activation activation;
  Aggregate aggregate;
};

// kernels/convolution.h, on rows that are images
struct Convolution {
  int input, weight, bias, output;
  kernels::ImageShape shape;  // of the input
  std::size_t size;
};
struct MaxPool {
  int input, output;
  kernels::ImageShape shape;  // of the input
  std::size_t side;
};

// In training each number (or each row) is zero with this probability, and the other numbers are
// scaled up; else nothing happens.
struct Dropout {
  int input, output, id;
  double share;
  bool rows;
};

// Every row with the numbers of a parameter behind its own.
struct Append {
  int input, parameter, output;
};

// kernels/exclude.h, at factors or at variables
struct Exclude {
  Way way;  // edge_to_factor or edge_to_variable
  int relation, input, output;
  Aggregate aggregate;
  double temperature;
};

struct Add {
  std::vector<int> inputs;
  int output;
};

// Entry by entry.
struct Multiply {
  int first, second, output;
};

struct Activate {
  int input, output;
  Activation activation;
};

// kernels/softmax.h
struct Softmax {
  int input, output;
};

struct Zero {
  int output;
};

// kernels/gru.h
struct Gru {
  int input, hidden, state, output;  // 3 width, 3 width, width, width
};

// The k nearest variables of each variable within its graph, by a register; for EdgeConv.
struct KNearest {
  int input, id;
  std::size_t neighbours;
};

using Operation =
    std::variant<Linear, Norm, Message, ScaledMessage, Convolution, MaxPool, Dropout, Append,
                 Exclude, Add, Multiply, Activate, Softmax, Zero, Gru, KNearest>;

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
};

struct Program {
  std::vector<Register> registers;
  std::vector<Parameter> parameters;
  std::vector<Operation> operations;
  int variable_input = -1;  // registers
  std::vector<int> factor_input, edge_input;
  int output = -1;

  std::size_t trained_numbers() const;
  // Where a trained parameter begins in a flat array of them all, each on a cache line: the last
  // entry is the array's size; -1 for those that are not trained.
  std::vector<std::int64_t> flat_offsets() const;
};

std::size_t rows(const Structure& structure, std::size_t copies, Place place);

// Whether the matrices of a mixture are made once per kind, rather than mixed on every edge: where
// every copy has the same kinds, and few.
bool one_matrix_per_kind(const Program& program, const Message& message, const Structure& structure,
                         std::size_t copies);
// Whether the coefficients of a message differ by copy.
bool coefficients_by_copy(const Program& program, const Message& message,
                          const Structure& structure);

// Multiplications and additions of one forward pass over a structure (two per weight used).
double arithmetic(const Program& program, const Structure& structure);

}  // namespace fgnn::network
