// In training some numbers, or some rows, are zero by chance.
#include "fgnn/kernels/dropout.h"

#include <algorithm>

#include "fgnn/core/random.h"
#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class DropoutSteps : public Steps<DropoutSteps> {
 public:
  explicit DropoutSteps(Dropout dropout) : o(dropout) {}

  std::string_view name() const override { return "dropout"; }
  Ports ports() const override { return {{o.input}, o.output, {}, {}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.like(o.input, o.output);
    check.that(o.share >= 0 && o.share < 1, "has a share that is not a probability");
  }

  template <class T>
  void run(Pass<T>& p) const {
    const T* in = p.value(o.input);
    T* out = p.output(o.output);
    if (!drops(p)) {
      std::copy_n(in, p.count(o.output), out);
    } else if (o.rows) {
      std::copy_n(in, p.count(o.output), out);
      clear_rows(p, out);
    } else {
      kernels::drop(in, key(p), below(), stays<T>(), out, p.count(o.output));
    }
  }

  template <class T>
  void back(Pass<T>& p) const {
    T* gradient = p.gradient(o.output);
    if (drops(p) && o.rows) {
      clear_rows(p, gradient);
    } else if (drops(p)) {
      kernels::drop(gradient, key(p), below(), stays<T>(), p.count(o.output));
    }
    p.hand_on(o.output, o.input);
  }

 private:
  template <class T>
  bool drops(const Pass<T>& p) const {
    return p.purpose().training && o.share > 0;
  }
  template <class T>
  std::uint64_t key(const Pass<T>& p) const {
    return Rng(p.seed(), static_cast<std::uint64_t>(o.id))();
  }
  std::uint32_t below() const { return kernels::dropped_below(o.share); }
  // Numbers keep their mean.
  template <class T>
  T stays() const {
    return static_cast<T>(1 / (1 - o.share));
  }
  // A row that stays must look as it will when none is dropped: it is not scaled.
  template <class T>
  void clear_rows(const Pass<T>& p, T* x) const {
    const std::uint64_t own = key(p);
    const std::size_t width = p.width(o.output);
    for (std::size_t r = 0; r < p.rows(o.output); ++r, x += width) {
      if (kernels::draw(own, static_cast<std::uint32_t>(r)) < below()) std::fill_n(x, width, T(0));
    }
  }

  Dropout o;
};

int sample_of(Writer& w, const Scene& s, bool rows) {
  const int x = w.linear("before", {s.variable}, 4, true, Activation::tanh);
  const int output = w.add_register({Place::variable}, 4);
  w.push(Dropout{x, output, 0, 0.3, rows});
  return output;
}

const Sample dropout_numbers_sample("dropout", [](Writer& w, const Scene& s) {
  return sample_of(w, s, false);
});
const Sample dropout_rows_sample("dropout",
                                 [](Writer& w, const Scene& s) { return sample_of(w, s, true); });

}  // namespace

OperationPtr make(Dropout o) { return std::make_shared<DropoutSteps>(o); }

}  // namespace fgnn::network
