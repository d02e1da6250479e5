// Messages whose matrix is diagonal: kernels/scaled.h
#include <algorithm>

#include "fgnn/kernels/scaled.h"
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class ScaledMessageSteps : public Steps<ScaledMessageSteps> {
 public:
  explicit ScaledMessageSteps(ScaledMessage message) : o(message) {}

  std::string_view name() const override { return "scaled_message"; }
  Ports ports() const override { return {{o.source}, o.output, {o.scale, o.shift}, {o.source}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    const Ends between = ends(o.way, o.relation);
    check.place(o.source, between.source);
    check.place(o.output, between.target);
    check.width(o.source, check.at(o.output).width);
    const auto width = static_cast<std::int64_t>(check.at(o.output).width);
    check.shape(o.scale, {-1, width});
    check.shape(o.shift, {check.parameter(o.scale).shape[0], width});
  }
  void check(const Program& program, const Batch& batch) const override {
    check_kinds(batch, o.way, o.relation, program.parameters[o.scale].shape[0]);
  }

  template <class T>
  void run(Pass<T>& p) const {
    kernels::scaled_forward<T>(input(p), p.output(o.output), p.threads());
  }

  template <class T>
  void back(Pass<T>& p) const {
    const Into<T> source = p.into(o.source);
    const Into<T> scale = p.into_weight(o.scale), shift = p.into_weight(o.shift);
    const auto in = input(p);
    // A table may have rows for kinds that this structure does not use.
    const std::size_t used = in.edges->kinds() * in.width;
    for (const Into<T>* table : {&scale, &shift}) {
      if (!*table) continue;
      std::fill(table->data() + used, table->data() + p.program().parameters[o.scale].count(),
                T(0));
    }
    kernels::scaled_backward<T>(in, p.gradient(o.output), source.data(), scale.data(), shift.data(),
                                p.threads());
  }

 private:
  template <class T>
  kernels::ScaledInput<T> input(const Pass<T>& p) const {
    return {&p.structure().incidence(o.way, o.relation),
            p.batch().copies,
            p.width(o.output),
            p.value(o.source),
            p.weight(o.scale),
            p.weight(o.shift),
            mask_of(o.way, o.relation, p.batch()),
            o.activation,
            o.aggregate};
  }

  ScaledMessage o;
};

int sample_of(Writer& w, const Scene& s, Aggregate aggregate, bool shift) {
  const int x = w.linear("terms", {s.variable}, 5, true, Activation::identity);
  const int output = w.add_register({Place::factor, 1}, 5);
  w.push(ScaledMessage{Way::variable_to_factor, 1, x, output, w.parameter("scale", {9, 5}, 1),
                       shift ? w.parameter("shift", {9, 5}, 0.5) : -1, Activation::tanh,
                       aggregate});
  return output;
}

const Sample scaled_message_sum_sample("scaled_message", [](Writer& w, const Scene& s) {
  return sample_of(w, s, Aggregate::sum, true);
});
const Sample scaled_message_product_sample("scaled_message", [](Writer& w, const Scene& s) {
  return sample_of(w, s, Aggregate::product, false);
});

}  // namespace

OperationPtr make(ScaledMessage o) { return std::make_shared<ScaledMessageSteps>(o); }

}  // namespace fgnn::network
