#include "fgnn/network/model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/io/safetensors.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"
#include "tests/reference/scratch.h"

namespace fgnn::network {
namespace {

using testing::expect_error;
using testing::random_model;
using testing::same_numbers;
using testing::Scratch;

Model small_model() {
  Model model = random_model("FC(8) - 2*FGNN(8, q=mixture, bases=3) - Out(2)");
  model.metadata = {{"task", "pgm"}, {"epochs", "7"}};
  return model;
}

TEST(Model, WeightsAreDrawnByTheSeed) {
  Description d = describe("fgnn-8");
  d.schema = testing::pair_and_budget();
  const Model a(d, 5), b(d, 5), c(d, 6);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_NE(a.weights, c.weights);
  for (std::size_t i = 0; i < a.weights.size(); ++i) {
    const Parameter& p = a.program.parameters[i];
    EXPECT_EQ(a.weights[i].size(), p.count());
    double low = 1e9, high = -1e9;
    for (const double w : a.weights[i]) {
      low = std::min<double>(low, w);
      high = std::max<double>(high, w);
    }
    EXPECT_GE(low, p.centre - p.bound - 1e-6) << p.name;
    EXPECT_LE(high, p.centre + p.bound + 1e-6) << p.name;
    if (p.bound > 0 && p.count() > 100) {
      EXPECT_GT(high - low, p.bound) << p.name;
    }
  }
}

TEST(Model, SurvivesItsFile) {
  const Scratch scratch;
  const auto file = scratch.path() / "model.safetensors";
  const Model model = small_model();
  save_model(file, model);
  const Model again = load_model(file);
  EXPECT_EQ(again.weights, model.weights);
  EXPECT_EQ(again.metadata, model.metadata);
  EXPECT_EQ(again.description.json(), model.description.json());
  EXPECT_EQ(again.program.operations.size(), model.program.operations.size());
}

TEST(Model, SurvivesItsFileInHalves) {
  const Scratch scratch;
  const auto file = scratch.path() / "model.safetensors", second = scratch.path() / "again";
  const Model model = small_model();
  save_model(file, model, DType::f16);
  const Model again = load_model(file);
  ASSERT_EQ(again.weights.size(), model.weights.size());
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    EXPECT_TRUE(same_numbers(again.weights[i], model.weights[i], 1e-3));
  }
  EXPECT_NE(again.weights, model.weights);
  save_model(second, again, DType::f16);
  EXPECT_EQ(load_model(second).weights, again.weights);
  EXPECT_LT(2 * std::filesystem::file_size(file), 1.5 * static_cast<double>([&] {
                                                    save_model(second, model);
                                                    return std::filesystem::file_size(second);
                                                  }()));
}

TEST(Model, ErrorsNameTheTensor) {
  TensorFile file;
  const Model model = small_model();
  add_model(file, model);
  EXPECT_EQ(model_of(file, "m.st").weights, model.weights);
  for (std::size_t i = 0; i < file.tensors.size(); i += 7) {
    TensorFile without = file;
    without.tensors.erase(without.tensors.begin() + static_cast<std::ptrdiff_t>(i));
    expect_error(ErrorCode::format, "m.st: has no tensor '" + file.tensors[i].name + "'",
                 [&] { model_of(without, "m.st"); });
    TensorFile misshapen = file;
    misshapen.tensors[i].shape.push_back(1);
    expect_error(ErrorCode::format, "m.st: tensor '" + file.tensors[i].name + "' has shape",
                 [&] { model_of(misshapen, "m.st"); });
    TensorFile whole = file;
    whole.tensors[i].dtype = DType::i32;
    expect_error(ErrorCode::format, file.tensors[i].name, [&] { model_of(whole, "m.st"); });
  }
}

TEST(Model, WeightsThatAreNoNumbersAreRefused) {
  const Scratch scratch;
  for (const double odd : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    Model model = small_model();
    model.weights[1].back() = odd;
    const auto file = scratch.path() / "m.st";
    save_model(file, model);
    expect_error(ErrorCode::format,
                 fmt::format("{}: tensor 'model.{}': number {} is {}", file.string(),
                             model.program.parameters[1].name, model.weights[1].size() - 1, odd),
                 [&] { load_model(file); });
  }
}

TEST(Model, ADescriptionThatMakesNoSenseIsAFaultOfTheFile) {
  TensorFile file;
  add_model(file, small_model());
  file.metadata["architecture"] =
      R"json({"network": "FC(4", "schema": {"variable_features": 2}})json";
  expect_error(ErrorCode::format, "m.st: network, column", [&] { model_of(file, "m.st"); });
}

TEST(Model, FilesOfOthersAreRefused) {
  TensorFile file;
  expect_error(ErrorCode::format, "m.st: has no architecture", [&] { model_of(file, "m.st"); });
  file.metadata["architecture"] = "{";
  expect_error(ErrorCode::format, "m.st:1:2: the JSON ends too early",
               [&] { model_of(file, "m.st"); });
  file.metadata["architecture"] = R"json({"network": "FC(4)"})json";
  expect_error(ErrorCode::format, "variables have no features", [&] { model_of(file, "m.st"); });
  const Scratch scratch;
  expect_error(ErrorCode::io, "absent", [&] { load_model(scratch.path() / "absent"); });
}

TEST(Model, StandsBesideOtherTensors) {
  TensorFile file;
  file.add("optimiser.step", {1}, std::vector<std::int64_t>{12});
  file.metadata["epoch"] = "3";
  const Model model = small_model();
  add_model(file, model);
  const Model again = model_of(file, "m.st");
  EXPECT_EQ(again.weights, model.weights);
  EXPECT_EQ(again.metadata.at("epoch"), "3");
  EXPECT_EQ(again.metadata.at("task"), "pgm");
  EXPECT_FALSE(again.metadata.contains("architecture"));
}

}  // namespace
}  // namespace fgnn::network
