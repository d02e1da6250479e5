#include "fgnn/network/layer_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgnn/network/model.h"
#include "fgnn/network/run.h"
#include "tests/reference/expect_error.h"

namespace fgnn::network {
namespace {

using testing::expect_error;

// One variable with two features, no factors.
Description description(const std::string& network) {
  Description d;
  d.network = network;
  d.schema.variable_features = 2;
  return d;
}

Batch one_row() {
  Batch batch;
  batch.variable = {3, -4};
  batch.structure = std::make_shared<Structure>(1, std::vector<Relation>{});
  return batch;
}

void add_once() {
  static const bool done = [] {
    add_layer("Doubled", [](LayerCall& call) {
      call.variables = call.writer.add({call.variables, call.variables});
    });
    add_layer("Lost", [](LayerCall& call) { call.variables = 1000; });
    return true;
  }();
  (void)done;
}

TEST(AddedLayers, AreWrittenIntoNetworks) {
  add_once();
  Runner<double> runner(Model(description("2*Doubled()"), 0));
  EXPECT_THAT(runner.run(one_row()), ::testing::ElementsAre(12, -16));
}

TEST(AddedLayers, AreNamedOnce) {
  add_once();
  expect_error(ErrorCode::usage, "layer 'Doubled': there is one of that name",
               [] { add_layer("Doubled", [](LayerCall&) {}); });
  expect_error(ErrorCode::usage, "layer 'FGNN': there is one of that name",
               [] { add_layer("FGNN", [](LayerCall&) {}); });
  expect_error(ErrorCode::usage, "a name is letters and digits",
               [] { add_layer("two words", [](LayerCall&) {}); });
}

TEST(AddedLayers, AreSuggestedAndChecked) {
  add_once();
  expect_error(ErrorCode::format, "Doubled", [] { Model(description("Dobled()"), 0); });
  expect_error(ErrorCode::format, "does not hold its rows",
               [] { Model(description("Lost()"), 0); });
}

}  // namespace
}  // namespace fgnn::network
