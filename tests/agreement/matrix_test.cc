// Every method in every situation against enumeration. A method joins by being registered.
#include <gtest/gtest.h>

#include "fgnn/core/error.h"
#include "fgnn/learned/method.h"
#include "fgnn/network/model.h"
#include "fgnn/neuralize/compile.h"
#include "tests/places.h"
#include "tests/reference/agreement.h"
#include "tests/reference/scratch.h"
#include "tests/reference/situations.h"

namespace fgnn {
namespace {

constexpr std::size_t kBest = 3;

// Whether the method is made for the graph.
bool expect_agreement(const Method& method, const testing::Situation& at,
                      const MethodOptions& options = {}) {
  const testing::Truth truth = testing::truth_of(at.graph, at.evidence, options.k.value_or(1));
  const auto verdict = testing::judge(method, at.graph, at.evidence, options, truth);
  const auto where = [&] {
    return std::string(name(method.query)) + " " + method.name + ", " + at.name;
  };
  EXPECT_EQ(verdict.disagreement, "") << where();
  if (verdict.answered && at.plainly_infeasible) {
    EXPECT_EQ(*verdict.answered, Status::infeasible) << where();
  }
  return verdict.answered.has_value();
}

TEST(Matrix, RegisteredMethodsAgreeWithEnumeration) {
  for (const testing::Situation& at : testing::situations()) {
    for (const Method& method : methods()) {
      expect_agreement(method, at);
      if (!method.takes("k")) continue;
      MethodOptions options;
      options.k = kBest;
      expect_agreement(method, at, options);
    }
  }
}

TEST(Matrix, UnroundedAnswersAgreeWithEnumeration) {
  MethodOptions options;
  options.rounding = Rounding::argmax;
  for (const testing::Situation& at : testing::situations()) {
    for (const Method& method : methods()) {
      if (method.takes("rounding")) expect_agreement(method, at, options);
    }
  }
}

TEST(Matrix, TrainedNetworksAgreeWithEnumeration) {
  const Method& method = find_method(Query::map, "fgnn:" FGNN_SOURCE_DIR "/weights/d3.safetensors");
  std::size_t answered = 0;
  for (const testing::Situation& at : testing::situations()) {
    for (const Rounding rounding : {Rounding::repair, Rounding::argmax}) {
      MethodOptions options;
      options.rounding = rounding;
      answered += expect_agreement(method, at, options);
    }
  }
  EXPECT_GE(answered, 16u);
}

TEST(Matrix, CompiledNetworksAgreeWithEnumeration) {
  const testing::Scratch folder;
  for (const testing::Situation& at : testing::situations()) {
    for (const auto algorithm :
         {neuralize::Algorithm::sum_product, neuralize::Algorithm::max_product}) {
      const auto file = folder.path() / (at.name + std::string(neuralize::name(algorithm)));
      try {
        network::save_model(file, neuralize::compile(at.graph, {.algorithm = algorithm}),
                            DType::f64);
      } catch (const Error& error) {
        EXPECT_TRUE(error.code() == ErrorCode::unsupported || error.code() == ErrorCode::model ||
                    error.code() == ErrorCode::infeasible)
            << at.name << ": " << error.what();
        continue;
      }
      const std::string method = "neuralized:" + file.string();
      expect_agreement(find_method(Query::map, method), at);
      if (algorithm == neuralize::Algorithm::sum_product) {
        expect_agreement(find_method(Query::infer, method), at);
      }
    }
  }
}

}  // namespace
}  // namespace fgnn
