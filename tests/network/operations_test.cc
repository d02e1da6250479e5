// Every registered operation, alone: gradients against differences, float against double, parts
// against the whole.
#include "fgnn/network/operations.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "fgnn/network/learner.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/run.h"
#include "tests/places.h"
#include "tests/reference/differences.h"
#include "tests/reference/gradient.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"

namespace fgnn::network {
namespace {

using testing::random_features;
using testing::random_structure;
using testing::same_numbers;

Model model_of(const SampleProgram& sample) {
  Writer w;
  Scene scene;
  const Schema schema = sample_schema();
  scene.variable = w.add_register({Place::variable}, schema.variable_features);
  for (int r = 0; r < 2; ++r) {
    scene.factor.push_back(w.add_register({Place::factor, r}, schema.relations[r].factor_features));
    scene.kind.push_back(w.add_register({Place::kind, r}, schema.relations[r].edge_features));
  }
  w.program.variable_input = scene.variable;
  w.program.factor_input = scene.factor;
  w.program.edge_input = scene.kind;
  w.program.output = sample.write(w, scene);
  Model model;
  model.program = std::move(w.program);
  testing::draw_weights(model, 5);
  return model;
}

// Where a sample wants graphs of one size, all of them are.
std::shared_ptr<const Structure> structure_for(const Model& model, Rng& rng, std::size_t variables,
                                               std::size_t pairs, std::size_t budgets) {
  const std::size_t one_size = model.program.variables;
  return random_structure(rng, one_size > 0 ? one_size : variables, pairs, budgets);
}

class EachOperation : public ::testing::TestWithParam<SampleProgram> {};

std::vector<SampleProgram> samples() {
  auto all = sample_programs();
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Operations, EachOperation, ::testing::ValuesIn(samples()),
                         [](const auto& given) {
                           return given.param.name + "_" + std::to_string(given.index);
                         });

TEST(Operations, EveryFileHasASample) {
  std::set<std::string> with_sample, files;
  for (const auto& s : sample_programs()) with_sample.insert(s.name);
  const std::filesystem::path room =
      std::filesystem::path(FGNN_SOURCE_DIR) / "fgnn/network/operations";
  for (const auto& entry : std::filesystem::directory_iterator(room)) {
    const std::string stem = entry.path().stem();
    if (entry.path().extension() == ".cc" && stem != "check" && stem != "sample") {
      files.insert(stem);
    }
  }
  EXPECT_EQ(with_sample, files);
}

TEST_P(EachOperation, UsesItsOperation) {
  const Model model = model_of(GetParam());
  EXPECT_TRUE(std::any_of(model.program.operations.begin(), model.program.operations.end(),
                          [](const auto& o) { return o->name() == GetParam().name; }));
}

TEST_P(EachOperation, GradientEqualsDifferences) {
  Rng rng(3);
  const Model model = model_of(GetParam());
  const Batch one = random_features(rng, structure_for(model, rng, 7, 6, 4), 2);
  const Batch graphs[] = {random_features(rng, structure_for(model, rng, 7, 6, 4)),
                          random_features(rng, structure_for(model, rng, 5, 5, 3))};
  const Batch joined = Batch::of(graphs);
  for (const bool training : {true, false}) {
    testing::expect_gradient(model, {&one}, training);
    testing::expect_gradient(model, {&joined}, training);
    testing::expect_gradient(model, {&one, &joined, &graphs[0]}, training);
  }
}

TEST_P(EachOperation, FloatsAreDoublesRounded) {
  Rng rng(4);
  const Model model = model_of(GetParam());
  const Batch batch = random_features(rng, structure_for(model, rng, 9, 7, 5), 3);
  Runner<double> doubles(model);
  Runner<float> floats(model);
  const auto want = doubles.run(batch);
  EXPECT_TRUE(same_numbers(floats.run(batch), std::vector<double>(want.begin(), want.end()), 1e-4));
}

}  // namespace
}  // namespace fgnn::network
