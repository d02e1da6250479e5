#include "fgnn/kernels/message.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "fgnn/core/error.h"
#include "tests/kernels/tools.h"
#include "tests/reference/message.h"

namespace fgnn::kernels {
namespace {

using testing::Edges;
using testing::random_edges;

constexpr Aggregate kAggregates[] = {Aggregate::max, Aggregate::sum, Aggregate::mean,
                                     Aggregate::logsumexp, Aggregate::product};
constexpr Activation kActivations[] = {Activation::identity, Activation::relu, Activation::leaky,
                                       Activation::tanh, Activation::sigmoid};
enum class Q { identity, table, mixture, mixture_by_copy };
constexpr Q kQs[] = {Q::identity, Q::table, Q::mixture, Q::mixture_by_copy};

// Everything that a call needs.
template <class T>
struct Problem {
  MessageOptions options;
  std::size_t copies = 1, bases = 0;
  bool per_copy = false, masked = false;
  std::vector<T> target, source, matrices, coefficients;
  std::vector<std::uint8_t> mask;

  MessageInput<T> input(const Incidence* edges) const {
    const auto pointer = [](const std::vector<T>& x) { return x.empty() ? nullptr : x.data(); };
    return {edges,
            copies,
            pointer(target),
            source.data(),
            pointer(matrices),
            pointer(coefficients),
            bases,
            per_copy,
            masked ? mask.data() : nullptr};
  }
};

template <class U, class T>
Problem<U> converted(const Problem<T>& p) {
  const auto all = [](const std::vector<T>& x) { return std::vector<U>(x.begin(), x.end()); };
  return {p.options,     p.copies,      p.bases,         p.per_copy,          p.masked,
          all(p.target), all(p.source), all(p.matrices), all(p.coefficients), p.mask};
}

struct Shape {
  std::size_t hidden = 5, out = 3, copies = 1;
  bool masked = false, targets = true;
};

// Numbers are floats, so that both precisions see the same.
Problem<double> random_problem(Rng& rng, const Edges& edges, Q q, MessageOptions options,
                               const Shape& s) {
  Problem<double> p;
  p.options = std::move(options);
  p.options.hidden = q == Q::identity ? s.out : s.hidden;
  p.options.out = s.out;
  p.copies = s.copies;
  const auto numbers = [&](std::size_t n, double scale = 1) {
    const auto floats = normal_numbers<float>(rng, n, scale);
    return std::vector<double>(floats.begin(), floats.end());
  };
  const std::size_t H = p.options.hidden;
  if (s.targets) p.target = numbers(s.copies * edges.targets * H);
  p.source = numbers(s.copies * edges.sources * H);
  const double scale = 1 / std::sqrt(static_cast<double>(H));
  if (q == Q::table) p.matrices = numbers(edges.kinds * H * s.out, scale);
  if (q == Q::mixture || q == Q::mixture_by_copy) {
    p.bases = 4;
    p.per_copy = q == Q::mixture_by_copy;
    p.matrices = numbers(p.bases * H * s.out, scale);
    p.coefficients = numbers(edges.kinds * p.bases * (p.per_copy ? s.copies : 1));
  }
  p.masked = s.masked;
  for (std::size_t i = 0; i < s.copies * edges.size(); ++i) p.mask.push_back(rng.below(4) != 0);
  return p;
}

template <class T>
std::vector<T> forward(const Incidence& in, const Problem<T>& p, ArgMax* where = nullptr,
                       int threads = 1) {
  std::vector<T> out(p.copies * in.targets() * p.options.columns(),
                     std::numeric_limits<T>::quiet_NaN());
  message_forward(p.input(&in), p.options, out.data(), where, threads);
  return out;
}

template <class T>
std::vector<T> transposed(const Problem<T>& p) {
  std::vector<T> result(p.matrices.size());
  if (result.empty()) return result;
  message_transpose<T>(p.matrices.data(), result.size() / (p.options.hidden * p.options.out),
                       p.bases > 0, p.options, result.data());
  return result;
}

// The gradient of <weight, out>; buffers hold rubbish before, for the kernel overwrites them.
template <class T>
Problem<T> backward(const Incidence& in, const Problem<T>& p, const std::vector<T>& weight,
                    int threads = 1) {
  ArgMax where;
  const auto out = forward(in, p, &where, threads);
  Problem<T> g = p;
  for (auto* x : {&g.target, &g.source, &g.matrices, &g.coefficients}) {
    std::fill(x->begin(), x->end(), T(777));
  }
  message_backward<T>(p.input(&in), transposed(p).data(), p.options, out.data(), where,
                      weight.data(),
                      {p.target.empty() ? nullptr : g.target.data(), g.source.data(),
                       p.matrices.empty() ? nullptr : g.matrices.data(),
                       p.coefficients.empty() ? nullptr : g.coefficients.data()},
                      threads);
  return g;
}

void expect_twin(const Edges& edges, const Incidence& in, const Problem<double>& p) {
  const auto want = testing::message(edges, p.input(nullptr), p.options);
  EXPECT_TRUE(same_numbers(forward(in, p), want, 1e-12));
  const auto floats = forward(in, converted<float>(p));
  EXPECT_TRUE(same_numbers(floats, want, 2e-4));
  ArgMax where;  // asked for, nothing else changes
  EXPECT_EQ(forward(in, converted<float>(p), &where), floats);
}

void expect_differences(const Incidence& in, Problem<double>& p, Rng& rng, std::size_t most = 8) {
  const auto weight = normal_numbers<double>(rng, p.copies * in.targets() * p.options.columns());
  const auto g = backward(in, p, weight);
  const auto value = [&] { return dot(forward(in, p), weight); };
  expect_gradient(p.source, g.source, value, "source", rng, most);
  expect_gradient(p.target, g.target, value, "target", rng, most);
  expect_gradient(p.matrices, g.matrices, value, "matrices", rng, most);
  expect_gradient(p.coefficients, g.coefficients, value, "coefficients", rng, most);
}

class Messages : public ::testing::TestWithParam<std::tuple<Aggregate, Activation, Q>> {
 protected:
  MessageOptions options() const {
    return {0, 0, std::get<1>(GetParam()), {std::get<0>(GetParam())}, 0.7};
  }
  Q q() const { return std::get<2>(GetParam()); }
};

TEST_P(Messages, ForwardEqualsTheReadableTwin) {
  Rng rng(1);
  for (const std::size_t copies : {1u, 3u}) {
    for (const bool masked : {false, true}) {
      for (const std::size_t block : {8u, 512u}) {
        const Edges edges = random_edges(rng, 9, 7, 3, 40);
        const Incidence in = edges.incidence(block);
        EXPECT_EQ(in.closed(), block == 512);
        const Shape shape{6, 5, copies, masked, copies == 1};
        expect_twin(edges, in, random_problem(rng, edges, q(), options(), shape));
      }
    }
  }
}

TEST_P(Messages, BackwardEqualsDifferences) {
  Rng rng(2);
  for (const std::size_t copies : {1u, 3u}) {
    for (const bool masked : {false, true}) {
      const Edges edges = random_edges(rng, 6, 5, 3, 16);
      const Incidence in = edges.incidence(masked ? 6 : 512);
      auto p = random_problem(rng, edges, q(), options(), {4, 3, copies, masked, true});
      expect_differences(in, p, rng);
    }
  }
}

std::string case_name(const ::testing::TestParamInfo<Messages::ParamType>& info) {
  constexpr const char* qs[] = {"identity", "table", "mixture", "mixture_by_copy"};
  return fmt::format("{}_{}_q_{}", name_of(std::get<0>(info.param)),
                     name_of(std::get<1>(info.param)),
                     qs[static_cast<int>(std::get<2>(info.param))]);
}
INSTANTIATE_TEST_SUITE_P(All, Messages,
                         ::testing::Combine(::testing::ValuesIn(kAggregates),
                                            ::testing::ValuesIn(kActivations),
                                            ::testing::ValuesIn(kQs)),
                         case_name);

const MessageOptions kAllAggregates{
    0,
    0,
    Activation::tanh,
    {Aggregate::sum, Aggregate::max, Aggregate::product, Aggregate::mean, Aggregate::logsumexp},
    0.5};

TEST(Message, AggregatorsStandSideBySide) {
  Rng rng(3);
  for (const Q q : kQs) {
    for (const bool masked : {false, true}) {
      const Edges edges = random_edges(rng, 7, 6, 2, 25);
      const Incidence in = edges.incidence(10);
      auto p = random_problem(rng, edges, q, kAllAggregates, {4, 3, 2, masked, true});
      expect_twin(edges, in, p);
      expect_differences(in, p, rng, 16);
    }
  }
}

// Vectors and what is left of them, both precisions.
TEST(Message, WidthsBesideTheVectorLength) {
  Rng rng(4);
  for (const std::size_t width : {1u, 2u, 3u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u, 48u, 65u}) {
    for (const Q q : kQs) {
      const Edges edges = random_edges(rng, 6, 6, 2, 20);
      const Incidence in = edges.incidence();
      for (const Activation f : {Activation::relu, Activation::tanh}) {
        const MessageOptions options{0, 0, f, {Aggregate::max, Aggregate::sum}, 1};
        auto p = random_problem(rng, edges, q, options, {width + 2, width, 2, true, true});
        expect_twin(edges, in, p);
        const auto weight = normal_numbers<double>(rng, 2 * in.targets() * p.options.columns());
        const auto g = backward(in, p, weight);
        const auto f32 =
            backward(in, converted<float>(p), std::vector<float>(weight.begin(), weight.end()));
        EXPECT_TRUE(same_numbers(f32.source, g.source, 1e-3));
        EXPECT_TRUE(same_numbers(f32.target, g.target, 1e-3));
        EXPECT_TRUE(same_numbers(f32.matrices, g.matrices, 1e-3));
        EXPECT_TRUE(same_numbers(f32.coefficients, g.coefficients, 1e-3));
      }
    }
  }
}

// Targets 0 and 1 have no edges, target 2 has `degree`, others a few.
Edges star(Rng& rng, std::size_t degree) {
  Edges edges = random_edges(rng, 6, 9, 2, 12);
  for (auto& t : edges.target) t = 3 + t % 3;
  for (std::size_t e = 0; e < degree; ++e) {
    edges.target.push_back(2);
    edges.source.push_back(static_cast<Index>(rng.below(9)));
    edges.kind.push_back(static_cast<Index>(rng.below(2)));
  }
  return edges;
}

TEST(Message, DegreesAboveAByte) {
  Rng rng(5);
  for (const std::size_t degree : {254u, 255u, 256u, 300u, 700u}) {
    for (const bool masked : {false, true}) {
      // Targets differ from source to source: no two messages of a node tie.
      const Edges edges = star(rng, degree);
      const Incidence in = edges.incidence();
      ASSERT_EQ(in.largest_degree(), degree);
      const MessageOptions options{0, 0, Activation::tanh, {Aggregate::max, Aggregate::sum}, 1};
      auto p = random_problem(rng, edges, Q::mixture_by_copy, options, {5, 3, 2, masked, true});
      expect_twin(edges, in, p);
      ArgMax where;
      forward(in, p, &where);
      EXPECT_EQ(where.narrow.empty(), degree > 255);
      EXPECT_EQ(where.wide.empty(), degree <= 255);
      expect_differences(in, p, rng, 12);
    }
  }
}

// The kernel keeps the slot of a maximum: with all sources apart, only one gets the gradient.
TEST(Message, AMaximumGivesItsGradientToOneEdge) {
  for (const std::size_t degree : {7u, 200u, 400u}) {
    Edges edges{1, degree, 1, {}, {}, {}};
    for (Index e = 0; e < degree; ++e) {
      edges.target.push_back(0);
      edges.source.push_back(e);
      edges.kind.push_back(0);
    }
    const Incidence in = edges.incidence();
    Problem<float> p;
    p.options = {2, 2, Activation::identity, {Aggregate::max}, 1};
    p.source.assign(2 * degree, 1);  // ties: the first has it
    p.source[2 * (degree - 1) + 1] = 2;
    p.masked = true;
    p.mask.assign(degree, 1);
    p.mask[0] = 0;
    const auto g = backward(in, p, {5, 7});
    std::vector<float> want(2 * degree);
    want[2] = 5;
    want[2 * (degree - 1) + 1] = 7;
    EXPECT_EQ(g.source, want);
  }
}

TEST(Message, ArgMaxMayBeUsedAgainForAnotherDegree) {
  Rng rng(6);
  const MessageOptions options{0, 0, Activation::tanh, {Aggregate::max}, 1};
  ArgMax where;
  for (const std::size_t degree : {300u, 20u, 400u, 30u}) {
    const Edges edges = star(rng, degree);
    const Incidence in = edges.incidence();
    const auto p = random_problem(rng, edges, Q::table, options, {5, 3, 2, false, true});
    const auto weight = normal_numbers<double>(rng, 2 * in.targets() * 3);
    const auto out = forward(in, p, &where);
    std::vector<double> source(p.source.size());
    message_backward<double>(p.input(&in), transposed(p).data(), p.options, out.data(), where,
                             weight.data(), {nullptr, source.data(), nullptr, nullptr}, 1);
    EXPECT_EQ(source, backward(in, p, weight).source);
  }
}

TEST(Message, NodesWithoutMessagesGetZeroAndOneAsAProduct) {
  const Edges edges{3, 1, 1, {1, 2}, {0, 0}, {0, 0}};
  const Incidence in = edges.incidence();
  Problem<double> p;
  p.options = kAllAggregates;
  p.options.hidden = p.options.out = 1;
  p.options.activation = Activation::identity;
  p.source = {-3};
  p.masked = true;
  p.mask = {1, 0};  // target 0 has no edge, target 2 only one that is taken out
  const std::vector<double> empty{0, 0, 1, 0, 0}, one{-3, -3, -3, -3, -3};
  std::vector<double> want = empty;
  want.insert(want.end(), one.begin(), one.end());
  want.insert(want.end(), empty.begin(), empty.end());
  EXPECT_TRUE(same_numbers(forward(in, p), want, 1e-15));
  const auto g = backward(in, p, std::vector<double>(15, 1));
  EXPECT_TRUE(same_numbers(g.source, std::vector<double>{5}, 1e-14));
}

TEST(Message, ProductsWithZerosHaveExactGradients) {
  Edges edges{3, 9, 1, {}, {}, {}};  // no zero, one, two
  for (Index e = 0; e < 9; ++e) {
    edges.target.push_back(e / 3);
    edges.source.push_back(e);
    edges.kind.push_back(0);
  }
  const Incidence in = edges.incidence();
  Problem<double> p;
  p.options = {1, 1, Activation::identity, {Aggregate::product}, 1};
  p.source = {2, -3, 5, 2, 0, -5, 0, 7, 0};
  EXPECT_TRUE(same_numbers(forward(in, p), std::vector<double>{-30, 0, 0}, 1e-13));
  const auto g = backward(in, p, {1, 1, 1});
  EXPECT_TRUE(same_numbers(g.source, std::vector<double>{-15, 10, -6, 0, -10, 0, 0, 0, 0}, 1e-13));
}

TEST(Message, LongProductsNeitherOverflowNorVanishOnTheWay) {
  Edges edges{1, 200, 1, {}, {}, {}};
  Problem<float> p;
  p.options = {1, 1, Activation::identity, {Aggregate::product}, 1};
  for (Index e = 0; e < 200; ++e) {
    edges.target.push_back(0);
    edges.source.push_back(e);
    edges.kind.push_back(0);
    p.source.push_back(e < 100 ? -1e3f : 1e-3f);
  }
  EXPECT_NEAR(forward(edges.incidence(), p)[0], 1, 1e-3);
}

TEST(Message, LogSumExpOfFarNumbersIsTheMaximum) {
  const Edges edges{1, 3, 1, {0, 0, 0}, {0, 1, 2}, {0, 0, 0}};
  const Incidence in = edges.incidence();
  Problem<float> p;
  p.options = {1, 1, Activation::identity, {Aggregate::logsumexp}, 0.01};
  p.source = {-2000, 3000, 1000};
  EXPECT_EQ(forward(in, p), std::vector<float>{3000});
  EXPECT_EQ(backward(in, p, {2}).source, (std::vector<float>{0, 2, 0}));
}

TEST(Message, ANaNShowsInTheMaximumWhereverItStands) {
  for (const std::size_t degree : {5u, 300u}) {
    Edges edges{1, degree, 1, {}, {}, {}};
    for (Index e = 0; e < degree; ++e) {
      edges.target.push_back(0);
      edges.source.push_back(e);
      edges.kind.push_back(0);
    }
    const Incidence in = edges.incidence();
    for (const std::size_t at : {std::size_t{0}, degree / 2, degree - 1}) {
      Problem<float> p;
      p.options = {19, 19, Activation::identity, {Aggregate::max}, 1};
      p.source.assign(19 * degree, 1);
      std::fill_n(&p.source[19 * at], 19, std::numeric_limits<float>::quiet_NaN());
      ArgMax where;
      for (const float x : forward(in, p)) EXPECT_TRUE(std::isnan(x));
      for (const float x : forward(in, p, &where)) EXPECT_TRUE(std::isnan(x));
    }
  }
}

// A grid-like graph of many blocks, not closed; a chain whose blocks are; one block of many copies.
struct Layout {
  Edges edges;
  std::size_t block_edges, copies;
};
std::vector<Layout> layouts(Rng& rng) {
  std::vector<Layout> all;
  all.push_back({random_edges(rng, 200, 150, 3, 900), 64, 1});
  all.push_back({random_edges(rng, 200, 150, 3, 900), 64, 5});
  all.push_back({random_edges(rng, 20, 10, 3, 60), 512, 40});
  Edges closed{300, 300, 2, {}, {}, {}};
  for (Index t = 0; t < 300; ++t) {
    for (Index k = 0; k < 3; ++k) {
      closed.target.push_back(t);
      closed.source.push_back(t / 10 * 10 + static_cast<Index>(rng.below(10)));
      closed.kind.push_back(static_cast<Index>(rng.below(2)));
    }
  }
  all.push_back({closed, 60, 2});
  return all;
}

TEST(Message, ThreadsAgreeUpToRoundingAndRepeatExactly) {
  Rng rng(7);
  for (const auto& [edges, block_edges, copies] : layouts(rng)) {
    const Incidence in = edges.incidence(block_edges);
    for (const Q q : kQs) {
      for (const bool masked : {false, true}) {
        const auto p = random_problem(rng, edges, q, kAllAggregates, {9, 7, copies, masked, true});
        const auto weight = normal_numbers<double>(rng, copies * in.targets() * 35);
        const auto one = backward(in, p, weight, 1), two = backward(in, p, weight, 2),
                   again = backward(in, p, weight, 2), first_again = backward(in, p, weight, 1);
        EXPECT_EQ(forward(in, p, nullptr, 1), forward(in, p, nullptr, 2));
        for (const auto member : {&Problem<double>::target, &Problem<double>::source,
                                  &Problem<double>::matrices, &Problem<double>::coefficients}) {
          EXPECT_TRUE(same_numbers(one.*member, two.*member, 1e-11));
          EXPECT_EQ(two.*member, again.*member);
          EXPECT_EQ(one.*member, first_again.*member);
        }
      }
    }
  }
}

TEST(Message, BlocksChangeNothingButTheOrderOfSums) {
  Rng rng(8);
  for (const auto& layout : layouts(rng)) {
    const Incidence small = layout.edges.incidence(layout.block_edges);
    const Incidence whole = layout.edges.incidence(1u << 20);
    ASSERT_EQ(whole.blocks().size(), 1u);
    for (const Q q : kQs) {
      const auto p =
          random_problem(rng, layout.edges, q, kAllAggregates, {9, 7, layout.copies, true, true});
      EXPECT_TRUE(same_numbers(forward(small, p), forward(whole, p), 1e-12));
      const auto weight = normal_numbers<double>(rng, layout.copies * small.targets() * 35);
      const auto a = backward(small, p, weight), b = backward(whole, p, weight);
      EXPECT_TRUE(same_numbers(a.target, b.target, 1e-10));
      EXPECT_TRUE(same_numbers(a.source, b.source, 1e-10));
      EXPECT_TRUE(same_numbers(a.matrices, b.matrices, 1e-10));
      EXPECT_TRUE(same_numbers(a.coefficients, b.coefficients, 1e-10));
    }
  }
}

TEST(Message, GradientsNotAskedForAreLeftOut) {
  Rng rng(9);
  const Edges edges = random_edges(rng, 9, 7, 3, 40);
  const Incidence in = edges.incidence(8);
  const auto p = random_problem(rng, edges, Q::mixture, kAllAggregates, {6, 5, 2, false, true});
  const auto weight = normal_numbers<double>(rng, 2 * 9 * 25);
  const auto all = backward(in, p, weight);
  ArgMax where;
  const auto out = forward(in, p, &where);
  for (int asked = 0; asked < 16; ++asked) {
    auto g = p;
    message_backward<double>(
        p.input(&in), transposed(p).data(), p.options, out.data(), where, weight.data(),
        {asked & 1 ? g.target.data() : nullptr, asked & 2 ? g.source.data() : nullptr,
         asked & 4 ? g.matrices.data() : nullptr, asked & 8 ? g.coefficients.data() : nullptr},
        1);
    EXPECT_EQ(g.target, asked & 1 ? all.target : p.target);
    EXPECT_EQ(g.source, asked & 2 ? all.source : p.source);
    EXPECT_EQ(g.matrices, asked & 4 ? all.matrices : p.matrices);
    EXPECT_EQ(g.coefficients, asked & 8 ? all.coefficients : p.coefficients);
  }
}

TEST(Aggregate, NamesAreRead) {
  for (const Aggregate a : kAggregates) EXPECT_EQ(from_word<Aggregate>(name_of(a)), a);
  for (const Activation f : kActivations) EXPECT_EQ(from_word<Activation>(name_of(f)), f);
  EXPECT_THROW(from_word<Aggregate>("median"), Error);
  EXPECT_THROW(from_word<Activation>("gelu"), Error);
}

}  // namespace
}  // namespace fgnn::kernels
