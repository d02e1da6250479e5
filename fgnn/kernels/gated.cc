#include "fgnn/kernels/gated.h"

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/kernels/aligned.h"

namespace fgnn::kernels {
namespace {

template <class T>
void check(const GatedInput<T>& in) {
  if (in.aggregate != Aggregate::sum && in.aggregate != Aggregate::mean &&
      in.aggregate != Aggregate::max) {
    throw Error(ErrorCode::usage, "gated messages",
                "are not aggregated by " + std::string(name_of(in.aggregate)), "max, sum or mean");
  }
}

// Where the rows of one edge of a copy lie.
struct At {
  std::size_t target, source, kind;
};
template <class T>
At at(const GatedInput<T>& in, std::size_t copy, std::size_t target, std::size_t position) {
  const Incidence& e = *in.edges;
  return {(copy * e.targets() + target) * in.width,
          (copy * e.sources() + e.source(position)) * in.width,
          (copy * e.kinds() + e.kind(position)) * in.width};
}

// act(target + source + shift)
template <class T>
void activated(const GatedInput<T>& in, const At& a, T* h) {
  for (std::size_t j = 0; j < in.width; ++j) {
    h[j] = in.target[a.target + j] + in.source[a.source + j] + in.shift[a.kind + j];
  }
  apply(in.activation, h, in.width);
}

template <class T>
void clear(const GatedInput<T>& in, const GatedGradient<T>& g) {
  const Incidence& e = *in.edges;
  const auto fill = [&](T* data, std::size_t rows) {
    if (data != nullptr) std::fill_n(data, in.copies * rows * in.width, T(0));
  };
  fill(g.target, e.targets());
  fill(g.source, e.sources());
  fill(g.shift, e.kinds());
  fill(g.gate, e.kinds());
}

// One number of one edge, whose message has the derivative dy.
template <class T>
void push_back(const GatedInput<T>& in, const GatedGradient<T>& g, const At& a, std::size_t j, T h,
               T dy) {
  if (g.gate != nullptr) g.gate[a.kind + j] += dy * h;
  const T slope_here = dy * in.gate[a.kind + j] * slope(in.activation, h);
  if (g.shift != nullptr) g.shift[a.kind + j] += slope_here;
  if (g.target != nullptr) g.target[a.target + j] += slope_here;
  if (g.source != nullptr) g.source[a.source + j] += slope_here;
}

}  // namespace

template <class T>
void gated_forward(const GatedInput<T>& in, T* out, std::vector<std::uint32_t>* where) {
  check(in);
  const Incidence& e = *in.edges;
  const std::size_t w = in.width;
  const bool largest = in.aggregate == Aggregate::max;
  AlignedVector<T> h(w);
  if (where != nullptr) where->assign(largest ? in.copies * e.targets() * w : 0, 0);
  for (std::size_t copy = 0; copy < in.copies; ++copy) {
    for (std::size_t t = 0; t < e.targets(); ++t) {
      T* y = out + (copy * e.targets() + t) * w;
      std::uint32_t* slots =
          where == nullptr || !largest ? nullptr : where->data() + (copy * e.targets() + t) * w;
      std::fill_n(y, w, T(0));
      const Index first = e.offset(t), last = e.offset(t + 1);
      for (Index p = first; p < last; ++p) {
        const At a = at(in, copy, t, p);
        activated(in, a, h.data());
        const T* gate = in.gate + a.kind;
        if (!largest) {
          for (std::size_t j = 0; j < w; ++j) y[j] += h[j] * gate[j];
          continue;
        }
        for (std::size_t j = 0; j < w; ++j) {
          const T message = h[j] * gate[j];
          if (p != first && message <= y[j]) continue;  // NaN goes on
          y[j] = message;
          if (slots != nullptr) slots[j] = p - first;
        }
      }
      if (in.aggregate == Aggregate::mean && last > first) {
        for (std::size_t j = 0; j < w; ++j) y[j] /= static_cast<T>(last - first);
      }
    }
  }
}

template <class T>
void gated_backward(const GatedInput<T>& in, const std::vector<std::uint32_t>& where,
                    const T* out_gradient, const GatedGradient<T>& gradient) {
  check(in);
  clear(in, gradient);
  const Incidence& e = *in.edges;
  const std::size_t w = in.width;
  AlignedVector<T> h(w);
  for (std::size_t copy = 0; copy < in.copies; ++copy) {
    for (std::size_t t = 0; t < e.targets(); ++t) {
      const std::size_t row = (copy * e.targets() + t) * w;
      const T* dy = out_gradient + row;
      const Index first = e.offset(t), last = e.offset(t + 1);
      if (first == last) continue;
      if (in.aggregate == Aggregate::max) {  // one edge per number
        for (std::size_t j = 0; j < w; ++j) {
          const At a = at(in, copy, t, first + where[row + j]);
          const T sum = in.target[a.target + j] + in.source[a.source + j] + in.shift[a.kind + j];
          push_back(in, gradient, a, j, apply(in.activation, sum), dy[j]);
        }
        continue;
      }
      const T share = in.aggregate == Aggregate::mean ? T(1) / static_cast<T>(last - first) : T(1);
      for (Index p = first; p < last; ++p) {
        const At a = at(in, copy, t, p);
        activated(in, a, h.data());
        for (std::size_t j = 0; j < w; ++j) push_back(in, gradient, a, j, h[j], share * dy[j]);
      }
    }
  }
}

template void gated_forward(const GatedInput<float>&, float*, std::vector<std::uint32_t>*);
template void gated_forward(const GatedInput<double>&, double*, std::vector<std::uint32_t>*);
template void gated_backward(const GatedInput<float>&, const std::vector<std::uint32_t>&,
                             const float*, const GatedGradient<float>&);
template void gated_backward(const GatedInput<double>&, const std::vector<std::uint32_t>&,
                             const double*, const GatedGradient<double>&);

}  // namespace fgnn::kernels
