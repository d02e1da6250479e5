// In training some numbers, or some rows, are zero by chance.
#include <algorithm>
#include <vector>

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
    T* out = p.output(o.output);
    std::copy_n(p.value(o.input), p.count(o.output), out);
    if (!drops(p)) return;
    auto& kept = p.template kept<std::vector<std::uint8_t>>();
    kept.resize(o.rows ? p.rows(o.output) : p.count(o.output));
    Rng random(p.seed(), static_cast<std::uint64_t>(o.id));
    for (auto& k : kept) k = random.uniform() >= o.share;
    scale(p, out);
  }

  template <class T>
  void back(Pass<T>& p) const {
    if (drops(p)) scale(p, p.gradient(o.output));
    p.hand_on(o.output, o.input);
  }

 private:
  template <class T>
  bool drops(const Pass<T>& p) const {
    return p.purpose().training && o.share > 0;
  }
  template <class T>
  void scale(Pass<T>& p, T* x) const {
    const auto& kept = p.template kept<std::vector<std::uint8_t>>();
    // A row that stays must look as it will when none is dropped; numbers keep their mean instead.
    const T stays = o.rows ? T(1) : static_cast<T>(1 / (1 - o.share));
    const std::size_t each = o.rows ? p.width(o.output) : 1;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      for (std::size_t j = 0; j < each; ++j, ++x) *x = kept[i] ? *x * stays : T(0);
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
