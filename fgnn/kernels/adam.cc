#include "fgnn/kernels/adam.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fgnn/core/parallel.h"
#include "fgnn/core/simd.h"
#include "fgnn/kernels/pointwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fgnn/kernels/adam.cc"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace fgnn::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void Update(float* HWY_RESTRICT p, const float* HWY_RESTRICT g, float* HWY_RESTRICT m,
            float* HWY_RESTRICT v, std::size_t n, const AdamFactors& f) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, f.scale), b1 = hn::Set(d, f.beta1), b2 = hn::Set(d, f.beta2);
  const auto c1 = hn::Set(d, 1 - f.beta1), c2 = hn::Set(d, 1 - f.beta2);
  const auto rate = hn::Set(d, f.rate), root = hn::Set(d, f.root_correction);
  const auto epsilon = hn::Set(d, f.epsilon), kept = hn::Set(d, f.kept);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto gradient = hn::Mul(hn::LoadU(d, g + i), scale);
    const auto first = hn::MulAdd(hn::LoadU(d, m + i), b1, hn::Mul(c1, gradient));
    const auto second =
        hn::MulAdd(hn::LoadU(d, v + i), b2, hn::Mul(c2, hn::Mul(gradient, gradient)));
    hn::StoreU(first, d, m + i);
    hn::StoreU(second, d, v + i);
    const auto step = hn::Div(first, hn::MulAdd(hn::Sqrt(second), root, epsilon));
    hn::StoreU(hn::NegMulAdd(rate, step, hn::Mul(hn::LoadU(d, p + i), kept)), d, p + i);
  }
  for (; i < n; ++i) {
    const float gradient = g[i] * f.scale;
    m[i] = m[i] * f.beta1 + (1 - f.beta1) * gradient;
    v[i] = v[i] * f.beta2 + (1 - f.beta2) * gradient * gradient;
    p[i] = p[i] * f.kept - f.rate * m[i] / (std::sqrt(v[i]) * f.root_correction + f.epsilon);
  }
}

}  // namespace fgnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fgnn::kernels {

HWY_EXPORT(Update);

namespace {

constexpr std::size_t kGrain = 1 << 14;

// Calls body(begin, end) on grains of a fixed length: where one ends, numbers are rounded as single
// ones and not as parts of a vector, so that threads must not decide it.
template <class Body>
void over_grains(std::size_t n, int threads, Body body) {
  parallel_for(threads, (n + kGrain - 1) / kGrain, 4, [&](std::size_t first, std::size_t last) {
    for (std::size_t g = first; g < last; ++g) body(g * kGrain, std::min(n, (g + 1) * kGrain));
  });
}

}  // namespace

void adam_step(float* parameters, const float* gradients, float* first, float* second,
               std::size_t n, double rate, double gradient_scale, std::int64_t step,
               const AdamOptions& o, int threads) {
  const double correction1 = 1 - std::pow(o.beta1, static_cast<double>(step));
  const double correction2 = 1 - std::pow(o.beta2, static_cast<double>(step));
  const AdamFactors f{static_cast<float>(gradient_scale),
                      static_cast<float>(o.beta1),
                      static_cast<float>(o.beta2),
                      static_cast<float>(rate / correction1),
                      static_cast<float>(1 / std::sqrt(correction2)),
                      static_cast<float>(o.epsilon),
                      static_cast<float>(1 - rate * o.weight_decay)};
  const auto update = HWY_DYNAMIC_DISPATCH(Update);
  over_grains(n, threads, [&](std::size_t begin, std::size_t end) {
    update(parameters + begin, gradients + begin, first + begin, second + begin, end - begin, f);
  });
}

double sum_of_squares(const float* x, std::size_t n, int threads) {
  std::vector<double> sums((n + kGrain - 1) / kGrain);
  over_grains(n, threads, [&](std::size_t begin, std::size_t end) {
    sums[begin / kGrain] = sum_of_squares(x + begin, end - begin);
  });
  double total = 0;
  for (const double s : sums) total += s;
  return total;
}

}  // namespace fgnn::kernels
#endif
