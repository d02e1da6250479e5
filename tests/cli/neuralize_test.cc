// fgnn neuralize from outside: what it compiles is the algorithm, wherever a model may be used.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/process.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Neuralize : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }

  json output(const std::string& arguments) const {
    const auto answer = testing::run_program_fully(arguments + " --json");
    EXPECT_EQ(answer.exit, 0) << arguments << "\n" << answer.err;
    return json::parse(answer.out, nullptr, false);
  }
  // Fails in one line on standard error that contains this text.
  void expect_failure(int exit_code, const std::string& text, const std::string& arguments) const {
    const auto answer = testing::run_program_fully(arguments);
    EXPECT_EQ(answer.exit, exit_code) << arguments << "\n" << answer.err;
    EXPECT_EQ(answer.err.rfind("fgnn: ", 0), 0u) << answer.err;
    EXPECT_NE(answer.err.find(text), std::string::npos) << answer.err;
    EXPECT_EQ(answer.err.find('\n'), answer.err.size() - 1) << answer.err;
  }

  testing::Scratch scratch_;
};

TEST_F(Neuralize, MarginalsAreThoseOfSumProduct) {
  for (const std::string graph : {"demo.fgt", "tasks.fgt", "sprinkler.uai"}) {
    for (const std::string k : {"1", "5"}) {
      const std::string model = path(k + ".safetensors");
      const auto made = output("neuralize " + graph + " --iterations " + k + " --out " + model);
      EXPECT_EQ(made.at("model"), model);
      EXPECT_GT(made.at("operations").get<int>(), 0);
      EXPECT_GE(made.at("weights").get<int>(), made.at("weights_not_zero").get<int>());
      const auto want =
          output("infer " + graph + " --method sum-product --schedule flooding --damping 0" +
                 " --iterations " + k + " --tolerance 0");
      const auto got = output("infer " + graph + " --method neuralized:" + model);
      EXPECT_EQ(got.at("variables"), want.at("variables"));
      const auto &a = got.at("marginals"), &b = want.at("marginals");
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t v = 0; v < a.size(); ++v) {
        ASSERT_EQ(a[v].size(), b[v].size());
        for (std::size_t x = 0; x < a[v].size(); ++x) {
          EXPECT_NEAR(a[v][x].get<double>(), b[v][x].get<double>(), 1e-9)
              << graph << ", variable " << v << ", " << k << " iterations";
        }
      }
      const auto same = output("infer " + graph + " --method fgnn:" + model);
      EXPECT_EQ(same.at("marginals"), got.at("marginals"));
    }
  }
}

// Rows of the same methods, but for time and names.
void expect_equal_rows(const json& rows, double tolerance = 1e-9) {
  ASSERT_EQ(rows.size(), 2u);
  for (const std::string key : {"agreement", "exact_instances", "feasible", "score", "score_gap"}) {
    if (key != "agreement" && tolerance > 1e-9) continue;
    ASSERT_TRUE(rows[0].contains(key)) << rows[0].dump();
    if (rows[0].at(key).is_null()) {
      EXPECT_TRUE(rows[1].at(key).is_null()) << key;
    } else {
      EXPECT_NEAR(rows[0].at(key).get<double>(), rows[1].at(key).get<double>(), tolerance) << key;
    }
  }
}

TEST_F(Neuralize, AssignmentsAreThoseOfMaxProduct) {
  for (const std::string graph : {"demo.fgt", "tasks.fgt", "sprinkler.uai"}) {
    const std::string model = path("max.safetensors");
    output("neuralize " + graph + " --algorithm max-product --iterations 5 --out " + model);
    const auto want = output(
        "map " + graph + " --method max-product --schedule flooding --damping 0 --iterations 5" +
        " --tolerance 0 --rounding argmax");
    const auto got =
        output("map " + graph + " --method neuralized:" + model + " --rounding argmax");
    EXPECT_EQ(got.at("assignment"), want.at("assignment")) << graph;
    EXPECT_EQ(got.at("feasible"), want.at("feasible"));
    const auto rows =
        output("compare " + graph +
               " --methods "
               "max-product:schedule=flooding,damping=0,iterations=5,tolerance=0,rounding=argmax,"
               "neuralized:" +
               model + ",rounding=argmax");
    expect_equal_rows(rows.at("rows"));
  }
}

TEST_F(Neuralize, OneNetworkServesAFamily) {
  const std::string model = path("sum.safetensors");
  output("neuralize --family synthetic --task dataset=D3,order=4,length=12 --iterations 4 --out " +
         model);
  const auto measured = output("eval " + model + " --count 100 --threads 1");
  EXPECT_EQ(measured.at("task"), "synthetic");
  EXPECT_EQ(measured.at("graphs"), 100);
  EXPECT_GT(measured.at("accuracy").get<double>(), 0.7);
  EXPECT_EQ(output("eval " + model + " --count 100 --batch 7 --threads 1").at("accuracy"),
            measured.at("accuracy"));
}

// With budgets max-product has ties, which rounding decides: three in 240 variables here.
TEST_F(Neuralize, ComparedOnAFamilyTheRowsAreEqualButForTies) {
  for (const std::string dataset : {"D3", "D4"}) {
    const std::string model = path(dataset + ".safetensors");
    output("neuralize --family synthetic --task order=4,length=12,dataset=" + dataset +
           " --algorithm max-product --iterations 4 --out " + model);
    const auto rows = output("compare --synthetic " + dataset +
                             " --count 20 --order 4 --length 12 --methods "
                             "max-product:schedule=flooding,damping=0,iterations=4,tolerance=0,"
                             "rounding=argmax,neuralized:" +
                             model + ",rounding=argmax")
                          .at("rows");
    expect_equal_rows(rows, dataset == "D3" ? 3 * 100.0 / 240 + 1e-9 : 1e-9);
  }
}

TEST_F(Neuralize, DecodersAreCompiledToo) {
  const std::string model = path("decoder.safetensors");
  output("neuralize --family ldpc --iterations 5 --floor 1e-7 --out " + model);
  const auto measured = output("eval " + model + " --count 20 --task snr=4,burst=0 --threads 1");
  EXPECT_EQ(measured.at("task"), "ldpc");
  EXPECT_GT(measured.at("accuracy").get<double>(), 0.95);
  EXPECT_EQ(output("model describe " + model).at("metadata").at("task"), "ldpc");
  const auto text = testing::run_program_fully("model describe " + model);
  EXPECT_EQ(text.exit, 0) << text.err;
  EXPECT_NE(text.out.find("per instance of ldpc"), std::string::npos) << text.out;
}

TEST_F(Neuralize, TrainingGoesOnFromTheAlgorithm) {
  const std::string model = path("bp.safetensors"), folder = path("run");
  output(
      "neuralize --family synthetic --task dataset=D3,order=3,length=8 --iterations 3 --latents 4 "
      "--channels 2 --untied --out " +
      model);
  const std::string train = "train synthetic --dataset D3 --task order=3,length=8 --from " + model +
                            " --set batch=4 --set interval=5 --set validation=50 --threads 1";
  const auto report = output(train + " --set steps=5 --out " + folder);
  EXPECT_EQ(report.at("steps"), 5);
  std::ifstream lines(folder + "/metrics.jsonl");
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto first = json::parse(line);
  EXPECT_EQ(first.at("step"), 0);
  EXPECT_FALSE(first.contains("train_loss"));
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(json::parse(line).at("step"), 5);
  EXPECT_GE(report.at("validation_accuracy").get<double>(),
            first.at("validation_accuracy").get<double>());
  const auto described = output("model describe " + folder + "/model.safetensors");
  EXPECT_EQ(described.at("network"), output("model describe " + model).at("network"));
  output("eval " + folder + "/model.safetensors --count 10 --threads 1");

  expect_failure(2, "does not fit the graphs of the task synthetic",
                 "train synthetic --dataset D3 --from " + model + " --out " + path("other"));
  expect_failure(3, "absent",
                 "train synthetic --from " + path("absent") + " --out " + path("other"));
  EXPECT_FALSE(fs::exists(path("other")));
}

TEST_F(Neuralize, ErrorsAreOneLine) {
  const std::string out = " --out " + path("x.safetensors");
  const std::string both = "fgnn neuralize: needs a graph or a family";
  expect_failure(2, both, "neuralize" + out);
  expect_failure(2, both, "neuralize demo.fgt --family ldpc" + out);
  expect_failure(2, "min-sum: is not an algorithm that can be compiled; max-product or sum-product",
                 "neuralize demo.fgt --algorithm min-sum" + out);
  expect_failure(3, "absent.fgt", "neuralize absent.fgt" + out);
  std::ofstream(path("bad.uai")) << "MARKOV\n2\n2 x\n";
  expect_failure(4, "bad.uai", "neuralize " + path("bad.uai") + out);
  expect_failure(2, "--temperature: is for families", "neuralize demo.fgt --temperature 2" + out);
  expect_failure(2, "--floor: is for families", "neuralize demo.fgt --floor 0.1" + out);
  expect_failure(2, "--task: is for families", "neuralize demo.fgt --task dataset=D3" + out);
  expect_failure(2, "ldpcc: is not a task; did you mean 'ldpc'?", "neuralize --family ldpcc" + out);
  expect_failure(2, "has no setting 'ordr'", "neuralize --family synthetic --task ordr=3" + out);
  expect_failure(2, "iterations: must be 1 … 1000", "neuralize demo.fgt --iterations 0" + out);
  expect_failure(2, "latents: and channels go together", "neuralize demo.fgt --latents 3" + out);
  expect_failure(2, "max-product: has no trainable extension",
                 "neuralize demo.fgt --algorithm max-product --untied" + out);
  expect_failure(8, "family: needs two log-potentials on every variable",
                 "neuralize --family ldpc --algorithm max-product" + out);
  EXPECT_FALSE(fs::exists(path("x.safetensors")));
  expect_failure(3, "no-folder", "neuralize demo.fgt --out " + path("no-folder/x.safetensors"));
  EXPECT_FALSE(fs::exists(path("no-folder")));
}

TEST_F(Neuralize, ANetworkOfAnotherGraphIsRefused) {
  const std::string model = path("demo.safetensors"), max = path("max.safetensors");
  output("neuralize demo.fgt --out " + model);
  const std::string refused =
      "network: was compiled from another graph; run fgnn neuralize on this";
  expect_failure(8, refused, "infer tasks.fgt --method neuralized:" + model);
  expect_failure(8, refused, "map sprinkler.uai --method neuralized:" + model);
  output("neuralize demo.fgt --algorithm max-product --out " + max);
  expect_failure(8, "finds assignments, not marginals",
                 "infer demo.fgt --method neuralized:" + max);
}

// Nothing but what was asked for.
TEST_F(Neuralize, LeavesOneFile) {
  fs::create_directory(path("folder"));
  output("neuralize demo.fgt --out " + path("folder/m.safetensors"));
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(path("folder"))) {
    ++files;
    EXPECT_EQ(entry.path().filename(), "m.safetensors");
  }
  EXPECT_EQ(files, 1u);
}

}  // namespace
}  // namespace fgnn
