#include "tests/reference/message.h"

#include <algorithm>
#include <cmath>

namespace fgnn::testing {

using kernels::Aggregate;

Edges random_edges(Rng& rng, std::size_t targets, std::size_t sources, std::size_t kinds,
                   std::size_t edges) {
  Edges result{targets, sources, kinds, {}, {}, {}};
  for (std::size_t e = 0; e < edges; ++e) {
    result.target.push_back(static_cast<Index>(1 + rng.below(targets - 1)));
    result.source.push_back(static_cast<Index>(rng.below(sources)));
    result.kind.push_back(static_cast<Index>(rng.below(kinds)));
  }
  return result;
}

double aggregate(Aggregate how, std::span<const double> y, double tau) {
  if (y.empty()) return how == Aggregate::product ? 1 : 0;
  double sum = 0, product = 1, powers = 0;
  const double top = *std::max_element(y.begin(), y.end());
  for (const double v : y) {
    sum += v;
    product *= v;
    powers += std::exp((v - top) / tau);
  }
  switch (how) {
    case Aggregate::max:
      return top;
    case Aggregate::sum:
      return sum;
    case Aggregate::mean:
      return sum / static_cast<double>(y.size());
    case Aggregate::logsumexp:
      return top + tau * std::log(powers);
    case Aggregate::product:
      return product;
  }
  return 0;
}

namespace {

// Entry (i, j) of Q for an edge of this kind in this copy.
double q(const kernels::MessageInput<double>& in, const kernels::MessageOptions& o,
         std::size_t kinds, std::size_t copy, std::size_t kind, std::size_t i, std::size_t j) {
  if (in.matrices == nullptr) return i == j ? 1 : 0;
  const auto matrix = [&](std::size_t k) { return in.matrices[(k * o.hidden + i) * o.out + j]; };
  if (in.coefficients == nullptr) return matrix(kind);
  double sum = 0;
  const std::size_t row = (in.per_copy ? copy * kinds : 0) + kind;
  for (std::size_t b = 0; b < in.bases; ++b) sum += in.coefficients[row * in.bases + b] * matrix(b);
  return sum;
}

}  // namespace

std::vector<double> message(const Edges& edges, const kernels::MessageInput<double>& in,
                            const kernels::MessageOptions& o) {
  std::vector<double> out;
  for (std::size_t copy = 0; copy < in.copies; ++copy) {
    for (std::size_t t = 0; t < edges.targets; ++t) {
      for (const Aggregate how : o.aggregates) {
        for (std::size_t j = 0; j < o.out; ++j) {
          std::vector<double> messages;
          for (std::size_t e = 0; e < edges.size(); ++e) {
            if (edges.target[e] != t) continue;
            if (in.mask != nullptr && in.mask[copy * edges.size() + e] == 0) continue;
            double y = 0;
            for (std::size_t i = 0; i < o.hidden; ++i) {
              double h = in.source[(copy * edges.sources + edges.source[e]) * o.hidden + i];
              if (in.target != nullptr) h += in.target[(copy * edges.targets + t) * o.hidden + i];
              y += kernels::apply(o.activation, h) *
                   q(in, o, edges.kinds, copy, edges.kind[e], i, j);
            }
            messages.push_back(y);
          }
          out.push_back(aggregate(how, messages, o.temperature));
        }
      }
    }
  }
  return out;
}

std::vector<double> exclude(const Edges& edges, std::size_t copies, std::span<const double> x,
                            std::size_t width, Aggregate how, double temperature,
                            const std::uint8_t* mask) {
  std::vector<double> out;
  const std::size_t n = edges.size();
  for (std::size_t copy = 0; copy < copies; ++copy) {
    const auto present = [&](std::size_t e) { return mask == nullptr || mask[copy * n + e] != 0; };
    for (std::size_t e = 0; e < n; ++e) {
      for (std::size_t j = 0; j < width; ++j) {
        std::vector<double> others;
        for (std::size_t f = 0; f < n; ++f) {
          if (f != e && edges.target[f] == edges.target[e] && present(f)) {
            others.push_back(x[(copy * n + f) * width + j]);
          }
        }
        out.push_back(present(e) ? aggregate(how, others, temperature) : 0);
      }
    }
  }
  return out;
}

}  // namespace fgnn::testing
