// Every method in every situation through the program: exit code, table and JSON against
// enumeration.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "fgnn/core/error.h"
#include "fgnn/io/files.h"
#include "fgnn/io/outside_program.h"
#include "fgnn/network/model.h"
#include "fgnn/neuralize/compile.h"
#include "tests/cli/process.h"
#include "tests/places.h"
#include "tests/reference/agreement.h"
#include "tests/reference/scratch.h"
#include "tests/reference/situations.h"

namespace fgnn {
namespace {

using nlohmann::json;

constexpr int kInfeasible = 6;

std::string evidence_arguments(const testing::Situation& at) {
  std::string text;
  for (const auto& [v, state] : at.evidence.hard()) {
    text += fmt::format(" --set '{}={}'", at.graph.name(v), state);
  }
  for (const auto& [v, weights] : at.evidence.soft()) {
    text += fmt::format(" --weigh '{}={}'", at.graph.name(v), fmt::join(weights, ","));
  }
  return text;
}

double number(const json& value, double otherwise) {
  return value.is_null() ? otherwise : value.get<double>();
}

// The result that the JSON of infer or map tells of.
Result parse_answer(const Method& method, const FactorGraph& graph, const json& j) {
  Result result;
  result.method = j.at("method");
  for (const Status s :
       {Status::exact, Status::converged, Status::iteration_limit, Status::time_limit,
        Status::diverged, Status::infeasible, Status::interrupted}) {
    if (j.at("status") == std::string(name(s))) result.status = s;
  }
  if (j.contains("message")) result.message = j.at("message");
  if (method.query == Query::infer) {
    if (j.contains("log10_partition")) {
      result.log_partition = number(j["log10_partition"], kForbidden) * std::log(10.0);
    }
    if (j.contains("log10_partition_low")) {
      result.log_partition_low = number(j["log10_partition_low"], kForbidden) * std::log(10.0);
      result.log_partition_high = number(j["log10_partition_high"], kInfinity) * std::log(10.0);
    }
    if (j.at("marginals").empty()) return result;
    result.marginals = Marginals(graph);
    for (VariableId v = 0; v < graph.num_variables(); ++v) {
      for (State x = 0; x < graph.states(v); ++x) {
        result.marginals[v][x] = j.at("marginals").at(v).at(x);
      }
    }
    return result;
  }
  result.assignment = j.at("assignment").get<std::vector<State>>();
  result.score = number(j.at("score"), kForbidden);
  result.bound =
      number(j.at("bound"), result.status == Status::infeasible ? kForbidden : kInfinity);
  EXPECT_EQ(j.at("feasible").get<bool>(), result.score != kForbidden);
  if (j.contains("solutions")) {
    for (const json& row : j["solutions"]) {
      result.solutions.push_back({row.at("assignment").get<std::vector<State>>(), row.at("score")});
    }
  }
  return result;
}

// The rows of the table that opens the text: name, then a number per column.
std::vector<std::vector<double>> table_rows(const std::string& text, std::size_t rows) {
  std::istringstream lines(text);
  std::string line;
  for (int header = 0; header < 2; ++header) std::getline(lines, line);
  std::vector<std::vector<double>> table;
  while (table.size() < rows && std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string variable;
    cells >> variable;
    auto& row = table.emplace_back();
    for (double value = 0; cells >> value;) row.push_back(value);
  }
  return table;
}

void expect_same_table(const Method& method, const FactorGraph& graph, const Result& answer,
                       const std::string& text) {
  const auto rows = table_rows(text, graph.num_variables());
  ASSERT_EQ(rows.size(), graph.num_variables());
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    if (method.query == Query::map) {
      ASSERT_EQ(rows[v], std::vector<double>{static_cast<double>(answer.assignment[v])});
      continue;
    }
    ASSERT_EQ(rows[v].size(), graph.states(v));
    for (State x = 0; x < graph.states(v); ++x) {
      EXPECT_NEAR(rows[v][x], answer.marginals[v][x], 1e-6);
    }
  }
}

void check(const Method& method, const testing::Situation& at, const std::string& file,
           const std::string& extra, std::size_t k) {
  SCOPED_TRACE(std::string(name(method.query)) + " " + method.name + extra + ", " + at.name);
  const testing::Truth truth = testing::truth_of(at.graph, at.evidence, k);
  const std::string arguments = fmt::format("{} {} --method '{}'{}{}", name(method.query), file,
                                            method.name, extra, evidence_arguments(at));
  const testing::Ran as_json = testing::run_program_fully(arguments + " --json");
  const Result answer = parse_answer(method, at.graph, json::parse(as_json.out));
  EXPECT_EQ(testing::disagreement(method, answer, truth), "");
  EXPECT_EQ(as_json.exit, answer.status == Status::infeasible ? kInfeasible : 0);
  if (at.plainly_infeasible) {
    EXPECT_EQ(as_json.exit, kInfeasible);
  }
  const testing::Ran as_text = testing::run_program_fully(arguments);
  EXPECT_EQ(as_text.exit, as_json.exit);
  if (answer.status == Status::infeasible) {
    EXPECT_EQ(as_text.out, "");
  } else {
    expect_same_table(method, at.graph, answer, as_text.out);
  }
}

// A trained network, and one compiled of the situation's own graph, where they can be had.
std::vector<Method> networks(const testing::Situation& at, const std::filesystem::path& folder) {
  std::vector<Method> all{
      find_method(Query::map, "fgnn:" FGNN_SOURCE_DIR "/weights/d3.safetensors")};
  const auto file = folder / (at.name + ".safetensors");
  try {
    network::save_model(
        file, neuralize::compile(at.graph, {.algorithm = neuralize::Algorithm::sum_product}),
        DType::f64);
    for (const Query query : {Query::map, Query::infer}) {
      all.push_back(find_method(query, "neuralized:" + file.string()));
    }
  } catch (const Error&) {  // some situations are not for compiling
  }
  std::erase_if(all, [&](const Method& method) {
    try {
      return !method.solve(at.graph, {}, at.evidence).finished;
    } catch (const Error&) {
      return true;  // not made for the graph
    }
  });
  return all;
}

TEST(Matrix, ProgramAgreesWithEnumerationInTablesAndJson) {
  const testing::Scratch folder;
  const std::string file = shell_word(folder.path() / "model.fgt");
  for (const testing::Situation& at : testing::situations()) {
    write_graph(at.graph, folder.path() / "model.fgt");
    for (const Method& method : methods()) {
      check(method, at, file, "", 1);
      if (method.takes("k")) check(method, at, file, " --k 3", 3);
    }
    for (const Method& method : networks(at, folder.path())) check(method, at, file, "", 1);
  }
}

}  // namespace
}  // namespace fgnn
