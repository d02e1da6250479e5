// What a result keeps beside its answer, and how graphs, results and options print and compare.
#include "fgnn/infer/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "fgnn/core/parallel.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/ad3.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/methods.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn {
namespace {

using ::testing::HasSubstr;

template <class Printable>
std::string printed(const Printable& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

FactorGraph loop(double weight = 1) {
  GraphBuilder b;
  const auto x = b.variables("x", 3, 2);
  b.unary(x[0], {0, 0.5});
  b.factor({x[0], x[1]}, Table({2, 2}, {0, weight, weight, 0}));
  b.factor({x[1], x[2]}, Table({2, 2}, {0, 1, 1, 0}));
  b.factor({x[2], x[0]}, Table({2, 2}, {0, 1, 1, 0}));
  return std::move(b).build();
}

TEST(Result, KeepsTheOptionsGivenAndThoseUsed) {
  const Result r = max_product(loop(), {.iterations = 7, .single_precision = true});
  const auto* given = r.options.given_as<BpOptions>();
  const auto* used = r.options.used_as<BpOptions>();
  ASSERT_NE(given, nullptr);
  ASSERT_NE(used, nullptr);
  EXPECT_EQ(*given, (BpOptions{.iterations = 7, .single_precision = true}));
  EXPECT_EQ(given->damping, std::nullopt);
  EXPECT_EQ(used->damping, kMaxDamping);
  EXPECT_EQ(used->threads, default_threads());
  EXPECT_EQ(used->tolerance, 1e-5);  // that of single precision
  EXPECT_EQ(r.options.used_as<Ad3Options>(), nullptr);
}

TEST(Result, OfAMethodByNameKeepsWhatWasAskedOfTheName) {
  MethodOptions options;
  options.iterations = 9;
  const Result r = find_method(Query::map, "ad3").solve(loop(), options, {});
  ASSERT_NE(r.options.given_as<MethodOptions>(), nullptr);
  EXPECT_EQ(*r.options.given_as<MethodOptions>(), options);
  ASSERT_NE(r.options.used_as<Ad3Options>(), nullptr);
  EXPECT_EQ(r.options.used_as<Ad3Options>()->iterations, 9u);
}

TEST(Result, TimesOfPhasesAddUpToNoMoreThanAll) {
  for (const Method& method : methods()) {
    const Result r = method.solve(loop(), {}, {});
    double sum = 0;
    for (const Phase& phase : r.phases) sum += phase.seconds;
    EXPECT_FALSE(r.phases.empty()) << method.name;
    EXPECT_GT(sum, 0) << method.name;
    EXPECT_LE(sum, r.seconds * 1.01 + 1e-6) << method.name;
  }
}

TEST(Result, FullReportNamesGraphOptionsAndPhases) {
  const std::string report = exact_map(loop(), {.orders = 17}).full_report();
  for (const char* part : {"exact", "3 variables, 3 factors, 6 edges", "score", "gap", "orders",
                           "17", "elimination", "total"}) {
    EXPECT_THAT(report, HasSubstr(part));
  }
  const std::string open = max_product(loop()).full_report();
  EXPECT_THAT(open, ::testing::ContainsRegex("damping +- +0.3"));
}

TEST(Result, PrintsInOneLine) {
  const std::string line = printed(exact_map(loop()));
  EXPECT_THAT(line, HasSubstr("exact: exact, score 2.5, bound 2.5"));
  EXPECT_EQ(line.find('\n'), line.npos);
}

TEST(Result, EqualRunsAreEqualAndOthersAreNot) {
  const Result one = ad3(loop()), same = ad3(loop());
  EXPECT_EQ(one, same);
  EXPECT_NE(one, ad3(loop(2)));
  EXPECT_NE(one, ad3(loop(), {.iterations = 3}));
}

TEST(FactorGraph, ComparesNamesStructureAndNumbers) {
  EXPECT_EQ(loop(), loop());
  EXPECT_NE(loop(), loop(2));
  EXPECT_NE(loop(), loop().given(Evidence().fix(0, 1)));
  const auto named = [](const char* name) {
    GraphBuilder b;
    b.variables(name, 2, 2);
    return std::move(b).build();
  };
  EXPECT_EQ(named("x"), named("x"));
  EXPECT_NE(named("x"), named("y"));
}

TEST(FactorGraph, PrintsItsParts) {
  const std::string text = printed(loop());
  EXPECT_THAT(text, HasSubstr("3 variables, 3 factors, 6 edges"));
  EXPECT_THAT(text, HasSubstr("x[2]: 2 states"));
  EXPECT_THAT(text, HasSubstr("factor 0 (x[0], x[1]): table"));
}

TEST(Options, PrintAndCompare) {
  EXPECT_EQ(printed(Ad3Options{.iterations = 5}).substr(0, 12), "iterations 5");
  EXPECT_NE((Ad3Options{.iterations = 5}), Ad3Options());
  EXPECT_THAT(printed(BpOptions{.schedule = Schedule::residual}), HasSubstr("schedule residual"));
  EXPECT_THAT(printed(ExactOptions()), HasSubstr("memory 8.0 GiB"));
}

}  // namespace
}  // namespace fgnn
