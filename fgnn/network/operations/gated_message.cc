// Messages between the variables of a factor, with a diagonal matrix that the factor brings along:
// kernels/gated.h
#include "fgnn/network/gated_message.h"

#include "fgnn/kernels/gated.h"
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class GatedMessageSteps : public Steps<GatedMessageSteps> {
 public:
  explicit GatedMessageSteps(GatedMessage message) : o(message) {}

  std::string_view name() const override { return "gated_message"; }
  Ports ports() const override {
    const std::vector<int> all{o.target, o.source, o.shift, o.gate};
    return {all, o.output, {}, all};
  }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.that(o.way == Way::forward_neighbours || o.way == Way::backward_neighbours ||
                   o.way == Way::neighbours,
               "runs between variables of a factor");
    for (const int reg : {o.target, o.source}) {
      check.like(reg, o.output);
      check.place(reg, {Place::variable});
    }
    for (const int reg : {o.shift, o.gate}) {
      check.place(reg, {Place::factor, o.relation});
      check.width(reg, check.at(o.output).width);
    }
  }

  template <class T>
  void run(Pass<T>& p) const {
    auto& where = p.template kept<std::vector<std::uint32_t>>();
    kernels::gated_forward<T>(input(p), p.output(o.output),
                              p.purpose().gradients ? &where : nullptr);
  }

  template <class T>
  void back(Pass<T>& p) const {
    const auto& where = p.template kept<std::vector<std::uint32_t>>();
    const Into<T> target = p.into(o.target), source = p.into(o.source);
    const Into<T> shift = p.into(o.shift), gate = p.into(o.gate);
    kernels::gated_backward<T>(input(p), where, p.gradient(o.output),
                               {target.data(), source.data(), shift.data(), gate.data()});
  }

 private:
  template <class T>
  kernels::GatedInput<T> input(const Pass<T>& p) const {
    return {&p.structure().incidence(o.way, o.relation),
            p.batch().copies,
            p.width(o.output),
            p.value(o.target),
            p.value(o.source),
            p.value(o.shift),
            p.value(o.gate),
            o.activation,
            o.aggregate};
  }

  GatedMessage o;
};

int sample_of(Writer& w, const Scene& s, Way way, Aggregate aggregate) {
  const int target = w.linear("target", {s.variable}, 4, true, Activation::identity);
  const int source = w.linear("source", {s.variable}, 4, false, Activation::identity);
  const int shift = w.linear("shift", {s.factor[0]}, 4, true, Activation::identity);
  const int gate = w.linear("gate", {s.factor[0]}, 4, true, Activation::identity);
  const int output = w.add_register({Place::variable}, 4);
  w.push(GatedMessage{way, 0, target, source, shift, gate, output, Activation::tanh, aggregate});
  return output;
}

const Sample largest("gated_message", [](Writer& w, const Scene& s) {
  return sample_of(w, s, Way::neighbours, Aggregate::max);
});
const Sample mean("gated_message", [](Writer& w, const Scene& s) {
  return sample_of(w, s, Way::neighbours, Aggregate::mean);
});
const Sample sum("gated_message", [](Writer& w, const Scene& s) {
  return sample_of(w, s, Way::forward_neighbours, Aggregate::sum);
});

}  // namespace

OperationPtr make(GatedMessage o) { return std::make_shared<GatedMessageSteps>(o); }

}  // namespace fgnn::network
