#include "fgnn/network/propagation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fgnn/network/builder.h"
#include "fgnn/network/run.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"

namespace fgnn::network {
namespace {

using ::testing::ElementsAre;
using testing::expect_error;
using testing::pair_and_budget;
using testing::random_features;
using testing::random_model;
using testing::random_structure;
using testing::same_numbers;

TEST(Halvings, AreTheEntriesLeftDownToTwo) {
  EXPECT_TRUE(halvings(0).empty());
  EXPECT_TRUE(halvings(1).empty());
  EXPECT_THAT(halvings(2), ElementsAre(2));
  EXPECT_THAT(halvings(3), ElementsAre(3, 2));
  EXPECT_THAT(halvings(5), ElementsAre(5, 3, 2));
  EXPECT_THAT(halvings(16), ElementsAre(16, 8, 4, 2));
  EXPECT_THAT(halvings(17), ElementsAre(17, 9, 5, 3, 2));
}

Program built(const std::string& network, Schema schema = pair_and_budget()) {
  return build({network, {}, std::move(schema)});
}

TEST(Propagation, WrongOptionsAreNamedWithTheirColumn) {
  const std::string max = ", terms=2+2, positions=2+9, slots=4+4";
  for (const auto& [network, error] : std::vector<std::pair<std::string, std::string>>{
           {"SumProduct(3)", "network, column 1 (SumProduct): ranks needs 2 numbers, one for each"},
           {"FC(2) - SumProduct(3, ranks=4)", "column 9 (SumProduct): ranks needs 2 numbers"},
           {"SumProduct(3, ranks=4+4+4)", "column 1 (SumProduct): ranks needs 2 numbers"},
           {"SumProduct(3, ranks=4+0)", "column 1 (SumProduct): ranks: must be 1 to 65536, not 0"},
           {"SumProduct(3, ranks=4+x)", "column 1 (SumProduct): ranks: 'x' is not a whole number"},
           {"SumProduct(3, ranks=4+65537)",
            "column 1 (SumProduct): ranks: must be 1 to 65536, not 65537"},
           {"SumProduct(3, ranks=4+99999999999999999999999)", "is not a whole number"},
           {"SumProduct(3, ranks=+4)", "column 1 (SumProduct): ranks: '' is not a whole number"},
           {"SumProduct(0, ranks=4+4)",
            "column 1 (SumProduct): iterations: must be 1 to 1000, not 0"},
           {"SumProduct(1001, ranks=4+4)",
            "column 1 (SumProduct): iterations: must be 1 to 1000, not 1001"},
           {"SumProduct(2, 3, ranks=4+4)", "column 1 (SumProduct): needs a number of iterations"},
           {"SumProduct(ranks=4+4)", "column 1 (SumProduct): needs a number of iterations"},
           {"SumProduct(3, rank=4+4)",
            "'rank' is not a setting of this layer; did you mean 'ranks'?"},
           {"SumProduct(3, terms=4+4)",
            "column 1 (SumProduct): 'terms' is not a setting of this layer"},
           {"SumProduct(3, ranks=4+4, tied=maybe)", "tied: 'maybe' is not a choice"},
           {"SumProduct(3, ranks=4+4, latents=2)", "latents and channels go together"},
           {"SumProduct(3, ranks=4+4, channels=2)", "latents and channels go together"},
           {"SumProduct(3, ranks=4+4, latents=0, channels=0)",
            "channels: must be 1 to 65536, not 0"},
           {"Pool(sum) - SumProduct(3, ranks=4+4)", "column 13 (SumProduct): needs variables"},
           {"SumProdukt(3, ranks=4+4)", "is not a layer; did you mean 'SumProduct'?"},
           {"MaxProduct(3)", "column 1 (MaxProduct): terms needs 2 numbers"},
           {"MaxProduct(3, terms=2+2)", "column 1 (MaxProduct): positions needs 2 numbers"},
           {"MaxProduct(3, terms=2+2, positions=2+9)", "(MaxProduct): slots needs 2 numbers"},
           {"MaxProduct(0" + max + ")",
            "column 1 (MaxProduct): iterations: must be 1 to 1000, not 0"},
           {"MaxProduct(3" + max + ", slot=3)",
            "'slot' is not a setting of this layer; did you mean 'slots'?"},
           {"MaxProduct(3" + max + ", latents=3)", "'latents' is not a setting of this layer"},
           {"2@[FC(2) - MaxProduct(x" + max + ")]",
            "column 12 (MaxProduct): iterations: 'x' is not a whole number"},
       }) {
    SCOPED_TRACE(network);
    expect_error(ErrorCode::format, error, [&] { built(network); });
  }
}

TEST(Propagation, SizesThatNobodyCanHoldAreRefused) {
  // 2^16 * 2^16 * 2^32 numbers would be none at all in 64 bits.
  expect_error(ErrorCode::format, "column 1 (MaxProduct): has too many weights",
               [] { built("MaxProduct(1, terms=65536+1, positions=65536+1, slots=1+1)"); });
  for (const char* network : {"1000@SumProduct(1000, ranks=1+1)",
                              "1000@MaxProduct(1000, terms=1+1, positions=2+9, slots=2+2)"}) {
    expect_error(ErrorCode::format, "too many iterations in all", [&] { built(network); });
  }
  EXPECT_NO_THROW(built("SumProduct(1000, ranks=1+1, latents=1, channels=1)"));
}

TEST(Propagation, MaxProductNeedsFeaturesOnFactors) {
  const Schema schema{2, {{"a", 1, 2, 0}, {"b", 0, 2, 0}}};
  expect_error(ErrorCode::format, "column 1 (MaxProduct): needs features on the factors of 'b'",
               [&] { built("MaxProduct(1, terms=2+2, positions=2+2, slots=2+2)", schema); });
  EXPECT_NO_THROW(built("SumProduct(1, ranks=2+2)", schema));
}

std::set<std::string> names(const Program& p) {
  std::set<std::string> all;
  for (const auto& parameter : p.parameters) all.insert(parameter.name);
  return all;
}

TEST(Propagation, TiedIterationsShareTheirWeights) {
  const auto one = built("SumProduct(1, ranks=3+4, tied=yes)");
  const auto tied = built("SumProduct(5, ranks=3+4, tied=yes)");
  const auto untied = built("SumProduct(5, ranks=3+4, tied=no)");
  EXPECT_EQ(names(tied), names(one));
  EXPECT_EQ(names(built("SumProduct(5, ranks=3+4)")), names(untied));  // the default
  // By iteration and relation: up, down and blend.
  EXPECT_EQ(untied.parameters.size(), one.parameters.size() + 4 * 2 * 3);
  EXPECT_EQ(tied.operations.size(), untied.operations.size());
  EXPECT_EQ(names(built("MaxProduct(5, terms=2+2, positions=2+9, slots=4+4)")),
            names(built("MaxProduct(1, terms=2+2, positions=2+9, slots=4+4)")));
}

TEST(Propagation, ParametersCountAsByHand) {
  // 2 states; pairs: 4 features, 2 kinds; budgets: 9 features, 9 kinds.
  const std::size_t unary = 2 * 2, lambda = (4 * 4 + 4 + 4 * 3 + 3) + (9 * 9 + 9 + 9 * 5 + 5),
                    tables = 2 * 2 * 2 * 3 + 2 * 9 * 2 * 5, blend = 2 * (4 * 2);
  EXPECT_EQ(built("SumProduct(4, ranks=3+5, tied=yes)").trained_numbers(),
            unary + lambda + tables + blend);
  EXPECT_EQ(built("SumProduct(4, ranks=3+5)").trained_numbers(),
            unary + lambda + 4 * (tables + blend));
  // [N, h] C + c; [N, h, channels, F, s, s of the other relation, lambda] G + g; three more rows of
  // B.
  const std::size_t channel = 2 * ((2 + 3) * 6 + 6), inputs = 2 + 3 + 6 + 2 + 3 + 3,
                    latent = (inputs + 3) * 3 + 3 + (inputs + 5) * 3 + 3;
  EXPECT_EQ(built("SumProduct(4, ranks=3+5, tied=yes, latents=3, channels=6)").trained_numbers(),
            unary + lambda + tables + blend + channel + latent + 2 * 3 * 2);
}

TEST(Propagation, OutputIsOneNumberPerState) {
  for (const char* network :
       {"SumProduct(2, ranks=3+4)", "MaxProduct(2, terms=2+3, positions=2+9, slots=4+4)"}) {
    const Program p = built(network);
    EXPECT_EQ(p.registers[p.output].place, Place{Place::variable});
    EXPECT_EQ(p.registers[p.output].width, 2u);
  }
}

TEST(Propagation, GraphsOfABatchDoNotSeeEachOther) {
  Rng rng(1);
  for (const char* network :
       {"SumProduct(3, ranks=3+4, latents=2, channels=3)",
        "MaxProduct(2, terms=2+3, positions=2+9, slots=99+99)", "2@SumProduct(2, ranks=1+1)"}) {
    SCOPED_TRACE(network);
    const Model model = random_model(network);
    const Batch graphs[] = {random_features(rng, random_structure(rng, 6, 7, 2)),
                            random_features(rng, random_structure(rng, 4, 0, 1)),
                            random_features(rng, random_structure(rng, 8, 5, 0))};
    std::vector<double> alone;
    for (const Batch& b : graphs) {
      Runner<double> runner(model);
      const auto out = runner.run(b);
      alone.insert(alone.end(), out.begin(), out.end());
    }
    Runner<double> runner(model);
    EXPECT_TRUE(same_numbers(runner.run(Batch::of(graphs)), alone, 1e-12));
  }
}

TEST(Propagation, GraphsBeyondPositionsAndSlotsAreRefused) {
  Rng rng(2);
  const Batch batch = random_features(rng, random_structure(rng, 4, 12, 1));
  Runner<double> few_slots(random_model("MaxProduct(1, terms=2+2, positions=2+9, slots=2+2)"));
  expect_error(ErrorCode::usage, "where the network knows 2", [&] { few_slots.run(batch); });
  Runner<double> few_positions(random_model("MaxProduct(1, terms=2+2, positions=1+1, slots=30+9)"));
  expect_error(ErrorCode::usage, "where the network knows 1", [&] { few_positions.run(batch); });
}

}  // namespace
}  // namespace fgnn::network
