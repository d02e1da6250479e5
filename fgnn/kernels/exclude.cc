#include "fgnn/kernels/exclude.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "fgnn/core/parallel.h"

namespace fgnn::kernels {
namespace {

// One column of the edges at one node. `Column` maps a slot to a number.
template <class T>
struct Column {
  T* base;
  const std::size_t* row;  // offsets of the slots' rows
  std::size_t n, j;
  T& operator[](std::size_t s) const { return base[row[s] + j]; }
};

// out[s] = sum of x but x[s], without subtraction: sums from the left, then from the right.
template <class T, class In, class Out>
void sum_of_others(std::size_t n, In in, Out out) {
  T sum = 0;
  for (std::size_t s = 0; s < n; ++s) {
    out(s) = sum;
    sum += in(s);
  }
  sum = 0;
  for (std::size_t s = n; s-- > 0;) {
    out(s) += sum;
    sum += in(s);
  }
}

// The rows of the edges at one node. Sums and products go over whole rows, which compilers
// vectorise; the other aggregates column by column.
using Slots = std::vector<std::size_t>;  // offsets of the slots' rows

// out[s] = op over all x but x[s], from the left, then from the right.
template <class T, class Op>
void rows_of_others(const Slots& row, std::size_t width, const T* x, T* out, T none, Op op) {
  std::vector<T> running(width, none);
  for (std::size_t s = 0; s < row.size(); ++s) {
    const T* from = x + row[s];
    T* to = out + row[s];
    for (std::size_t j = 0; j < width; ++j) {
      to[j] = running[j];
      running[j] = op(running[j], from[j]);
    }
  }
  std::fill(running.begin(), running.end(), none);
  for (std::size_t s = row.size(); s-- > 0;) {
    const T* from = x + row[s];
    T* to = out + row[s];
    for (std::size_t j = 0; j < width; ++j) {
      to[j] = op(to[j], running[j]);
      running[j] = op(running[j], from[j]);
    }
  }
}

// Whether no partial product can leave the range of T on the way to one that does not: where all
// factors are at most 1, or their magnitudes close enough together.
template <class T>
bool plain_products(const Slots& row, std::size_t width, const T* x) {
  T largest = 0, smallest = 1;
  for (const std::size_t r : row) {
    for (std::size_t j = 0; j < width; ++j) {
      const T a = std::abs(x[r + j]);
      largest = a > largest ? a : largest;
      smallest = a < smallest && a > 0 ? a : smallest;
    }
  }
  if (largest <= 1) return true;
  const T range = std::log2(largest) - std::log2(smallest);
  return range * static_cast<T>(row.size()) < std::numeric_limits<T>::max_exponent - 2;
}

// The slots of the largest and second largest entry; n >= 2.
template <class T>
std::pair<std::size_t, std::size_t> best_two(const Column<const T>& x) {
  std::size_t first = 0, second = 1;
  if (x[1] > x[0]) std::swap(first, second);
  for (std::size_t s = 2; s < x.n; ++s) {
    if (x[s] > x[first]) {
      second = std::exchange(first, s);
    } else if (x[s] > x[second]) {
      second = s;
    }
  }
  return {first, second};
}

template <class T>
T log_add(T a, T b, T tau) {
  const T top = std::max(a, b), low = std::min(a, b);
  if (low == -std::numeric_limits<T>::infinity()) return top;
  return top + tau * std::log1p(std::exp((low - top) / tau));
}

template <class T>
void forward(const Column<const T>& x, const Column<T>& out, Aggregate aggregate, T tau) {
  const std::size_t n = x.n;
  if (n == 1) {
    out[0] = aggregate == Aggregate::product ? T(1) : T(0);
    return;
  }
  switch (aggregate) {
    case Aggregate::max: {
      const auto [first, second] = best_two<T>(x);
      for (std::size_t s = 0; s < n; ++s) out[s] = x[s == first ? second : first];
      return;
    }
    case Aggregate::sum:
    case Aggregate::mean:
      return;  // by rows
    case Aggregate::logsumexp: {
      constexpr T none = -std::numeric_limits<T>::infinity();
      T sum = none;
      for (std::size_t s = 0; s < n; ++s) {
        out[s] = sum;
        sum = log_add(sum, x[s], tau);
      }
      sum = none;
      for (std::size_t s = n; s-- > 0;) {
        out[s] = log_add(out[s], sum, tau);
        sum = log_add(sum, x[s], tau);
      }
      return;
    }
    case Aggregate::product: {
      const auto all = product<T>(n, [&](std::size_t s) { return x[s]; });
      for (std::size_t s = 0; s < n; ++s) out[s] = all.without(x[s]);
      return;
    }
  }
}

template <class T>
void backward_logsumexp(const Column<const T>& x, const Column<const T>& out,
                        const Column<const T>& gradient, const Column<T>& dx, T tau) {
  // dx_s = exp(x_s / tau) sum over e != s of dout_e exp(-out_e / tau). Shifted by the largest x
  // nothing overflows, but for the edge that has the largest: it is added apart.
  const std::size_t first = best_two<T>(x).first;
  const T top = x[first];
  sum_of_others<T>(
      x.n,
      [&](std::size_t e) {
        return e == first ? T(0) : gradient[e] * std::exp((top - out[e]) / tau);
      },
      [&](std::size_t s) -> T& { return dx[s]; });
  for (std::size_t s = 0; s < x.n; ++s) {
    dx[s] *= std::exp((x[s] - top) / tau);
    if (s != first) dx[s] += gradient[first] * std::exp((x[s] - out[first]) / tau);
  }
}

// Sums of all others, or means.
template <class T>
void sums_by_rows(const Slots& row, std::size_t width, const T* x, T* out, Aggregate aggregate) {
  rows_of_others(row, width, x, out, T(0), [](T a, T b) { return a + b; });
  if (aggregate != Aggregate::mean || row.size() < 2) return;
  for (const std::size_t r : row) {
    for (std::size_t j = 0; j < width; ++j) out[r + j] /= static_cast<T>(row.size() - 1);
  }
}

// d out_e / d x_s = product of all but e and s = out_e / x_s, where x_s is not zero.
template <class T>
void backward_product(const Slots& row, std::size_t width, const T* x, const T* out,
                      const T* gradient, T* dx) {
  std::vector<T> terms(row.size() * width), sums(row.size() * width);
  Slots packed(row.size());
  for (std::size_t s = 0; s < row.size(); ++s) {
    packed[s] = s * width;
    for (std::size_t j = 0; j < width; ++j) {
      terms[packed[s] + j] = gradient[row[s] + j] * out[row[s] + j];
    }
  }
  sums_by_rows(packed, width, terms.data(), sums.data(), Aggregate::sum);
  for (std::size_t s = 0; s < row.size(); ++s) {
    for (std::size_t j = 0; j < width; ++j) {
      const T factor = x[row[s] + j];
      if (factor != 0) {
        dx[row[s] + j] = sums[packed[s] + j] / factor;
        continue;
      }
      SignedLog<T> others;
      for (std::size_t e = 0; e < row.size(); ++e) {
        if (e != s) others.multiply(x[row[e] + j]);
      }
      T sum = 0;
      for (std::size_t e = 0; e < row.size(); ++e) {
        if (e != s) sum += gradient[row[e] + j] * others.without(x[row[e] + j]);
      }
      dx[row[s] + j] = sum;
    }
  }
}

template <class T>
void backward(const Column<const T>& x, const Column<const T>& out, const Column<const T>& gradient,
              const Column<T>& dx, Aggregate aggregate, T tau) {
  const std::size_t n = x.n;
  if (n == 1) {
    dx[0] = 0;
    return;
  }
  switch (aggregate) {
    case Aggregate::max: {
      const auto [first, second] = best_two<T>(x);
      for (std::size_t s = 0; s < n; ++s) dx[s] = 0;
      for (std::size_t s = 0; s < n; ++s) dx[s == first ? second : first] += gradient[s];
      return;
    }
    case Aggregate::logsumexp:
      return backward_logsumexp(x, out, gradient, dx, tau);
    default:
      return;  // by rows
  }
}

// Calls body(row offsets of the slots) for every node of every copy.
template <class Body>
void each_node(const Incidence& node, std::size_t copies, std::size_t width,
               const std::uint8_t* mask, int threads, Body body) {
  parallel_for(threads, copies * node.targets(), 32, [&](std::size_t begin, std::size_t end) {
    Slots row;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t copy = i / node.targets(), t = i % node.targets();
      row.clear();
      for (Index p = node.offset(t); p < node.offset(t + 1); ++p) {
        const std::size_t edge = copy * node.edges() + node.edge(p);
        if (mask == nullptr || mask[edge] != 0) row.push_back(edge * width);
      }
      if (!row.empty()) body(row);
    }
  });
}

}  // namespace

template <class T>
void exclude_forward(const Incidence& node, std::size_t copies, const T* x, std::size_t width,
                     Aggregate aggregate, double temperature, const std::uint8_t* mask, T* out,
                     int threads) {
  if (mask != nullptr) std::fill_n(out, copies * node.edges() * width, T(0));
  each_node(node, copies, width, mask, threads, [&](const Slots& row) {
    if (aggregate == Aggregate::sum || aggregate == Aggregate::mean) {
      return sums_by_rows(row, width, x, out, aggregate);
    }
    if (aggregate == Aggregate::product && plain_products(row, width, x)) {
      return rows_of_others(row, width, x, out, T(1), [](T a, T b) { return a * b; });
    }
    for (std::size_t j = 0; j < width; ++j) {
      forward<T>({x, row.data(), row.size(), j}, {out, row.data(), row.size(), j}, aggregate,
                 static_cast<T>(temperature));
    }
  });
}

template <class T>
void exclude_backward(const Incidence& node, std::size_t copies, const T* x, const T* out,
                      const T* out_gradient, std::size_t width, Aggregate aggregate,
                      double temperature, const std::uint8_t* mask, T* x_gradient, int threads) {
  if (mask != nullptr) std::fill_n(x_gradient, copies * node.edges() * width, T(0));
  each_node(node, copies, width, mask, threads, [&](const Slots& row) {
    if (aggregate == Aggregate::sum || aggregate == Aggregate::mean) {
      return sums_by_rows(row, width, out_gradient, x_gradient, aggregate);
    }
    if (aggregate == Aggregate::product) {
      return backward_product(row, width, x, out, out_gradient, x_gradient);
    }
    const std::size_t n = row.size();
    for (std::size_t j = 0; j < width; ++j) {
      backward<T>({x, row.data(), n, j}, {out, row.data(), n, j}, {out_gradient, row.data(), n, j},
                  {x_gradient, row.data(), n, j}, aggregate, static_cast<T>(temperature));
    }
  });
}

#define FGNN_INSTANTIATE(T)                                                                      \
  template void exclude_forward<T>(const Incidence&, std::size_t, const T*, std::size_t,         \
                                   Aggregate, double, const std::uint8_t*, T*, int);             \
  template void exclude_backward<T>(const Incidence&, std::size_t, const T*, const T*, const T*, \
                                    std::size_t, Aggregate, double, const std::uint8_t*, T*, int);
FGNN_INSTANTIATE(float)
FGNN_INSTANTIATE(double)
#undef FGNN_INSTANTIATE

}  // namespace fgnn::kernels
