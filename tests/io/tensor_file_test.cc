#include "fgnn/io/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using ::testing::ElementsAre;
using testing::expect_error;
using ::testing::IsEmpty;

TensorFile one_of_each() {
  TensorFile file;
  file.add_half("half", {2}, std::vector<float>{1.5f, 2049.0f});
  file.add("float", {1, 2}, std::vector<float>{0.1f, -3});
  file.add("double", {}, std::vector<double>{0.1});
  file.add("int", {1}, std::vector<std::int32_t>{-7});
  file.add("long", {1, 1}, std::vector<std::int64_t>{INT64_MIN});
  file.add("byte", {3}, std::vector<std::uint8_t>{0, 128, 255});
  return file;
}

TEST(TensorFile, NamesAndSizesOfTypes) {
  EXPECT_EQ(dtype_names(), "F16, F32, F64, I32, I64, U8");
  for (const auto& [dtype, size] : {std::pair(DType::f16, 2u),
                                    {DType::f32, 4u},
                                    {DType::f64, 8u},
                                    {DType::i32, 4u},
                                    {DType::i64, 8u},
                                    {DType::u8, 1u}}) {
    EXPECT_EQ(size_of(dtype), size);
    EXPECT_EQ(dtype_of(name(dtype)), dtype);
  }
  EXPECT_EQ(dtype_of("BF16"), std::nullopt);
  EXPECT_EQ(dtype_of(""), std::nullopt);
}

TEST(TensorFile, KeepsWhatWasAdded) {
  const TensorFile file = one_of_each();
  EXPECT_THAT(as_floats(file.at("half")), ElementsAre(1.5f, 2048.0f));
  EXPECT_THAT(as_doubles(file.at("half")), ElementsAre(1.5, 2048.0));
  EXPECT_THAT(as_floats(file.at("float")), ElementsAre(0.1f, -3.0f));
  EXPECT_THAT(as_doubles(file.at("float")), ElementsAre(double{0.1f}, -3.0));
  EXPECT_THAT(as_floats(file.at("double")), ElementsAre(0.1f));
  EXPECT_THAT(as_doubles(file.at("double")), ElementsAre(0.1));
  EXPECT_THAT(as_int64(file.at("int")), ElementsAre(-7));
  EXPECT_THAT(as_int64(file.at("long")), ElementsAre(INT64_MIN));
  EXPECT_THAT(as_int64(file.at("byte")), ElementsAre(0, 128, 255));
  EXPECT_EQ(file.at("float").count(), 2);
  EXPECT_EQ(file.at("double").count(), 1) << "no dimensions: one number";
  EXPECT_EQ(file.at("half").data.size(), 4u);
}

TEST(TensorFile, HoldsEmptyTensors) {
  TensorFile file;
  file.add("none", {3, 0}, std::span<const float>());
  EXPECT_EQ(file.at("none").count(), 0);
  EXPECT_THAT(as_floats(file.at("none")), IsEmpty());
}

TEST(TensorFile, RealAndWholeNumbersAreNotMixedUp) {
  const TensorFile file = one_of_each();
  expect_error(ErrorCode::format, "tensor 'int': holds I32, expected real numbers",
               [&] { as_floats(file.at("int")); });
  expect_error(ErrorCode::format, "tensor 'byte': holds U8, expected real numbers",
               [&] { as_doubles(file.at("byte")); });
  expect_error(ErrorCode::format, "tensor 'half': holds F16, expected whole numbers",
               [&] { as_int64(file.at("half")); });
}

TEST(TensorFile, AMissingTensorIsNamed) {
  TensorFile file = one_of_each();
  EXPECT_EQ(file.find("floats"), nullptr);
  expect_error(ErrorCode::format, "there is no tensor 'floats'; the nearest name is 'float'",
               [&] { file.at("floats"); });
  file.file = "a.safetensors";
  expect_error(ErrorCode::format, "a.safetensors: there is no tensor 'weight'",
               [&] { file.at("weight"); });
}

TEST(TensorFile, WhatDoesNotFitIsNotAdded) {
  TensorFile file = one_of_each();
  const std::vector<float> three{1, 2, 3};
  expect_error(ErrorCode::usage, "tensor 'float': is there already",
               [&] { file.add("float", {3}, three); });
  expect_error(ErrorCode::usage, "tensor 'a': 3 values for the shape [2, 2]", [&] {
    file.add("a", {2, 2}, three);
  });
  expect_error(ErrorCode::usage, "tensor 'a': 3 values for the shape [-1, -3]", [&] {
    file.add("a", {-1, -3}, three);
  });
  expect_error(ErrorCode::usage, "tensor 'a': 3 values for the shape [4]",
               [&] { file.add_half("a", {4}, three); });
  EXPECT_EQ(file.tensors.size(), 6u);
}

TEST(TensorFile, SizesThatOverflowAreNone) {
  const std::int64_t large = std::int64_t{1} << 31;
  EXPECT_EQ(bytes_of(DType::u8, std::vector{large, large}), large * large);
  EXPECT_EQ(bytes_of(DType::f16, std::vector{large, large}), std::nullopt);
  EXPECT_EQ(bytes_of(DType::u8, std::vector{large, large, large}), std::nullopt);
  EXPECT_EQ(bytes_of(DType::u8, std::vector<std::int64_t>{0, large, large, large}), std::nullopt)
      << "strides would overflow";
  EXPECT_EQ(bytes_of(DType::u8, std::vector<std::int64_t>{0, large}), 0);
  EXPECT_EQ(bytes_of(DType::u8, std::vector<std::int64_t>{-1}), std::nullopt);
  EXPECT_EQ(bytes_of(DType::u8, std::vector<std::int64_t>(64, 1)), 1);
  EXPECT_EQ(bytes_of(DType::u8, std::vector<std::int64_t>(65, 1)), std::nullopt);
}

}  // namespace
}  // namespace fgnn
