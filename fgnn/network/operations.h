// The operations of networks, as builders ask for them: a struct that says what is wanted, and a
// function that makes the operation. Each is in the file of operations/ that has its name.
#pragma once

#include <cstddef>
#include <vector>

#include "fgnn/kernels/activation.h"
#include "fgnn/kernels/aggregate.h"
#include "fgnn/kernels/convolution.h"
#include "fgnn/kernels/message.h"
#include "fgnn/network/operation.h"
#include "fgnn/network/structure.h"

namespace fgnn::network {

using kernels::Activation;
using kernels::Aggregate;

// Registers and parameters by number; -1 means none.

// output = act(inputs weight + bias), inputs side by side
struct Linear {
  std::vector<int> inputs;
  int weight, bias, output;
  Activation activation;
};
OperationPtr make(Linear);

enum class NormKind { none, batch, layer, instance };

// output = act(norm(input)) + residual. A scale narrower than the input belongs to the channels of
// an image: each pixel is a row then. A wider one belongs to the positions of variables in graphs
// of one size: each graph is a row.
struct Norm {
  int input, residual, output;
  NormKind kind;
  int scale, shift, mean, variance;  // parameters; moments for batch only
  Activation activation;
};
OperationPtr make(Norm);

// kernels/message.h. Q is: a table of matrices, a mixture of bases by coefficients (a register of
// rows by kind), or nothing.
struct Message {
  Way way;
  int relation;
  int target, source, output;  // registers
  int matrices, coefficients;  // a parameter, a register
  kernels::MessageOptions options;
  int nearest = -1;  // the register of a KNearest, whose edges are used instead of `way`
};
OperationPtr make(Message);

// kernels/scaled.h: a diagonal matrix by kind of edge
struct ScaledMessage {
  Way way;
  int relation;
  int source, output;
  int scale, shift;  // parameters; shift may be absent
  Activation activation;
  Aggregate aggregate;
};
OperationPtr make(ScaledMessage);

// kernels/convolution.h, on rows that are images
struct Convolution {
  int input, weight, bias, output;
  kernels::ImageShape shape;  // of the input
  std::size_t size;
};
OperationPtr make(Convolution);

struct MaxPool {
  int input, output;
  kernels::ImageShape shape;  // of the input
  std::size_t side;
};
OperationPtr make(MaxPool);

// In training each number (or each row) is zero with this probability, and the other numbers are
// scaled up; else nothing happens.
struct Dropout {
  int input, output, id;
  double share;
  bool rows;
};
OperationPtr make(Dropout);

// Every row with the numbers of a parameter after its own.
struct Append {
  int input, parameter, output;
};
OperationPtr make(Append);

// kernels/exclude.h, at factors or at variables
struct Exclude {
  Way way;  // edge_to_factor or edge_to_variable
  int relation, input, output;
  Aggregate aggregate;
  double temperature;
};
OperationPtr make(Exclude);

struct Add {
  std::vector<int> inputs;
  int output;
};
OperationPtr make(Add);

// Entry by entry.
struct Multiply {
  int first, second, output;
};
OperationPtr make(Multiply);

struct Activate {
  int input, output;
  Activation activation;
};
OperationPtr make(Activate);

// kernels/softmax.h
struct Softmax {
  int input, output;
};
OperationPtr make(Softmax);

// The same over the rows of each graph, column by column.
struct GraphSoftmax {
  int input, output;
};
OperationPtr make(GraphSoftmax);

struct Zero {
  int output;
};
OperationPtr make(Zero);

// kernels/gru.h
struct Gru {
  int input, hidden, state, output;  // 3 width, 3 width, width, width
};
OperationPtr make(Gru);

// kernels/lstm.h; a state is h and c side by side
struct Lstm {
  int input, hidden, state, output;  // 4 width, 4 width, 2 width, 2 width
};
OperationPtr make(Lstm);

// Columns first .. first + the output's width of the input.
struct Columns {
  int input;
  std::size_t first;
  int output;
};
OperationPtr make(Columns);

// Inputs side by side.
struct Concat {
  std::vector<int> inputs;
  int output;
};
OperationPtr make(Concat);

// Inner products, row by row; the output has one column.
struct Dot {
  int first, second, output;
};
OperationPtr make(Dot);

// Column k of a graph's row is the length of sum_i charges[i, k] places[i] over its variables i.
struct Moments {
  int charges, places, output;
};
OperationPtr make(Moments);

// Row r of the input times the one number in row r of `by`.
struct ScaleRows {
  int input, by, output;
};
OperationPtr make(ScaleRows);

// output = matrix input + bias, where the rows of each graph are one matrix; the bias (which may be
// absent) is added to every row. All graphs have program.variables variables.
struct Mix {
  int input, matrix, bias, output;
};
OperationPtr make(Mix);

// Rows divided by their lengths.
struct Unit {
  int input, output;
};
OperationPtr make(Unit);

// The input times a parameter of one number.
struct Times {
  int input, number, output;
};
OperationPtr make(Times);

// The rows of a parameter, by kind of edge.
struct Table {
  int rows, output;
};
OperationPtr make(Table);

// Every edge gets the row of its kind.
struct Spread {
  int relation, input, output;
};
OperationPtr make(Spread);

// The k nearest variables of each variable within its graph, by a register; for EdgeConv. The
// output has no numbers: it stands for the edges.
struct KNearest {
  int input, output;
  std::size_t neighbours;
};
OperationPtr make(KNearest);

}  // namespace fgnn::network
