#include "fgnn/kernels/outer.h"

#include <algorithm>

#include "fgnn/core/parallel.h"
#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/gemm.h"

namespace fgnn::kernels {
namespace {

constexpr std::size_t kBlockNumbers = std::size_t{1} << 18;  // of outer products: they stay in L2
constexpr std::size_t kLanes = 16;  // rows of a product whose length is a multiple need no rest

// Targets whose outer products are made before the matrices are applied to all of them.
std::size_t targets_at_a_time(std::size_t size) {
  return std::clamp<std::size_t>(kBlockNumbers / std::max<std::size_t>(size, 1), 6, 96);
}

// Room for outer products, kept by each thread: a megabyte from the system for every call would
// cost more than a little.
template <class T>
T* outer_products(std::size_t count) {
  thread_local AlignedVector<T> room;
  if (room.size() < count) room.resize(count);
  return room.data();
}

// The edges into one target: h_e and c_e in rows next to each other. A mean is in the coefficients.
template <class T>
class Gathered {
 public:
  struct Edge {
    std::size_t source, mixture;  // rows
  };
  AlignedVector<T> h, c;
  std::vector<Edge> edges;
  T share = 1;

  Gathered(const MessageInput<T>& in, const MessageOptions& options) : in_(in), o_(options) {}

  // Row copy * targets + target of the output.
  void load(std::size_t row) {
    const Incidence& all = *in_.edges;
    const std::size_t copy = row / all.targets(), target = row % all.targets();
    edges.clear();
    for (std::size_t p = all.offset(target); p < all.offset(target + 1); ++p) {
      if (in_.mask != nullptr && in_.mask[copy * all.edges() + all.edge(p)] == 0) continue;
      edges.push_back({copy * all.sources() + all.source(p),
                       (in_.per_copy ? copy * all.kinds() : 0) + all.kind(p)});
    }
    const bool mean = o_.aggregates[0] == Aggregate::mean && !edges.empty();
    share = mean ? T(1) / static_cast<T>(edges.size()) : T(1);
    h.resize(edges.size() * o_.hidden);
    c.resize(edges.size() * in_.bases);
    const T* own = in_.target == nullptr ? nullptr : in_.target + row * o_.hidden;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const T *from = in_.source + edges[e].source * o_.hidden,
              *mix = in_.coefficients + edges[e].mixture * in_.bases;
      for (std::size_t i = 0; i < o_.hidden; ++i) {
        h[e * o_.hidden + i] = from[i] + (own == nullptr ? T(0) : own[i]);
      }
      for (std::size_t b = 0; b < in_.bases; ++b) c[e * in_.bases + b] = share * mix[b];
    }
    apply(o_.activation, h.data(), h.size());
  }

  // S, bases x hidden.
  void outer_product(T* sum) const {
    gemm(in_.bases, o_.hidden, edges.size(), c.data(), 1, in_.bases, h.data(), o_.hidden, sum,
         o_.hidden, false);
  }

 private:
  const MessageInput<T>& in_;
  const MessageOptions& o_;
};

// From the gradient of one target's outer product to those of its edges.
template <class T>
class EdgeGradients {
 public:
  EdgeGradients(const MessageInput<T>& in, const MessageOptions& options,
                const MessageGradient<T>& gradient)
      : in_(in), o_(options), gradient_(gradient) {}

  void add(std::size_t row, const Gathered<T>& g, const T* d_outer) {
    if (gradient_.source != nullptr || gradient_.target != nullptr) nodes(row, g, d_outer);
    if (gradient_.coefficients != nullptr) mixtures(g, d_outer);
  }

 private:
  void nodes(std::size_t row, const Gathered<T>& g, const T* d_outer) {
    const std::size_t n = g.edges.size(), hidden = o_.hidden;
    dh_.resize(n * hidden);
    gemm(n, hidden, in_.bases, g.c.data(), in_.bases, 1, d_outer, hidden, dh_.data(), hidden,
         false);
    multiply_slope(o_.activation, g.h.data(), dh_.data(), dh_.size());
    T* own = gradient_.target == nullptr ? nullptr : gradient_.target + row * hidden;
    for (std::size_t e = 0; e < n; ++e) {
      T* from =
          gradient_.source == nullptr ? nullptr : gradient_.source + g.edges[e].source * hidden;
      for (std::size_t i = 0; i < hidden; ++i) {
        if (from != nullptr) from[i] += dh_[e * hidden + i];
        if (own != nullptr) own[i] += dh_[e * hidden + i];
      }
    }
  }

  // dc_e = dS h_e, for all edges at once: h stands on its side.
  void mixtures(const Gathered<T>& g, const T* d_outer) {
    const std::size_t n = g.edges.size(), wide = (n + kLanes - 1) / kLanes * kLanes;
    upright_.assign(o_.hidden * wide, T(0));
    for (std::size_t e = 0; e < n; ++e) {
      for (std::size_t i = 0; i < o_.hidden; ++i) upright_[i * wide + e] = g.h[e * o_.hidden + i];
    }
    dc_.resize(in_.bases * wide);
    gemm(in_.bases, wide, o_.hidden, d_outer, o_.hidden, 1, upright_.data(), wide, dc_.data(), wide,
         false);
    for (std::size_t e = 0; e < n; ++e) {
      T* mix = gradient_.coefficients + g.edges[e].mixture * in_.bases;
      for (std::size_t b = 0; b < in_.bases; ++b) mix[b] += g.share * dc_[b * wide + e];
    }
  }

  const MessageInput<T>& in_;
  const MessageOptions& o_;
  const MessageGradient<T>& gradient_;
  AlignedVector<T> dh_, dc_, upright_;
};

}  // namespace

template <class T>
void outer_forward(const MessageInput<T>& in, const MessageOptions& o, T* out, int threads) {
  const std::size_t size = in.bases * o.hidden, most = targets_at_a_time(size);
  const std::size_t rows = in.copies * in.edges->targets();
  parallel_for(threads, rows, most, [&](std::size_t begin, std::size_t end) {
    Gathered<T> edges(in, o);
    T* outer = outer_products<T>(most * size);
    for (std::size_t first = begin; first < end; first += most) {
      const std::size_t n = std::min(most, end - first);
      for (std::size_t r = 0; r < n; ++r) {
        edges.load(first + r);
        edges.outer_product(outer + r * size);
      }
      gemm(n, o.out, size, outer, size, 1, in.matrices, o.out, out + first * o.out, o.out, false);
    }
  });
}

template <class T>
void outer_backward(const MessageInput<T>& in, const T* transposed, const MessageOptions& o,
                    const T* out_gradient, const MessageGradient<T>& gradient) {
  const std::size_t size = in.bases * o.hidden, most = targets_at_a_time(size);
  const std::size_t rows = in.copies * in.edges->targets();
  const auto clear = [](T* data, std::size_t n) {
    if (data != nullptr) std::fill_n(data, n, T(0));
  };
  clear(gradient.target, rows * o.hidden);
  clear(gradient.source, in.copies * in.edges->sources() * o.hidden);
  clear(gradient.matrices, size * o.out);
  clear(gradient.coefficients, (in.per_copy ? in.copies : 1) * in.edges->kinds() * in.bases);
  T* outer = outer_products<T>(most * size);
  Gathered<T> edges(in, o);
  EdgeGradients<T> back(in, o, gradient);
  for (std::size_t first = 0; first < rows; first += most) {
    const std::size_t n = std::min(most, rows - first);
    const T* dy = out_gradient + first * o.out;
    if (gradient.matrices != nullptr) {
      for (std::size_t r = 0; r < n; ++r) {
        edges.load(first + r);
        edges.outer_product(outer + r * size);
      }
      gemm(size, o.out, n, outer, 1, size, dy, o.out, gradient.matrices, o.out, true);
    }
    gemm(n, size, o.out, dy, o.out, 1, transposed, size, outer, size, false);
    for (std::size_t r = 0; r < n; ++r) {
      edges.load(first + r);
      back.add(first + r, edges, outer + r * size);
    }
  }
}

#define FGNN_INSTANTIATE(T)                                                                \
  template void outer_forward<T>(const MessageInput<T>&, const MessageOptions&, T*, int);  \
  template void outer_backward<T>(const MessageInput<T>&, const T*, const MessageOptions&, \
                                  const T*, const MessageGradient<T>&);
FGNN_INSTANTIATE(float)
FGNN_INSTANTIATE(double)
#undef FGNN_INSTANTIATE

}  // namespace fgnn::kernels
