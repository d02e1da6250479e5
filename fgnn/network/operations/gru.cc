// The pointwise half of a gated recurrent unit: kernels/gru.h
#include "fgnn/kernels/gru.h"

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class GruSteps : public Steps<GruSteps> {
 public:
  explicit GruSteps(Gru gru) : o(gru) {}

  std::string_view name() const override { return "gru"; }
  Ports ports() const override {
    return {{o.input, o.hidden, o.state}, o.output, {}, {o.input, o.hidden, o.state}};
  }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.like(o.state, o.output);
    check.width(o.input, 3 * check.at(o.state).width);
    check.like(o.hidden, o.input);
    check.place(o.input, check.at(o.state).place);
  }

  template <class T>
  void run(Pass<T>& p) const {
    kernels::gru_forward<T>(p.value(o.input), p.value(o.hidden), p.value(o.state), p.rows(o.output),
                            p.width(o.output), p.output(o.output), p.threads());
  }

  template <class T>
  void back(Pass<T>& p) const {
    const std::size_t n = p.count(o.output);
    // All three are computed at once; a state that is a feature needs no gradient.
    T *input = p.scratch(3 * n), *hidden = p.scratch(3 * n), *state = p.scratch(n);
    kernels::gru_backward<T>(p.value(o.input), p.value(o.hidden), p.value(o.state),
                             p.rows(o.output), p.width(o.output), p.gradient(o.output), input,
                             hidden, state, p.threads());
    p.adopt(o.input, input);
    p.adopt(o.hidden, hidden);
    p.adopt(o.state, state);
  }

 private:
  Gru o;
};

const Sample gru_sample("gru", [](Writer& w, const Scene& s) {
  const int state = w.linear("state", {s.variable}, 3, true, Activation::tanh);
  const int input = w.linear("input", {s.variable}, 9, true, Activation::identity);
  const int hidden = w.linear("hidden", {state}, 9, true, Activation::identity);
  const int output = w.add_register({Place::variable}, 3);
  w.push(Gru{input, hidden, state, output});
  return output;
});

}  // namespace

OperationPtr make(Gru o) { return std::make_shared<GruSteps>(o); }

}  // namespace fgnn::network
