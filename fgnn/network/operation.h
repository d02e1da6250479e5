// One step of a network: what it reads and writes, and how it runs forwards and backwards.
//
// An operation is a class in one file of operations/, derived from Steps below, and a function in
// operations.h that makes it. It is written once for float and double, on the arrays that a Pass
// hands out:
//
//   forward    reads values and weights, writes the value of its output
//   backward   reads the gradient of its output, adds to the gradients of its inputs and weights
//
// A batch is run in parts, each with a Pass of its own. An operation that needs sums over the whole
// batch (batch norms) runs in two halves: the first returns the numbers to be summed over all
// parts, threads and processes, and finds the sums in their place when the second half runs.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace fgnn::network {

struct Batch;
struct Program;
class Structure;
template <class T>
class Pass;

// Registers and parameters by number; -1 means none.
struct Ports {
  std::vector<int> inputs;  // registers
  int output = -1;
  std::vector<int> parameters;
  std::vector<int> again;  // registers whose values the backward pass reads
};

class Operation {
 public:
  virtual ~Operation() = default;

  virtual std::string_view name() const = 0;
  virtual Ports ports() const = 0;
  // Whether registers and parameters have the right places and shapes: throws Error(internal), for
  // builders make mistakes.
  virtual void check(const Program&) const = 0;
  // Throws Error(usage) when the graphs of a batch do not fit.
  virtual void check(const Program&, const Batch&) const {}
  // Multiplications and additions of a forward pass (two per weight used); 0 for what is pointwise.
  virtual double arithmetic(const Program&, const Structure&) const { return 0; }
  // Whether it runs in two halves.
  virtual bool meets(bool /*training*/) const { return false; }

  // What can be made of the weights once per batch, for the backward passes of all its parts: how
  // many numbers, and the numbers.
  virtual std::size_t prepared(const Program&) const { return 0; }
  virtual void prepare(const Program&, std::span<float* const> weights, float* out) const = 0;
  virtual void prepare(const Program&, std::span<double* const> weights, double* out) const = 0;

  virtual std::span<double> begin_forward(Pass<float>&) const = 0;
  virtual std::span<double> begin_forward(Pass<double>&) const = 0;
  // Between the halves, once per batch, with any of its passes: what is remembered of the sums.
  virtual void remember(Pass<float>&) const = 0;
  virtual void remember(Pass<double>&) const = 0;
  virtual void forward(Pass<float>&) const = 0;
  virtual void forward(Pass<double>&) const = 0;
  virtual std::span<double> begin_backward(Pass<float>&) const = 0;
  virtual std::span<double> begin_backward(Pass<double>&) const = 0;
  virtual void backward(Pass<float>&) const = 0;
  virtual void backward(Pass<double>&) const = 0;
};

using OperationPtr = std::shared_ptr<const Operation>;

// Makes the virtual functions from templates of the derived class: run and back, and for those that
// meet begin, keep and begin_back; make where something is prepared.
template <class Derived>
class Steps : public Operation {
 public:
  void prepare(const Program& p, std::span<float* const> weights, float* out) const final {
    self().make(p, weights, out);
  }
  void prepare(const Program& p, std::span<double* const> weights, double* out) const final {
    self().make(p, weights, out);
  }
  std::span<double> begin_forward(Pass<float>& p) const final { return self().begin(p); }
  std::span<double> begin_forward(Pass<double>& p) const final { return self().begin(p); }
  void remember(Pass<float>& p) const final { self().keep(p); }
  void remember(Pass<double>& p) const final { self().keep(p); }
  void forward(Pass<float>& p) const final { self().run(p); }
  void forward(Pass<double>& p) const final { self().run(p); }
  std::span<double> begin_backward(Pass<float>& p) const final { return self().begin_back(p); }
  std::span<double> begin_backward(Pass<double>& p) const final { return self().begin_back(p); }
  void backward(Pass<float>& p) const final { self().back(p); }
  void backward(Pass<double>& p) const final { self().back(p); }

  template <class T>
  void make(const Program&, std::span<T* const>, T*) const {}
  template <class T>
  std::span<double> begin(Pass<T>&) const {
    return {};
  }
  template <class T>
  void keep(Pass<T>&) const {}
  template <class T>
  std::span<double> begin_back(Pass<T>&) const {
    return {};
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace fgnn::network
