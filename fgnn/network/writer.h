// Writes a program: registers, parameters and the operations that builders share.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/network/operations.h"
#include "fgnn/network/program.h"

namespace fgnn::network {

class Writer {
 public:
  Program program;
  std::string subject = "network";  // what is being written, for errors

  int add_register(Place place, std::size_t width);
  std::size_t width(int reg) const { return program.registers[reg].width; }
  Place place(int reg) const { return program.registers[reg].place; }

  // The parameter of this name, made at the first call; later calls must agree on the shape. Fails
  // where it has more numbers than anyone can hold.
  int parameter(const std::string& name, std::vector<std::int64_t> shape, double bound,
                double centre = 0, bool trained = true);

  // Adds an operation (operations.h). Throws Error(internal) when it does not fit its registers.
  template <class Wanted>
  void push(Wanted wanted) {
    program.operations.push_back(make(std::move(wanted)));
    program.operations.back()->check(program);
  }

  // Adds one that operations.h does not know.
  void push_own(OperationPtr operation);

  // act(inputs weight + bias) with parameters name.weight and name.bias.
  int linear(const std::string& name, std::vector<int> inputs, std::size_t out, bool bias,
             Activation activation);
  int add(std::vector<int> inputs);
  int concat(std::vector<int> inputs);
  int columns(int input, std::size_t first, std::size_t count);
  int activate(int input, Activation activation);
  // Each row's aggregate of its messages, without a matrix: copies where there is one.
  int gather(Way way, int relation, int source, Place place, Aggregate aggregate = Aggregate::sum);
  // From kinds of edges to the edges of a relation.
  int spread(int relation, int input);
  // A matrix by kind of edge for each row of `source`, then the sum or the largest.
  int by_kind(const std::string& name, Way way, int relation, int source, Place place,
              std::size_t kinds, std::size_t out, Aggregate aggregate);
  int exclude(Way way, int relation, int input, Aggregate aggregate, double temperature = 1);

  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const;
  // Runs `act`; its errors are about what is being written.
  template <class Act>
  auto named(Act act) const {
    try {
      return act();
    } catch (const Error& error) {
      fail(error.what());
    }
  }

 private:
  std::unordered_map<std::string, int> named_;  // parameters
};

// Weights are uniform in +-bound at the start.
double bound_of(std::size_t fan_in);

}  // namespace fgnn::network
