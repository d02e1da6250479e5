// output = act(norm(input)) + residual: kernels/norm.h. Moments of a batch are those of all its
// parts, so that batch norms run in two halves.
#include "fgnn/kernels/norm.h"

#include <cmath>

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

template <class T>
struct NormKept {
  std::vector<double> sums;  // by column: of x and x^2, then of dz and dz xhat; last the rows
  kernels::Moments<T> moments;
  std::vector<std::size_t> offset;  // of the rows that share moments
  T* dz = nullptr;                  // dx in the end
};

class NormSteps : public Steps<NormSteps> {
 public:
  explicit NormSteps(Norm norm) : o(norm) {}

  std::string_view name() const override { return "norm"; }
  Ports ports() const override {
    return {{o.input, o.residual}, o.output, {o.scale, o.shift, o.mean, o.variance}, {o.input}};
  }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.like(o.input, o.output);
    if (o.residual >= 0) check.like(o.residual, o.output);
    check.that(o.kind != NormKind::none, "is of no kind");
    check.parameter(o.shift);
    const std::size_t columns = check.parameter(o.scale).count();
    const std::size_t width = check.at(o.input).width;
    const bool by_position =
        columns == width * program.variables && check.at(o.input).place.rows == Place::variable;
    check.that(columns > 0 && (width % columns == 0 || by_position), "has a misshapen scale");
    check.that(columns == width || o.kind == NormKind::batch,
               "normalises channels and positions over the batch alone");
    check.shape(o.shift, columns);
    check.shape(o.mean, columns);
    check.shape(o.variance, columns);
    check.that((o.kind == NormKind::batch) == (o.mean >= 0 && o.variance >= 0),
               "remembers moments for norm=batch alone");
  }
  bool meets(bool training) const override { return training && o.kind == NormKind::batch; }

  // Sums of x and x^2 by column, and the number of rows.
  template <class T>
  std::span<double> begin(Pass<T>& p) const {
    auto& kept = p.template kept<NormKept<T>>();
    const auto n = normalisation(p);
    kept.sums = kernels::column_sums(n.x, n.rows, n.columns, p.threads());
    kept.sums.push_back(static_cast<double>(n.rows));
    return kept.sums;
  }

  // Running moments, the variance as an estimate of the population's.
  template <class T>
  void keep(Pass<T>& p) const {
    const auto& sums = p.template kept<NormKept<T>>().sums;
    const double rows = sums.back(), momentum = p.purpose().momentum;
    if (rows < 1) return;
    const std::size_t columns = sums.size() / 2;
    T *mean = p.moments(o.mean), *variance = p.moments(o.variance);
    for (std::size_t j = 0; j < columns; ++j) {
      const double m = sums[j] / rows;
      const double v = std::max(0.0, sums[columns + j] / rows - m * m);
      const double unbiased = rows > 1 ? v * rows / (rows - 1) : v;
      mean[j] = static_cast<T>((1 - momentum) * mean[j] + momentum * m);
      variance[j] = static_cast<T>((1 - momentum) * variance[j] + momentum * unbiased);
    }
  }

  template <class T>
  void run(Pass<T>& p) const {
    auto& kept = p.template kept<NormKept<T>>();
    const auto n = normalisation(p);
    T* out = p.output(o.output);
    find_moments(p, n, kept);
    if (o.kind == NormKind::layer) {
      kernels::normalise_rows(n, kept.moments, out, p.threads());
    } else {
      kernels::normalise_columns(n, {kept.offset}, kept.moments, out, p.threads());
    }
  }

  template <class T>
  std::span<double> begin_back(Pass<T>& p) const {
    auto& kept = p.template kept<NormKept<T>>();
    const auto n = normalisation(p);
    first_half(p, n, kept);
    const double rows = static_cast<double>(n.rows);
    kept.sums.push_back(rows);
    return kept.sums;
  }

  template <class T>
  void back(Pass<T>& p) const {
    auto& kept = p.template kept<NormKept<T>>();
    const auto n = normalisation(p);
    if (o.kind == NormKind::layer) return back_rows(p, n, kept);
    const std::size_t segments = kept.offset.size() - 1;
    std::vector<double> counts(segments);
    if (meets(p.purpose().training)) {
      counts[0] = kept.sums.back();
    } else {
      first_half(p, n, kept);
      for (std::size_t s = 0; s < segments && o.kind == NormKind::instance; ++s) {
        counts[s] = static_cast<double>(kept.offset[s + 1] - kept.offset[s]);
      }
    }
    kernels::normalise_columns_backward(n, {kept.offset}, kept.moments,
                                        {kept.sums.data(), segments * 2 * n.columns}, counts,
                                        kept.dz, p.threads());
    p.adopt(o.input, kept.dz);
  }

 private:
  template <class T>
  kernels::Normalisation<T> normalisation(const Pass<T>& p) const {
    const std::size_t columns = p.program().parameters[o.scale].count();
    return {p.value(o.input),  p.count(o.output) / columns, columns,     p.weight(o.scale),
            p.weight(o.shift), p.value(o.residual),         o.activation};
  }

  template <class T>
  void find_moments(const Pass<T>& p, const kernels::Normalisation<T>& n, NormKept<T>& kept) const {
    if (o.kind == NormKind::layer) {
      kept.moments = kernels::row_moments(n, p.threads());
    } else if (o.kind == NormKind::instance) {
      kept.offset =
          graph_rows(p.structure(), p.batch().copies, p.program().registers[o.output].place);
      kept.moments = kernels::segment_moments(n, {kept.offset}, p.threads());
    } else {
      kept.offset = {0, n.rows};
      if (p.purpose().training) {
        kept.moments = kernels::moments_of<T>({kept.sums.data(), 2 * n.columns}, kept.sums.back());
        return;
      }
      const T *mean = p.weight(o.mean), *variance = p.weight(o.variance);
      kept.moments.mean.assign(mean, mean + n.columns);
      kept.moments.inverse.assign(variance, variance + n.columns);
      for (T& v : kept.moments.inverse) {
        v = 1 / std::sqrt(v + static_cast<T>(kernels::kNormEpsilon));
      }
    }
  }

  // dz and its sums, which are also the gradients of this part's scale and shift.
  template <class T>
  void first_half(Pass<T>& p, const kernels::Normalisation<T>& n, NormKept<T>& kept) const {
    kept.dz = p.scratch(n.rows * n.columns);
    kept.sums = kernels::normalise_columns_sums(n, {kept.offset}, kept.moments,
                                                p.gradient(o.output), kept.dz, p.threads());
    p.hand_on(o.output, o.residual);
    const Into<T> scale = p.into_weight(o.scale), shift = p.into_weight(o.shift);
    const std::size_t C = n.columns;
    for (std::size_t j = 0; j < C; ++j) {
      double by_shift = 0, by_scale = 0;
      for (std::size_t s = 0; s + 1 < kept.offset.size(); ++s) {
        by_shift += kept.sums[s * 2 * C + j];
        by_scale += kept.sums[s * 2 * C + C + j];
      }
      shift.data()[j] = static_cast<T>(by_shift);
      scale.data()[j] = static_cast<T>(by_scale);
    }
  }

  template <class T>
  void back_rows(Pass<T>& p, const kernels::Normalisation<T>& n, NormKept<T>& kept) const {
    T* dx = p.scratch(n.rows * n.columns);
    const Into<T> scale = p.into_weight(o.scale), shift = p.into_weight(o.shift);
    kernels::normalise_rows_backward(n, kept.moments, p.gradient(o.output), dx, scale.data(),
                                     shift.data(), p.threads());
    p.adopt(o.input, dx);
    p.hand_on(o.output, o.residual);
  }

  Norm o;
};

int sample_of(Writer& w, const Scene& s, NormKind kind, bool residual, Activation activation) {
  const int x = w.linear("before", {s.variable}, 4, false, Activation::tanh);
  const int output = w.add_register(w.place(x), w.width(x));
  const bool batch = kind == NormKind::batch;
  w.push(Norm{x, residual ? x : -1, output, kind, w.parameter("scale", {4}, 0.5, 1),
              w.parameter("shift", {4}, 0.5), batch ? w.parameter("mean", {4}, 0, 0, false) : -1,
              batch ? w.parameter("variance", {4}, 0, 1, false) : -1, activation});
  return output;
}

const Sample norm_batch_sample("norm", [](Writer& w, const Scene& s) {
  return sample_of(w, s, NormKind::batch, true, Activation::tanh);
});
const Sample norm_position_sample("norm", [](Writer& w, const Scene& s) {
  w.program.variables = 4;
  const int x = w.linear("before", {s.variable}, 3, false, Activation::tanh);
  const int output = w.add_register(w.place(x), w.width(x));
  w.push(Norm{x, -1, output, NormKind::batch, w.parameter("scale", {12}, 0.5, 1),
              w.parameter("shift", {12}, 0.5), w.parameter("mean", {12}, 0, 0, false),
              w.parameter("variance", {12}, 0, 1, false), Activation::tanh});
  return output;
});
const Sample norm_layer_sample("norm", [](Writer& w, const Scene& s) {
  return sample_of(w, s, NormKind::layer, true, Activation::sigmoid);
});
const Sample norm_instance_sample("norm", [](Writer& w, const Scene& s) {
  return sample_of(w, s, NormKind::instance, false, Activation::identity);
});

}  // namespace

OperationPtr make(Norm o) { return std::make_shared<NormSteps>(o); }

}  // namespace fgnn::network
