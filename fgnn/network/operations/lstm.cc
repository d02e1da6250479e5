// The pointwise half of a long short-term memory: kernels/lstm.h
#include "fgnn/kernels/lstm.h"

#include <algorithm>

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class LstmSteps : public Steps<LstmSteps> {
 public:
  explicit LstmSteps(Lstm lstm) : o(lstm) {}

  std::string_view name() const override { return "lstm"; }
  Ports ports() const override {
    return {{o.input, o.hidden, o.state}, o.output, {}, {o.input, o.hidden, o.state}};
  }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.like(o.state, o.output);
    check.width(o.input, 2 * check.at(o.state).width);
    check.place(o.input, check.at(o.state).place);
    check.like(o.hidden, o.input);
  }

  template <class T>
  void run(Pass<T>& p) const {
    kernels::lstm_forward<T>(p.value(o.input), p.value(o.hidden), p.value(o.state),
                             p.rows(o.output), p.width(o.output) / 2, p.output(o.output),
                             p.threads());
  }

  template <class T>
  void back(Pass<T>& p) const {
    const std::size_t n = p.count(o.output);
    // All are computed at once; the first state is zero and needs no gradient.
    T *gates = p.scratch(2 * n), *state = p.scratch(n);
    kernels::lstm_backward<T>(p.value(o.input), p.value(o.hidden), p.value(o.state),
                              p.rows(o.output), p.width(o.output) / 2, p.gradient(o.output), gates,
                              state, p.threads());
    if (const Into<T> hidden = p.into(o.hidden)) std::copy_n(gates, 2 * n, hidden.data());
    p.adopt(o.input, gates);
    p.adopt(o.state, state);
  }

 private:
  Lstm o;
};

const Sample lstm_sample("lstm", [](Writer& w, const Scene& s) {
  const int state = w.linear("state", {s.variable}, 6, true, Activation::tanh);
  const int input = w.linear("input", {s.variable}, 12, true, Activation::identity);
  const int hidden = w.linear("hidden", {state}, 12, true, Activation::identity);
  const int output = w.add_register({Place::variable}, 6);
  w.push(Lstm{input, hidden, state, output});
  return output;
});

}  // namespace

OperationPtr make(Lstm o) { return std::make_shared<LstmSteps>(o); }

}  // namespace fgnn::network
