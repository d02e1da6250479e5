#include "fgnn/network/builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/reference/expect_error.h"
#include "tests/reference/random_batch.h"

namespace fgnn::network {
namespace {

using testing::expect_error;
using testing::pair_and_budget;

Program built(const std::string& network, Schema schema = pair_and_budget(),
              std::map<std::string, std::string> defaults = {{"norm", "batch"}}) {
  return build({network, std::move(defaults), std::move(schema)});
}

// What those who run a program rely on: registers are written before they are read, once. That they
// fit was checked when the operations were added.
void expect_sound(const Program& p) {
  std::set<int> written{p.variable_input};
  for (const int r : p.factor_input) written.insert(r);
  for (const int r : p.edge_input) written.insert(r);
  for (const auto& operation : p.operations) {
    EXPECT_NO_THROW(operation->check(p));
    const Ports ports = operation->ports();
    for (const int r : ports.inputs) {
      EXPECT_TRUE(r < 0 || written.contains(r)) << operation->name() << ", register " << r;
    }
    EXPECT_TRUE(written.insert(ports.output).second) << operation->name() << ", " << ports.output;
    for (const int r : ports.again) {
      EXPECT_TRUE(r < 0 || written.contains(r)) << operation->name() << ", register " << r;
    }
    for (const int q : ports.parameters) {
      EXPECT_LT(q, static_cast<int>(p.parameters.size())) << operation->name();
    }
  }
  EXPECT_TRUE(written.contains(p.output));
  std::set<std::string> names;
  for (const auto& parameter : p.parameters) EXPECT_TRUE(names.insert(parameter.name).second);
}

TEST(Build, EveryPresetBuilds) {
  for (const auto& preset : presets()) {
    SCOPED_TRACE(preset.name);
    Description d = describe(preset.name);
    d.schema = pair_and_budget();
    const Program p = build(d);
    expect_sound(p);
    EXPECT_EQ(p.registers[p.output].width, 2u);
    EXPECT_EQ(p.registers[p.output].place, Place{Place::variable});
    EXPECT_GT(p.trained_numbers(), 1000u);
  }
}

TEST(Build, EveryOptionBuilds) {
  for (const char* options : {"q=table",
                              "q=mixture, bases=3, q_hidden=5",
                              "q=mlp, q_hidden=4",
                              "q=identity",
                              "aggregate=max+sum+mean+logsumexp+product, temperature=0.5",
                              "m=7",
                              "m=7+5",
                              "m=7+5+3",
                              "m=7+8, q=identity",
                              "update=no",
                              "norm=none",
                              "norm=layer",
                              "norm=instance",
                              "norm=layer, normed=sum",
                              "norm=none, normed=sum",
                              "residual=no",
                              "order=together",
                              "form=message",
                              "form=message, q=mixture, m=3",
                              "activation=tanh",
                              "activation=identity, norm=none, update=no",
                              "to_factor=max+sum, to_variable=mean",
                              "factor=5",
                              "factor=5, m=6, order=together",
                              "q=mixture, mix=table",
                              "edges=yes",
                              "relation=pair",
                              "relation=budget+pair, updated=identity",
                              "edges=yes, m=7+5, q=mlp"}) {
    SCOPED_TRACE(options);
    expect_sound(built(std::string("FC(8) - 2*FGNN(8, ") + options + ") - Out(3)"));
    expect_sound(built(std::string("FC(8) - 2@Res[FC(8) - FGNN(8)] - FGNN(8, ") + options + ")"));
  }
  expect_sound(built("FC(8) - Global(mean) - Pool(max) - FC(7) - Res[FC(7)] - Out(3)"));
  expect_sound(built("FC(8) - Cat[2*FGNN(8)] - Set2Set(2) - Cat[FC(7)] - Unit() - Times(9)"));
  expect_sound(built("FC(8, relation=none) - 3*Pairs(8, relation=pair, q=diagonal, m=5)"));
  expect_sound(built("FC(8) - 3*Pairs(8, relation=pair, q=mixture, aggregate=mean)"));
  expect_sound(built("Factors(3) - Factors(4, relation=budget, aggregate=product) - FGNN(4)"));
  for (const char* options : {"", ", root=yes, q_bias=yes, received=tanh", ", direction=backward",
                              ", direction=symmetric, aggregate=mean"}) {
    expect_sound(built(std::string("FC(8) - 3@MPNN(8") + options + ") - Out(3)"));
  }
  Schema one_size = pair_and_budget();
  one_size.variables = 9;
  expect_sound(
      built("GraphConv(8, norm=position) - GraphConv(3) - FGNN(8, norm=position)", one_size));
  for (const char* rows : {"", ", rows=no", ", rows=yes"}) {
    expect_sound(built(std::string("FC(8) - Dropout(0.3") + rows + ") - Out(3)"));
  }
  for (const char* network :
       {"SumProduct(3, ranks=4+5) - Out(3)", "2@SumProduct(3, ranks=4+5, tied=yes) - Pool(max)",
        "FC(3) - Res[SumProduct(2, ranks=1+2, latents=3, channels=2)] - FGNN(4)",
        "MaxProduct(3, terms=4+5, positions=2+9, slots=3+2) - Out(3)",
        "FGNN(6) - 2*MaxProduct(1, terms=1+1, positions=1+1, slots=1+1)"}) {
    SCOPED_TRACE(network);
    expect_sound(built(network));
  }
}

TEST(Build, RelationsMayHaveNoFeatures) {
  const Schema bare{1, {{"r", 0, 3, 0}}};
  for (const char* network : {"FGNN(4) - Out(2)", "2*FGNN(4, form=message) - Out(2)",
                              "FGNN(4, order=together) - FGNN(4, order=together)",
                              "SumProduct(2, ranks=3, latents=2, channels=2)"}) {
    const Program p = built(network, bare);
    expect_sound(p);
    EXPECT_EQ(p.factor_input[0], -1);
  }
  expect_sound(built("FC(4) - FGNN(4) - Out(2)", {1, {}}));  // no factors at all
}

TEST(Build, RepeatsHaveTheirOwnWeightsUnlessTied) {
  const auto count = [](const std::string& network) { return built(network).trained_numbers(); };
  const auto messages = [](const std::string& network) {
    const auto all = built(network).operations;
    return std::count_if(all.begin(), all.end(),
                         [](const auto& o) { return o->name() == "message"; });
  };
  for (const char* options : {"", ", q=mixture", ", form=message", ", q=mlp, q_hidden=3"}) {
    const std::string layer = std::string("FGNN(8") + options + ")";
    const std::size_t start = count("FC(8)"), one = count("FC(8) - " + layer) - start;
    if (std::string(options) == ", form=message") {
      // Only the first layer starts the latents of the edges.
      const std::size_t more = count("FC(8) - 2*" + layer) - start - one;
      EXPECT_EQ(one - more, 2 * (8 * 8 + 8u));
      EXPECT_EQ(count("FC(8) - 5*" + layer), start + one + 4 * more);
    } else {
      EXPECT_EQ(count("FC(8) - 5*" + layer), start + 5 * one) << options;
    }
    EXPECT_EQ(count("FC(8) - 5@" + layer), start + one) << options;
    EXPECT_EQ(count("FC(8) - 3*[2@" + layer + "]"), count("FC(8) - 3*" + layer)) << options;
    EXPECT_EQ(count("FC(8) - 3@[2*" + layer + "]"), count("FC(8) - 2*" + layer)) << options;
    // Coefficients of mixtures are made once where they are the same; messages are passed anew.
    EXPECT_EQ(messages("FC(8) - 5@" + layer), messages("FC(8) - 5*" + layer)) << options;
  }
  expect_error(ErrorCode::format, "column 3 (FGNN): weights used again have another shape",
               [] { built("2@FGNN(8)"); });
}

// FC(4) of 2 numbers on variables, 4 on pairs and 9 on budgets, without norm: weights and biases.
TEST(Build, ParametersCountAsByHand) {
  const std::map<std::string, std::string> none{{"norm", "none"}}, batch{{"norm", "batch"}};
  EXPECT_EQ(built("FC(4)", pair_and_budget(), none).trained_numbers(), (2 + 4 + 9 + 3) * 4u);
  // A norm brings scale and shift and makes the bias needless; its moments are not trained.
  EXPECT_EQ(built("FC(4)", pair_and_budget(), batch).trained_numbers(), (2 + 4 + 9 + 3 * 2) * 4u);
  const Schema one{4, {{"r", 5, 3, 0}}};
  // vf: 4x6+6 source, 5x6 target, 3x6x7 Q, 7x7+7; fv: 7x6+6, 4x6, 3x6x7, 7x7+7.
  EXPECT_EQ(built("FGNN(7, m=6)", one, none).trained_numbers(),
            4 * 6 + 6 + 5 * 6 + 3 * 6 * 7 + 7 * 7 + 7 + 7 * 6 + 6 + 4 * 6 + 3 * 6 * 7 + 7 * 7 + 7u);
}

TEST(Build, ResidualsNeedTheSameWidthAtBothEnds) {
  EXPECT_NO_THROW(built("FC(4) - Res[FC(8) - FGNN(4)]"));
  expect_error(ErrorCode::format, "network, column 9 (Res): its end has width 8, its beginning 4",
               [] { built("FC(4) - Res[FC(4) - FGNN(8)]"); });
  expect_error(ErrorCode::format, "column 1 (Res): its end has width 3, its beginning 2",
               [] { built("Res[FC(3)]"); });
  // Variables agree, factors do not.
  expect_error(ErrorCode::format, "column 1 (Res): its end has width 2, its beginning 4",
               [] { built("Res[FC(2)]"); });
}

// Networks, and what is said of them.
const std::pair<const char*, const char*> kWrongNetworks[] = {
    {"FC(4) - FGN(4)", "column 9 (FGN): is not a layer"},
    {"FC(4) - FGN(4)", "did you mean 'FGNN'"},
    {"FC(x)", "column 1 (FC): 'x' is not a width"},
    {"FC(0)", "column 1 (FC): '0' is not a width"},
    {"FC(65537)", "column 1 (FC): '65537' is not a width"},
    {"FC(99999999999999999999999)", "is not a width"},
    {"FC()", "column 1 (FC): needs one width"},
    {"FC(4, 5)", "column 1 (FC): needs one width"},
    {"2*FGNN(8, q=tble)",
     "column 3 (FGNN): q: must be table, mixture, mlp, identity or diagonal, not 'tble'"},
    {"2*FGNN(8, q=tble)", "did you mean 'table'"},
    {"FC(4) - FGNN(8, colour=red)", "column 9 (FGNN): 'colour' is not a setting of this layer"},
    {"FC(4) - FGNN(8, normm=none)", "did you mean 'norm'"},
    {"FC(4) - FGNN(8, aggregate=median)",
     "column 9 (FGNN): aggregate: 'median' is not an aggregator"},
    {"FC(4) - FGNN(8, aggregate=max+)", "column 9 (FGNN): aggregate: '' is not an aggregator"},
    {"FC(4) - FGNN(8, aggregate=+max)", "column 9 (FGNN): aggregate: '' is not an aggregator"},
    {"FC(4) - FGNN(8, activation=gelu)",
     "column 9 (FGNN): activation: 'gelu' is not an activation"},
    {"FC(4) - FGNN(8, temperature=0)", "column 9 (FGNN): temperature: must be above 0, not 0"},
    {"FC(4) - FGNN(8, temperature=1x)", "column 9 (FGNN): temperature: '1x' is not a number"},
    {"FC(4) - FGNN(8, temperature=nan)",
     "column 9 (FGNN): temperature: 'nan' is not a finite number"},
    {"FC(4) - FGNN(8, norm=group)", "column 9 (FGNN): norm: 'group' is not a norm"},
    {"FC(4) - FGNN(8, update=maybe)", "column 9 (FGNN): update: 'maybe' is not a choice"},
    {"FC(4) - FGNN(8, m=3+0)", "column 9 (FGNN): m: must be 1 to 65536, not 0"},
    {"FC(4) - FGNN(8, q=identity, m=4)", "column 9 (FGNN): q=identity needs m's last width"},
    {"FC(4) - FGNN(8, form=message, aggregate=max+sum)", "form=message takes one aggregator"},
    {"Conv(4)", "column 1 (Conv): needs an image; begin with Image(16, 8)"},
    {"Image(1, 2) - FC(4) - Conv(4)", "column 23 (Conv): needs an image"},
    {"Image(1, 3)", "column 1 (Image): variables have 2 numbers, not a multiple of 1 x 3"},
    {"Image(2)", "column 1 (Image): needs a height and a width"},
    {"Image(1, 2) - Conv(4, size=2)", "column 15 (Conv): size: must be odd, up to 15, not 2"},
    {"Image(1, 2) - Conv(4, pool=17)", "column 15 (Conv): pool: must be 1 to 16, not 17"},
    {"Image(1, 2) - Conv(4, norm=layer)", "column 15 (Conv): a convolution has norm=batch"},
    {"Image(1, 2) - Conv(4, pol=2)", "column 15 (Conv): 'pol' is not a setting of this layer"},
    {"Dropout(1)", "column 1 (Dropout): needs a probability below 1"},
    {"Dropout(0.5, row=yes)", "column 1 (Dropout): 'row' is not a setting of this layer"},
    {"Dropout(0.5, rows=maybe)", "column 1 (Dropout): rows: 'maybe' is not a choice"},
    {"Pool(sum) - FC(4, norm=instance)",
     "column 13 (FC): norm=instance leaves nothing of the one row of a graph"},
    {"FGNN(4, rank=3, aggregate=max+sum)", "column 1 (FGNN): rank takes one aggregator"},
    {"FGNN(4, rank=3, aggregate=mean)", "rank takes aggregate=sum, product or max"},
    {"FGNN(4, rank=3, form=message)", "rank takes neither form=message nor m"},
    {"FGNN(4, rank=3, factor=2)", "column 1 (FGNN): rank takes no factor width"},
    {"FGNN(4, rank=3, edges=yes)", "rank takes no features of edges in M"},
    {"FGNN(4, rank=3, aggregate=sum, to_variable=max)", "rank sums what comes to variables"},
    {"FGNN(4, form=message, to_variable=mean)", "form=message sums what comes to variables"},
    {"FGNN(4, to_factor=largest)", "column 1 (FGNN): to_factor: 'largest' is not an aggregator"},
    {"FGNN(4, factor=0)", "column 1 (FGNN): factor: must be 1 to 65536, not 0"},
    {"FGNN(4, factor=3, q=identity)", "column 1 (FGNN): q=identity needs m's last width"},
    {"FGNN(4, q=mixture, mix=tabel)",
     "column 1 (FGNN): mix: must be network or table, not 'tabel'"},
    {"FGNN(4, norm=position)", "column 1 (FGNN): norm=position needs graphs of one size"},
    {"Image(1, 2) - Conv(4, norm=position)", "a convolution has norm=batch or none"},
    {"GraphConv(4)", "column 1 (GraphConv): needs graphs of one size; give \"variables\""},
    {"Pool(sum) - GraphConv(4)", "column 13 (GraphConv): needs variables"},
    {"MPNN(4, aggregate=max)", "column 1 (MPNN): takes aggregate=sum or mean"},
    {"MPNN(4, direction=left)",
     "column 1 (MPNN): direction: must be both, forward, backward or symmetric, not 'left'"},
    {"Set2Set(0)", "column 1 (Set2Set): '0' is not a width"},
    {"Set2Set(101)", "column 1 (Set2Set): takes up to 100 steps"},
    {"30*Cat[Unit()]", "makes rows of more than 2^20 numbers"},
    {"Pool(sum) - Set2Set(3)", "column 13 (Set2Set): there are no variables left"},
    {"Cat[Pool(sum)]", "column 1 (Cat): begins with variables and ends with the graph alone"},
    {"Unit(3)", "column 1 (Unit): has no width; write Unit()"},
    {"Times()", "column 1 (Times): needs the number to begin with"},
    {"Times(0)", "column 1 (Times): needs the number to begin with"},
    {"Times(1x)", "column 1 (Times): '1x' is not a number"},
    {"Factors(3, relation=pairs)", "column 1 (Factors): there is no relation 'pairs'"},
    {"FGNN(3, relation=pair+pairs)", "column 1 (FGNN): there is no relation 'pairs'"},
    {"FC(3, first=2)", "column 1 (FC): variables come with 2 numbers"},
    {"Pool(sum, moments=3)", "column 1 (Pool): moments=k needs first and columns"},
    {"FGNN(3, form=message, relation=pair)", "column 1 (FGNN): form=message takes all relations"},
    {"Factors(3, first=2)", "column 1 (Factors): variables come with 2 numbers"},
    {"Factors(3, first=1, columns=2)", "column 1 (Factors): variables come with 2 numbers"},
    {"Factors(3, q=identity)", "column 1 (Factors): q=identity takes the 2 numbers of variables"},
    {"Factors(3, q=mlp)", "column 1 (Factors): takes q=table or q=identity"},
    {"Factors(3, aggregate=max+sum)", "column 1 (Factors): takes one aggregator"},
    {"Pairs(3)", "column 1 (Pairs): needs one relation; name it: relation=…"},
    {"Pairs(3, relation=pair)", "column 1 (Pairs): takes q=diagonal or q=mixture"},
    {"Pairs(3, relation=pair, q=diagonal, aggregate=max+sum)", "(Pairs): takes one aggregator"},
    {"Pairs(3, relation=ring, q=diagonal)", "(Pairs): there is no relation 'ring'"},
    {"FGNN(3, q=diagonal)", "column 1 (FGNN): q=diagonal is for Pairs"},
    {"FGNN(3, form=message, relation=pair)", "form=message takes all relations"},
    {"FGNN(3, updated=round)", "updated"},
    {"Pool(max) - Chain(2)", "column 13 (Chain): needs variables"},
    {"Pool(median)", "column 1 (Pool): 'median' is not an aggregator"},
    {"Pool(sum) - FGNN(4)", "column 13 (FGNN): needs variables"},
    {"Pool(sum) - Pool(sum)", "column 13 (Pool): there are no variables left"},
    {"Pool(sum) - MPNN(4)", "column 13 (MPNN): needs variables"},
    {"Res[FC(4) - [FC(x)]]", "column 14 (FC): 'x' is not a width"},
    {"1000*[1000*[1000*[FC(4)]]]", "too many layers"},
    {"FC(4) - 1000@[1000@[1000@Res[FC(4, update=no, norm=none, activation=identity)]]]",
     "too many layers"},
};

TEST(Build, ErrorsNameTheColumn) {
  for (const auto& [network, error] : kWrongNetworks) {
    SCOPED_TRACE(network);
    expect_error(ErrorCode::format, error, [&network = network] { built(network); });
  }
  const Schema bare{1, {{"r", 0, 3, 0}}};
  expect_error(ErrorCode::format, "column 1 (FGNN): q=mixture needs features on the edges of 'r'",
               [&] { built("FGNN(4, q=mixture)", bare); });
  expect_error(ErrorCode::format,
               "column 1 (FGNN): edges=yes needs features on the edges of 'r'; edges=no needs none",
               [&] { built("FGNN(4, edges=yes)", bare); });
  EXPECT_NO_THROW(built("FGNN(4, q=mixture, mix=table)", bare));
  expect_error(ErrorCode::format, "column 1 (Pairs): needs features on 'r'",
               [&] { built("Pairs(4, q=diagonal)", bare); });
  expect_error(ErrorCode::format, "column 1 (MPNN): needs factors with features",
               [&] { built("MPNN(4)", bare); });
}

TEST(Build, ErrorsNameWhatIsWrongWithTheSchema) {
  expect_error(ErrorCode::format, "schema: variables have no features", [] { built("FC(4)", {}); });
  expect_error(ErrorCode::format, "schema: the name 'r' of a relation is taken", [] {
    built("FC(4)", {1, {{"r", 1, 1, 0}, {"r", 2, 1, 0}}});
  });
  expect_error(ErrorCode::format, "schema: the name 'variable' of a relation is taken", [] {
    built("FC(4)", {1, {{"variable", 1, 1, 0}}});
  });
}

// 3 variables, 2 factors, 4 edges.
Structure small() {
  return Structure(3, {{2, 2, false, {0, 0, 1, 1}, {0, 1, 1, 2}, {0, 1, 0, 1}}});
}

TEST(Arithmetic, CountsAsByHand) {
  const Schema schema{2, {{"r", 5, 2, 0}}};
  const Structure s = small();
  EXPECT_EQ(arithmetic(built("Out(7)", schema), s), 2 * 3 * 2 * 7);
  const Program p = built("FC(4) - FGNN(3) - Out(2)", schema);
  const double fc = 3 * 2 * 4 + 2 * 5 * 4;
  const double up = 3 * 4 * 3 + 2 * 4 * 3 + 4 * 3 * 3 + 2 * 3 * 3;  // source, target, Q, update
  const double down = 2 * 3 * 3 + 3 * 4 * 3 + 4 * 3 * 3 + 3 * 3 * 3;
  const double out = 3 * 3 * 2;
  EXPECT_EQ(arithmetic(p, s), 2 * (fc + up + down + out));
}

TEST(Arithmetic, CountsMixturesAsTheyAreRun) {
  const Schema schema{2, {{"r", 5, 2, 6}}};
  const auto mixture = [&](const Structure& s, const std::string& aggregate = "max") {
    const std::string layer =
        "FGNN(3, q=mixture, q_hidden=7, bases=4, aggregate=" + aggregate + ")";
    return arithmetic(built(layer, schema), s) -
           arithmetic(built("FGNN(3, q=identity)", schema), s);
  };
  // Two kinds on four edges: a matrix is made for each kind.
  EXPECT_EQ(mixture(small()), 2 * 2 * (2 * 6 * 7 + 2 * 7 * 4 + 2 * 4 * 3 * 3 + 4 * 3 * 3));
  // Three kinds on four edges: matrices are mixed on every edge.
  const Structure more(3, {{2, 3, false, {0, 0, 1, 1}, {0, 1, 1, 2}, {0, 1, 0, 2}}});
  EXPECT_EQ(mixture(more), 2 * 2 * (3 * 6 * 7 + 3 * 7 * 4 + 4 * 4 * 3 * 3));
  // Six kinds on the six edges of one factor: sums into it are outer products, and one matrix
  // product for each base; the way back has as many targets as edges.
  const Structure star(6,
                       {{1, 6, false, {0, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}}});
  const int networks = 2 * (6 * 6 * 7 + 6 * 7 * 4), on_edges = 6 * 4 * 3 * 3;
  EXPECT_EQ(mixture(star, "max"), 2 * (networks + 2 * on_edges));
  EXPECT_EQ(mixture(star, "sum"), 2 * (networks + on_edges + 6 * 4 * 3 + 4 * 3 * 3));
}

}  // namespace
}  // namespace fgnn::network
