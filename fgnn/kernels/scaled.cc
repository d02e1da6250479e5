#include "fgnn/kernels/scaled.h"

#include <algorithm>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/kernels/aligned.h"

namespace fgnn::kernels {
namespace {

constexpr std::size_t kColumns = 256;  // a target's messages stay in the first cache

template <class T>
void check(const ScaledInput<T>& in) {
  if (in.aggregate != Aggregate::sum && in.aggregate != Aggregate::product &&
      in.aggregate != Aggregate::max) {
    throw Error(ErrorCode::usage, "messages with a diagonal matrix",
                "are not aggregated by " + std::string(name_of(in.aggregate)),
                "sum, product or max");
  }
}

// Messages into one target, some columns of them.
template <class T>
class Target {
 public:
  Target(const ScaledInput<T>& in, std::size_t first, std::size_t count)
      : in_(in),
        first_(first),
        count_(count),
        messages_(std::max<std::size_t>(1, in.edges->largest_degree()) * count) {}

  // Computes the messages; returns how many there are.
  std::size_t load(std::size_t copy, std::size_t target) {
    const Incidence& edges = *in_.edges;
    at_.clear();
    for (Index p = edges.offset(target); p < edges.offset(target + 1); ++p) {
      if (in_.mask != nullptr && in_.mask[copy * edges.edges() + edges.edge(p)] == 0) continue;
      const std::size_t kind = edges.kind(p) * in_.width + first_;
      at_.push_back({(copy * edges.sources() + edges.source(p)) * in_.width + first_, kind});
      const T* x = in_.source + at_.back().source;
      const T* scale = in_.scale + kind;
      T* z = message(at_.size() - 1);
      product_sum(scale, x, in_.shift == nullptr ? nullptr : in_.shift + kind, z, count_);
      apply(in_.activation, z, count_);
    }
    return at_.size();
  }

  T* message(std::size_t s) { return messages_.data() + s * count_; }
  std::size_t source(std::size_t s) const { return at_[s].source; }
  std::size_t kind(std::size_t s) const { return at_[s].kind; }

 private:
  struct At {
    std::size_t source, kind;  // where the first column lies
  };
  const ScaledInput<T>& in_;
  std::size_t first_, count_;
  AlignedVector<T> messages_;
  std::vector<At> at_;
};

// The gradients of a target's messages, in place of the messages' own values: before[] has those.
template <class T>
void message_gradients(Target<T>& target, std::size_t degree, std::size_t count,
                       Aggregate aggregate, const T* dy, AlignedVector<T>& gradient) {
  gradient.resize(std::max<std::size_t>(degree, 1) * count);
  if (aggregate == Aggregate::sum) {
    for (std::size_t s = 0; s < degree; ++s) std::copy_n(dy, count, &gradient[s * count]);
  } else if (aggregate == Aggregate::max) {
    for (std::size_t j = 0; j < count; ++j) {
      std::size_t top = 0;
      for (std::size_t s = 0; s < degree; ++s) {
        gradient[s * count + j] = 0;
        if (target.message(s)[j] > target.message(top)[j]) top = s;
      }
      if (degree > 0) gradient[top * count + j] = dy[j];
    }
  } else {
    // Products of those before, then times those behind: exact where messages are zero.
    for (std::size_t j = 0; j < count && degree > 0; ++j) gradient[j] = dy[j];
    for (std::size_t s = 1; s < degree; ++s) {
      const T* z = target.message(s - 1);
      for (std::size_t j = 0; j < count; ++j) {
        gradient[s * count + j] = gradient[(s - 1) * count + j] * z[j];
      }
    }
    AlignedVector<T> behind(count, T(1));
    for (std::size_t s = degree; s-- > 0;) {
      const T* z = target.message(s);
      for (std::size_t j = 0; j < count; ++j) {
        gradient[s * count + j] *= behind[j];
        behind[j] *= z[j];
      }
    }
  }
}

template <class Body>
void over_columns(std::size_t width, int threads, Body body) {
  const std::size_t parts = (width + kColumns - 1) / kColumns;
  parallel_for(threads, parts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      body(p * kColumns, std::min(kColumns, width - p * kColumns));
    }
  });
}

}  // namespace

template <class T>
void scaled_forward(const ScaledInput<T>& in, T* out, int threads) {
  check(in);
  over_columns(in.width, threads, [&](std::size_t first, std::size_t count) {
    Target<T> target(in, first, count);
    for (std::size_t c = 0; c < in.copies; ++c) {
      for (std::size_t t = 0; t < in.edges->targets(); ++t) {
        const std::size_t degree = target.load(c, t);
        T* y = out + (c * in.edges->targets() + t) * in.width + first;
        if (degree == 0) {
          std::fill_n(y, count, in.aggregate == Aggregate::product ? T(1) : T(0));
          continue;
        }
        std::copy_n(target.message(0), count, y);
        for (std::size_t s = 1; s < degree; ++s) {
          const T* z = target.message(s);
          if (in.aggregate == Aggregate::sum) {
            add(z, y, count);
          } else if (in.aggregate == Aggregate::product) {
            for (std::size_t j = 0; j < count; ++j) y[j] *= z[j];
          } else {
            take_larger(z, 0, y, nullptr, count);
          }
        }
      }
    }
  });
}

template <class T>
void scaled_backward(const ScaledInput<T>& in, const T* out_gradient, T* source_gradient,
                     T* scale_gradient, T* shift_gradient, int threads) {
  check(in);
  const std::size_t sources = in.copies * in.edges->sources(), kinds = in.edges->kinds();
  if (source_gradient != nullptr) std::fill_n(source_gradient, sources * in.width, T(0));
  if (scale_gradient != nullptr) std::fill_n(scale_gradient, kinds * in.width, T(0));
  if (shift_gradient != nullptr) std::fill_n(shift_gradient, kinds * in.width, T(0));
  over_columns(in.width, threads, [&](std::size_t first, std::size_t count) {
    Target<T> target(in, first, count);
    AlignedVector<T> gradient;
    for (std::size_t c = 0; c < in.copies; ++c) {
      for (std::size_t t = 0; t < in.edges->targets(); ++t) {
        const std::size_t degree = target.load(c, t);
        const T* dy = out_gradient + (c * in.edges->targets() + t) * in.width + first;
        message_gradients(target, degree, count, in.aggregate, dy, gradient);
        for (std::size_t s = 0; s < degree; ++s) {
          T* dz = &gradient[s * count];
          multiply_slope(in.activation, target.message(s), dz, count);
          const T* x = in.source + target.source(s);
          const T* scale = in.scale + target.kind(s);
          if (source_gradient != nullptr) {
            add_product(dz, scale, source_gradient + target.source(s), count);
          }
          if (scale_gradient != nullptr) {
            add_product(dz, x, scale_gradient + target.kind(s), count);
          }
          if (shift_gradient != nullptr) {
            add(dz, shift_gradient + target.kind(s), count);
          }
        }
      }
    }
  });
}

#define FGNN_INSTANTIATE(T)                                        \
  template void scaled_forward<T>(const ScaledInput<T>&, T*, int); \
  template void scaled_backward<T>(const ScaledInput<T>&, const T*, T*, T*, T*, int);
FGNN_INSTANTIATE(float)
FGNN_INSTANTIATE(double)
#undef FGNN_INSTANTIATE

}  // namespace fgnn::kernels
