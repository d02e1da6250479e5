#include "fgnn/nn/ops.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/random.h"
#include "fgnn/kernels/convolution.h"
#include "fgnn/kernels/exclude.h"
#include "fgnn/kernels/gru.h"
#include "fgnn/kernels/linear.h"
#include "fgnn/kernels/norm.h"
#include "fgnn/kernels/scaled.h"
#include "fgnn/kernels/softmax.h"
#include "fgnn/nn/record.h"

namespace fgnn::nn {
namespace {

using at::Tensor;

[[noreturn]] void reject(const char* operation, const char* what) {
  throw Error(ErrorCode::usage, operation, what);
}

// Plain memory of a tensor, null when undefined.
template <class T>
T* data(const Tensor& x) {
  return x.defined() ? x.data_ptr<T>() : nullptr;
}

// Detached and contiguous, for kernels and for keeping.
Tensor plain(const Tensor& x) { return x.defined() ? x.detach().contiguous() : x; }

std::vector<Tensor> plain(std::vector<Tensor> list) {
  for (auto& x : list) x = plain(x);
  return list;
}

// Calls f with a zero of the scalar type of x.
template <class F>
auto with_type(const char* operation, const Tensor& x, F f) {
  if (x.scalar_type() == at::kFloat) return f(float{});
  if (x.scalar_type() == at::kDouble) return f(double{});
  reject(operation, "takes float or double tensors");
}

void check_rows(const char* operation, const Tensor& x, std::int64_t rows) {
  if (!x.defined() || x.dim() != 2 || x.size(0) != rows) {
    reject(operation, "got a tensor with the wrong rows");
  }
}

void check_matrix(const char* operation, const Tensor& x) {
  if (!x.defined() || x.dim() != 2) reject(operation, "got a tensor that is no matrix");
}

// Undefined ones have any type.
void check_types(const char* operation, const std::vector<Tensor>& tensors) {
  for (const auto& x : tensors) {
    if (x.defined() && x.scalar_type() != tensors[0].scalar_type()) {
      reject(operation, "got tensors of different types");
    }
  }
}

template <class T>
std::vector<kernels::Rows<T>> rows_of(const std::vector<Tensor>& inputs) {
  std::vector<kernels::Rows<T>> rows;
  for (const auto& x : inputs) {
    rows.push_back({data<T>(x), static_cast<std::size_t>(x.size(1))});
  }
  return rows;
}

Tensor empty_if(bool wanted, const Tensor& like) {
  return wanted ? at::empty_like(like) : Tensor();
}

}  // namespace

Tensor linear(const std::vector<Tensor>& given, const Tensor& weight, const Tensor& bias,
              kernels::Activation activation, const Context& context) {
  std::int64_t width = 0;
  if (given.empty()) reject("linear", "got no input");
  check_matrix("linear", given[0]);
  for (const auto& x : given) {
    check_rows("linear", x, given[0].size(0));
    width += x.size(1);
  }
  check_matrix("linear", weight);
  if (weight.size(0) != width) reject("linear", "got a misshapen weight");
  if (bias.defined() && (bias.dim() != 1 || bias.size(0) != weight.size(1))) {
    reject("linear", "got a misshapen bias");
  }
  std::vector<Tensor> all = given;
  all.push_back(weight);
  all.push_back(bias);
  check_types("linear", all);
  const auto inputs = plain(given);
  const Tensor w = plain(weight), b = plain(bias);
  const std::size_t rows = inputs[0].size(0), out_width = w.size(1);
  Tensor out = at::empty({inputs[0].size(0), w.size(1)}, w.options());
  with_type("linear", w, [&](auto zero) {
    using T = decltype(zero);
    kernels::linear_forward<T>(rows_of<T>(inputs), rows, data<T>(w), data<T>(b), out_width,
                               activation, data<T>(out), context.threads);
  });
  return record("linear", out, all, [&]() -> Backward {
    return [inputs, w, activation, rows, out_width, threads = context.threads,
            y = activation == kernels::Activation::identity ? Tensor() : out.detach()](
               const Tensor& gradient, const std::vector<bool>& needed) {
      const std::size_t n = inputs.size();
      Gradients result(n + 2);
      for (std::size_t i = 0; i < n; ++i) result[i] = empty_if(needed[i], inputs[i]);
      result[n] = empty_if(needed[n], w);
      if (needed[n + 1]) result[n + 1] = at::empty({w.size(1)}, w.options());
      // The kernel multiplies by the slope in place; other readers of the gradient must not see it.
      const Tensor dy = y.defined() ? gradient.clone() : gradient;
      with_type("linear", w, [&](auto zero) {
        using T = decltype(zero);
        std::vector<T*> dx;
        for (std::size_t i = 0; i < n; ++i) dx.push_back(data<T>(result[i]));
        kernels::linear_backward<T>(rows_of<T>(inputs), rows, data<T>(w), out_width, activation,
                                    data<T>(y), data<T>(dy), dx, data<T>(result[n]),
                                    data<T>(result[n + 1]), threads);
      });
      return result;
    };
  });
}

namespace {

// The state of a norm between its passes.
template <class T>
struct NormState {
  kernels::Moments<T> moments;
  std::vector<std::size_t> offset;
  std::vector<double> counts;  // rows behind each segment's moments, over all processes
};

template <class T>
NormState<T> norm_moments(const kernels::Normalisation<T>& n, const NormArguments& a,
                          const Tensor& mean, const Tensor& variance, const Context& context) {
  NormState<T> s;
  if (a.kind == network::NormKind::layer) {
    s.moments = kernels::row_moments(n, context.threads);
    return s;
  }
  if (a.kind == network::NormKind::instance) {
    s.offset = a.graph_rows;
    s.moments = kernels::segment_moments(n, {s.offset}, context.threads);
    for (std::size_t g = 0; g + 1 < s.offset.size(); ++g) {
      s.counts.push_back(static_cast<double>(s.offset[g + 1] - s.offset[g]));
    }
    return s;
  }
  s.offset = {0, n.rows};
  if (!context.training) {
    s.moments.mean.assign(data<T>(mean), data<T>(mean) + n.columns);
    s.moments.inverse.assign(data<T>(variance), data<T>(variance) + n.columns);
    for (T& v : s.moments.inverse) v = 1 / std::sqrt(v + static_cast<T>(kernels::kNormEpsilon));
    s.counts = {0};
    return s;
  }
  auto sums = kernels::column_sums(n.x, n.rows, n.columns, context.threads);
  sums.push_back(static_cast<double>(n.rows));
  if (context.reduce) context.reduce(sums);
  const double count = sums.back();
  sums.pop_back();
  s.counts = {count};
  s.moments = kernels::moments_of<T>(sums, count);
  if (count == 0) return s;  // a factor type that no graph of the batch has
  const double unbiased = count > 1 ? count / (count - 1) : 1;
  for (std::size_t j = 0; j < n.columns; ++j) {
    const double m = sums[j] / count;
    const double v = std::max(0.0, sums[n.columns + j] / count - m * m) * unbiased;
    T& running_mean = data<T>(mean)[j];
    T& running_variance = data<T>(variance)[j];
    running_mean += static_cast<T>(context.momentum * (m - running_mean));
    running_variance += static_cast<T>(context.momentum * (v - running_variance));
  }
  return s;
}

template <class T>
kernels::Normalisation<T> normalisation(const Tensor& x, const Tensor& residual,
                                        const Tensor& scale, const Tensor& shift,
                                        kernels::Activation activation) {
  return {data<T>(x),
          static_cast<std::size_t>(x.size(0)),
          static_cast<std::size_t>(x.size(1)),
          data<T>(scale),
          data<T>(shift),
          data<T>(residual),
          activation};
}

template <class T>
Gradients norm_gradient(const kernels::Normalisation<T>& n, const NormState<T>& s,
                        network::NormKind kind, const Tensor& like_x, const Tensor& like_scale,
                        const Tensor& gradient, const std::vector<bool>& needed,
                        const Context& context) {
  Gradients result(4);
  result[0] = at::empty_like(like_x);
  if (needed[1]) result[1] = gradient;
  result[2] = at::empty_like(like_scale);
  result[3] = at::empty_like(like_scale);
  if (kind == network::NormKind::layer) {
    kernels::normalise_rows_backward(n, s.moments, data<T>(gradient), data<T>(result[0]),
                                     data<T>(result[2]), data<T>(result[3]), context.threads);
    return result;
  }
  Tensor dz = at::empty_like(like_x);
  auto sums = kernels::normalise_columns_sums(n, {s.offset}, s.moments, data<T>(gradient),
                                              data<T>(dz), context.threads);
  for (std::size_t j = 0; j < n.columns; ++j) {
    double shift = 0, scale = 0;
    for (std::size_t g = 0; g < s.counts.size(); ++g) {
      shift += sums[g * 2 * n.columns + j];
      scale += sums[g * 2 * n.columns + n.columns + j];
    }
    data<T>(result[3])[j] = static_cast<T>(shift);
    data<T>(result[2])[j] = static_cast<T>(scale);
  }
  // Batch moments are shared by all processes, and so are their gradients.
  const bool shared = kind == network::NormKind::batch && s.counts[0] > 0;
  if (context.reduce && shared) context.reduce(sums);
  kernels::normalise_columns_backward(n, {s.offset}, s.moments, sums, s.counts, data<T>(dz),
                                      data<T>(result[0]), context.threads);
  return result;
}

}  // namespace

Tensor norm(const Tensor& x, const Tensor& residual, const Tensor& scale, const Tensor& shift,
            Tensor mean, Tensor variance, const NormArguments& arguments, const Context& context) {
  check_matrix("norm", x);
  const auto by_column = [&](const Tensor& v) { return v.defined() && v.numel() == x.size(1); };
  if (!by_column(scale) || !by_column(shift)) {
    reject("norm", "got a scale or shift that does not fit its input");
  }
  if (residual.defined() && residual.sizes() != x.sizes()) {
    reject("norm", "got a residual of another shape");
  }
  check_types("norm", {x, residual, scale, shift, mean, variance});
  if (arguments.kind == network::NormKind::none) reject("norm", "is of no kind");
  if (arguments.kind == network::NormKind::batch &&
      !(by_column(mean) && by_column(variance) && mean.is_contiguous() &&
        variance.is_contiguous())) {
    reject("norm", "got running moments that do not fit its input");
  }
  const auto& graphs = arguments.graph_rows;
  if (arguments.kind == network::NormKind::instance &&
      (graphs.size() < 2 || graphs.front() != 0 || !std::is_sorted(graphs.begin(), graphs.end()) ||
       graphs.back() != static_cast<std::size_t>(x.size(0)))) {
    reject("norm", "got graphs that do not cover its rows");
  }
  const Tensor in = plain(x), rest = plain(residual), gamma = plain(scale), beta = plain(shift);
  Tensor out = at::empty_like(in);
  const bool layer = arguments.kind == network::NormKind::layer;
  return with_type("norm", x, [&](auto zero) {
    using T = decltype(zero);
    const auto n = normalisation<T>(in, rest, gamma, beta, arguments.activation);
    auto state =
        std::make_shared<NormState<T>>(norm_moments<T>(n, arguments, mean, variance, context));
    if (layer) {
      kernels::normalise_rows(n, state->moments, data<T>(out), context.threads);
    } else {
      kernels::normalise_columns(n, {state->offset}, state->moments, data<T>(out), context.threads);
    }
    return record("norm", out, {x, residual, scale, shift}, [&]() -> Backward {
      return [in, gamma, beta, state, context, kind = arguments.kind,
              activation = arguments.activation](const Tensor& gradient,
                                                 const std::vector<bool>& needed) {
        const auto again = normalisation<T>(in, {}, gamma, beta, activation);
        return norm_gradient<T>(again, *state, kind, in, gamma, gradient, needed, context);
      };
    });
  });
}

Tensor message(const Tensor& target, const Tensor& source, const Tensor& matrices,
               const Tensor& coefficients, const MessageArguments& a, const Context& context) {
  const auto& o = a.options;
  check_rows("message", source, static_cast<std::int64_t>(a.copies * a.edges->sources()));
  const std::int64_t targets = static_cast<std::int64_t>(a.copies * a.edges->targets());
  if (target.defined()) check_rows("message", target, targets);
  const auto hidden = static_cast<std::int64_t>(o.hidden), width = static_cast<std::int64_t>(o.out);
  if (source.size(1) != hidden || (target.defined() && target.size(1) != hidden)) {
    reject("message", "got features of the wrong width");
  }
  if (!matrices.defined() && o.hidden != o.out) reject("message", "needs matrices");
  check_types("message", {source, target, matrices, coefficients});
  if (coefficients.defined()) {
    check_rows("message", coefficients,
               static_cast<std::int64_t>(a.edges->kinds() * (a.per_copy ? a.copies : 1)));
    if (!matrices.defined()) reject("message", "needs matrices to mix");
  }
  const std::int64_t bases = coefficients.defined() ? coefficients.size(1) : 0;
  if (matrices.defined() &&
      (matrices.numel() % (hidden * width) != 0 ||
       matrices.numel() / (hidden * width) <
           (bases > 0 ? bases : static_cast<std::int64_t>(a.edges->kinds())))) {
    reject("message", "got misshapen matrices");
  }
  const Tensor t = plain(target), s = plain(source), m = plain(matrices), c = plain(coefficients);
  Tensor out = at::empty({targets, static_cast<std::int64_t>(o.columns())}, source.options());
  auto where = std::make_shared<kernels::ArgMax>();
  const auto input = [=](auto zero) {
    using T = decltype(zero);
    return kernels::MessageInput<T>{a.edges,
                                    a.copies,
                                    data<T>(t),
                                    data<T>(s),
                                    data<T>(m),
                                    data<T>(c),
                                    static_cast<std::size_t>(bases),
                                    a.per_copy,
                                    a.mask};
  };
  const bool keep = c10::GradMode::is_enabled();
  with_type("message", s, [&](auto zero) {
    using T = decltype(zero);
    kernels::message_forward<T>(input(zero), o, data<T>(out), keep ? where.get() : nullptr,
                                context.threads);
  });
  return record("message", out, {target, source, matrices, coefficients}, [&]() -> Backward {
    return [=, y = out.detach(), threads = context.threads](const Tensor& gradient,
                                                            const std::vector<bool>& needed) {
      Gradients result{empty_if(t.defined() && needed[0], t), empty_if(needed[1], s),
                       empty_if(m.defined() && needed[2], m),
                       empty_if(c.defined() && needed[3], c)};
      with_type("message", s, [&](auto zero) {
        using T = decltype(zero);
        kernels::message_backward<T>(
            input(zero), a.options, data<T>(y), *where, data<T>(gradient),
            {data<T>(result[0]), data<T>(result[1]), data<T>(result[2]), data<T>(result[3])},
            threads);
        // A table may have rows for kinds that this structure does not use.
        if (result[2].defined() && !c.defined()) {
          const std::size_t used = a.edges->kinds() * a.options.hidden * a.options.out;
          std::fill(data<T>(result[2]) + used, data<T>(result[2]) + m.numel(), T(0));
        }
      });
      return result;
    };
  });
}

Tensor scaled(const Tensor& source, const Tensor& scale, const Tensor& shift,
              const ScaledArguments& a, const Context& context) {
  check_rows("scaled", source, static_cast<std::int64_t>(a.copies * a.edges->sources()));
  check_types("scaled", {source, scale, shift});
  const std::int64_t width = source.size(1);
  const auto fits = [&](const Tensor& table) {
    return table.dim() == 2 && table.size(1) == width &&
           table.size(0) >= static_cast<std::int64_t>(a.edges->kinds());
  };
  if (!scale.defined() || !fits(scale) || (shift.defined() && !fits(shift))) {
    reject("scaled", "got a misshapen scale or shift");
  }
  const Tensor x = plain(source), s = plain(scale), b = plain(shift);
  const auto input = [=](auto zero) {
    using T = decltype(zero);
    return kernels::ScaledInput<T>{a.edges,    a.copies,     static_cast<std::size_t>(width),
                                   data<T>(x), data<T>(s),   data<T>(b),
                                   a.mask,     a.activation, a.aggregate};
  };
  Tensor out = at::empty({static_cast<std::int64_t>(a.copies * a.edges->targets()), width},
                         source.options());
  with_type("scaled", x, [&](auto zero) {
    kernels::scaled_forward(input(zero), data<decltype(zero)>(out), context.threads);
  });
  return record("scaled", out, {source, scale, shift}, [&]() -> Backward {
    return [=, threads = context.threads](const Tensor& gradient, const std::vector<bool>& needed) {
      // Tables may have rows for kinds that this structure does not use.
      const auto zeros_if = [](bool wanted, const Tensor& like) {
        return wanted && like.defined() ? at::zeros_like(like) : Tensor();
      };
      Gradients result{empty_if(needed[0], x), zeros_if(needed[1], s), zeros_if(needed[2], b)};
      with_type("scaled", x, [&](auto zero) {
        using T = decltype(zero);
        kernels::scaled_backward(input(zero), data<T>(gradient), data<T>(result[0]),
                                 data<T>(result[1]), data<T>(result[2]), threads);
      });
      return result;
    };
  });
}

Tensor convolution(const Tensor& given, const Tensor& weight, const Tensor& bias,
                   const kernels::ImageShape& shape, std::size_t size, const Context& context) {
  check_matrix("convolution", given);
  check_matrix("convolution", weight);
  check_types("convolution", {given, weight, bias});
  if (given.size(1) != static_cast<std::int64_t>(shape.numbers()) || size % 2 == 0 ||
      weight.size(0) != static_cast<std::int64_t>(size * size * shape.channels) ||
      (bias.defined() && bias.numel() != weight.size(1))) {
    reject("convolution", "got images or weights of the wrong shape");
  }
  const Tensor x = plain(given), w = plain(weight), b = plain(bias);
  const std::size_t images = x.size(0), channels = w.size(1);
  Tensor out =
      at::empty({x.size(0), static_cast<std::int64_t>(shape.pixels() * channels)}, x.options());
  with_type("convolution", x, [&](auto zero) {
    using T = decltype(zero);
    kernels::convolution_forward<T>(shape, size, channels, images, data<T>(x), data<T>(w),
                                    data<T>(b), data<T>(out), context.threads);
  });
  return record("convolution", out, {given, weight, bias}, [&]() -> Backward {
    return [=, threads = context.threads](const Tensor& gradient, const std::vector<bool>& needed) {
      Gradients result{empty_if(needed[0], x), empty_if(needed[1], w),
                       empty_if(b.defined() && needed[2], b)};
      with_type("convolution", x, [&](auto zero) {
        using T = decltype(zero);
        kernels::convolution_backward<T>(shape, size, channels, images, data<T>(x), data<T>(w),
                                         data<T>(gradient), data<T>(result[0]), data<T>(result[1]),
                                         data<T>(result[2]), threads);
      });
      return result;
    };
  });
}

Tensor max_pool(const Tensor& given, const kernels::ImageShape& shape, std::size_t side,
                const Context& context) {
  check_matrix("max_pool", given);
  if (given.size(1) != static_cast<std::int64_t>(shape.numbers())) {
    reject("max_pool", "got images of the wrong shape");
  }
  const Tensor x = plain(given);
  const std::size_t images = x.size(0), numbers = kernels::pooled(shape, side).numbers();
  Tensor out = at::empty({x.size(0), static_cast<std::int64_t>(numbers)}, x.options());
  auto where = std::make_shared<std::vector<std::uint8_t>>(images * numbers);
  with_type("max_pool", x, [&](auto zero) {
    using T = decltype(zero);
    kernels::max_pool_forward<T>(shape, side, images, data<T>(x), data<T>(out), where->data(),
                                 context.threads);
  });
  return record("max_pool", out, {given}, [&]() -> Backward {
    return [=, threads = context.threads](const Tensor& gradient, const std::vector<bool>&) {
      Tensor dx = at::empty_like(x);
      with_type("max_pool", dx, [&](auto zero) {
        using T = decltype(zero);
        kernels::max_pool_backward<T>(shape, side, images, where->data(), data<T>(gradient),
                                      data<T>(dx), threads);
      });
      return Gradients{dx};
    };
  });
}

Tensor dropout(const Tensor& x, double share, bool rows, int id, const Context& context) {
  check_matrix("dropout", x);
  if (!context.training || share <= 0) return x;
  const std::int64_t count = rows ? x.size(0) : x.numel();
  Tensor kept = rows ? at::empty({x.size(0), 1}, x.options()) : at::empty_like(plain(x));
  Rng random(context.seed, static_cast<std::uint64_t>(id));
  // A row that stays must look as it will when none is dropped; numbers keep their mean instead.
  const double scale = rows ? 1 : 1 / (1 - share);
  with_type("dropout", kept, [&](auto zero) {
    using T = decltype(zero);
    T* to = data<T>(kept);
    for (std::int64_t i = 0; i < count; ++i) {
      to[i] = random.uniform() < share ? T(0) : static_cast<T>(scale);
    }
  });
  return at::mul(x, kept);
}

Tensor exclude(const Tensor& given, const kernels::Incidence& node,
               std::shared_ptr<const void> owner, std::size_t copies, kernels::Aggregate aggregate,
               double temperature, const std::uint8_t* mask, const Context& context) {
  check_rows("exclude", given, static_cast<std::int64_t>(copies * node.edges()));
  const Tensor x = plain(given);
  const std::size_t width = x.size(1);
  Tensor out = at::empty_like(x);
  with_type("exclude", x, [&](auto zero) {
    using T = decltype(zero);
    kernels::exclude_forward<T>(node, copies, data<T>(x), width, aggregate, temperature, mask,
                                data<T>(out), context.threads);
  });
  return record("exclude", out, {given}, [&]() -> Backward {
    return [=, &node, y = out.detach(), threads = context.threads](const Tensor& gradient,
                                                                   const std::vector<bool>&) {
      (void)owner;
      Tensor dx = at::empty_like(x);
      with_type("exclude", x, [&](auto zero) {
        using T = decltype(zero);
        kernels::exclude_backward<T>(node, copies, data<T>(x), data<T>(y), data<T>(gradient), width,
                                     aggregate, temperature, mask, data<T>(dx), threads);
      });
      return Gradients{dx};
    };
  });
}

Tensor gru(const Tensor& input, const Tensor& hidden, const Tensor& state, const Context& context) {
  check_matrix("gru", state);
  check_rows("gru", input, state.size(0));
  check_rows("gru", hidden, state.size(0));
  check_types("gru", {state, input, hidden});
  if (input.size(1) != 3 * state.size(1) || hidden.size(1) != 3 * state.size(1)) {
    reject("gru", "needs gates three times as wide as its state");
  }
  const Tensor a = plain(input), b = plain(hidden), h = plain(state);
  const std::size_t rows = h.size(0), width = h.size(1);
  Tensor out = at::empty_like(h);
  with_type("gru", h, [&](auto zero) {
    using T = decltype(zero);
    kernels::gru_forward<T>(data<T>(a), data<T>(b), data<T>(h), rows, width, data<T>(out),
                            context.threads);
  });
  return record("gru", out, {input, hidden, state}, [&]() -> Backward {
    return [=, threads = context.threads](const Tensor& gradient, const std::vector<bool>&) {
      Gradients result{at::empty_like(a), at::empty_like(b), at::empty_like(h)};
      with_type("gru", h, [&](auto zero) {
        using T = decltype(zero);
        kernels::gru_backward<T>(data<T>(a), data<T>(b), data<T>(h), rows, width, data<T>(gradient),
                                 data<T>(result[0]), data<T>(result[1]), data<T>(result[2]),
                                 threads);
      });
      return result;
    };
  });
}

Tensor softmax(const Tensor& given, const Context& context) {
  check_matrix("softmax", given);
  const Tensor x = plain(given);
  const std::size_t rows = x.size(0), width = x.size(1);
  Tensor out = at::empty_like(x);
  with_type("softmax", x, [&](auto zero) {
    using T = decltype(zero);
    kernels::softmax_forward<T>(data<T>(x), rows, width, data<T>(out), context.threads);
  });
  return record("softmax", out, {given}, [&]() -> Backward {
    return [=, y = out.detach(), threads = context.threads](const Tensor& gradient,
                                                            const std::vector<bool>&) {
      Tensor dx = at::empty_like(y);
      with_type("softmax", y, [&](auto zero) {
        using T = decltype(zero);
        kernels::softmax_backward<T>(data<T>(y), data<T>(gradient), rows, width, data<T>(dx),
                                     threads);
      });
      return Gradients{dx};
    };
  });
}

Tensor activate(const Tensor& given, kernels::Activation activation) {
  if (activation == kernels::Activation::identity) return given;
  Tensor out = plain(given).clone();
  const auto n = static_cast<std::size_t>(out.numel());
  with_type("activation", out, [&](auto zero) {
    using T = decltype(zero);
    kernels::apply(activation, data<T>(out), n);
  });
  return record("activation", out, {given}, [&]() -> Backward {
    return [=, y = out.detach()](const Tensor& gradient, const std::vector<bool>&) {
      Tensor dx = gradient.clone();
      with_type("activation", y, [&](auto zero) {
        using T = decltype(zero);
        kernels::multiply_slope(activation, data<T>(y), data<T>(dx), n);
      });
      return Gradients{dx};
    };
  });
}

}  // namespace fgnn::nn
