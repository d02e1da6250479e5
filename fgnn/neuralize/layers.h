// Layers with given weights: what the constructions of the paper return, and what parameters of a
// network are filled from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fgnn/network/model.h"

namespace fgnn::neuralize {

// y = act(x weight + bias); weight is in x out, row-major. The layer of nn::linear.
struct Dense {
  std::size_t in, out;
  bool relu;
  std::vector<double> weight, bias;  // no bias: empty

  Dense(std::size_t from, std::size_t to, bool with_relu)
      : in(from), out(to), relu(with_relu), weight(from * to) {}
  double& at(std::size_t i, std::size_t o) { return weight[i * out + o]; }
  double at(std::size_t i, std::size_t o) const { return weight[i * out + o]; }
};
using Layers = std::vector<Dense>;

// One matrix per kind of edge, kinds x in x out: the Q of nn::message.
struct Matrices {
  std::size_t kinds, in, out;
  std::vector<double> values;

  Matrices(std::size_t count, std::size_t from, std::size_t to)
      : kinds(count), in(from), out(to), values(count * from * to) {}
  double& at(std::size_t kind, std::size_t i, std::size_t o) {
    return values[(kind * in + i) * out + o];
  }
};

std::size_t relu_units(const Layers& layers);
std::size_t parameters(const Layers& layers);       // weights and biases
std::size_t used_parameters(const Layers& layers);  // those that are not zero

// The layer that applies the same one to each of `rows` blocks of its input.
Dense for_rows(const Dense& layer, std::size_t rows);

// Two layers without ReLU between them are one.
Dense merged(const Dense& first, const Dense& second);

// The number of a model's parameter. Throws Error(usage) when there is none of this name.
std::size_t parameter(const network::Model& model, const std::string& name);

// Fills parameters of a model by name: NAME.weight and NAME.bias, or NAME. Errors are mistakes in
// the program: shapes must agree.
class Filler {
 public:
  explicit Filler(network::Model& model) : model_(model) {}

  void fill(const std::string& name, const Dense& layer);
  void fill(const std::string& name, const Matrices& matrices);
  // Layers NAME.0, NAME.1, …, NAME.out.
  void fill_chain(const std::string& name, const Layers& layers);

 private:
  void set(const std::string& name, const std::vector<double>& values);
  network::Model& model_;
};

}  // namespace fgnn::neuralize
