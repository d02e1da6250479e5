// Lengths of weighted sums of places: output[g, k] = | sum_i charges[i, k] places[i] | over the
// variables i of graph g. Turning all places does not change them; moving them does not either
// where they are given from their middle.
#include <cmath>

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

// Added to squares, so that a length of zero has a slope.
constexpr double kSmall = 1e-8;

class MomentsSteps : public Steps<MomentsSteps> {
 public:
  explicit MomentsSteps(Moments moments) : o(moments) {}

  std::string_view name() const override { return "moments"; }
  Ports ports() const override {
    return {{o.charges, o.places}, o.output, {}, {o.charges, o.places, o.output}};
  }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.place(o.charges, {Place::variable});
    check.place(o.places, {Place::variable});
    check.place(o.output, {Place::graph});
    check.width(o.output, check.at(o.charges).width);
  }

  template <class T>
  void run(Pass<T>& p) const {
    T* out = p.output(o.output);
    std::vector<T> sum;
    each_graph(p, [&](std::size_t g, std::size_t begin, std::size_t end) {
      for (std::size_t k = 0; k < p.width(o.output); ++k) {
        add_up(p, begin, end, k, sum);
        T square = static_cast<T>(kSmall);
        for (const T s : sum) square += s * s;
        out[g * p.width(o.output) + k] = std::sqrt(square);
      }
    });
  }

  template <class T>
  void back(Pass<T>& p) const {
    const std::size_t width = p.width(o.output), space = p.width(o.places);
    const Into<T> charges = p.into(o.charges), places = p.into(o.places);
    if (places) std::fill_n(places.data(), p.count(o.places), T(0));
    std::vector<T> sum;
    each_graph(p, [&](std::size_t g, std::size_t begin, std::size_t end) {
      for (std::size_t k = 0; k < width; ++k) {
        add_up(p, begin, end, k, sum);
        const T slope = p.gradient(o.output)[g * width + k] / p.value(o.output)[g * width + k];
        for (std::size_t i = begin; i < end; ++i) {
          const T* x = p.value(o.places) + i * space;
          T along = 0;
          for (std::size_t d = 0; d < space; ++d) along += sum[d] * x[d];
          if (charges) charges.data()[i * width + k] = slope * along;
          for (std::size_t d = 0; places && d < space; ++d) {
            places.data()[i * space + d] += slope * sum[d] * p.value(o.charges)[i * width + k];
          }
        }
      }
    });
  }

 private:
  template <class T, class F>
  void each_graph(const Pass<T>& p, F f) const {
    const auto rows = graph_rows(p.structure(), p.batch().copies, {Place::variable});
    for (std::size_t g = 0; g + 1 < rows.size(); ++g) f(g, rows[g], rows[g + 1]);
  }

  template <class T>
  void add_up(const Pass<T>& p, std::size_t begin, std::size_t end, std::size_t k,
              std::vector<T>& sum) const {
    const std::size_t width = p.width(o.output), space = p.width(o.places);
    sum.assign(space, T(0));
    for (std::size_t i = begin; i < end; ++i) {
      const T q = p.value(o.charges)[i * width + k];
      for (std::size_t d = 0; d < space; ++d) sum[d] += q * p.value(o.places)[i * space + d];
    }
  }

  Moments o;
};

const Sample sample("moments", [](Writer& w, const Scene& s) {
  const int charges = w.linear("charges", {s.variable}, 3, true, Activation::tanh);
  const int places = w.linear("places", {s.variable}, 2, true, Activation::tanh);
  const int output = w.add_register({Place::graph}, 3);
  w.push(Moments{charges, places, output});
  return output;
});

}  // namespace

OperationPtr make(Moments o) { return std::make_shared<MomentsSteps>(o); }

}  // namespace fgnn::network
