// Networks in double precision against python/eager_twin.py: the same networks, written a second
// time out of plain PyTorch operations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "fgnn/io/outside_program.h"
#include "fgnn/io/safetensors.h"
#include "fgnn/network/learner.h"
#include "tests/places.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"
#include "tests/reference/sample_networks.h"
#include "tests/reference/scratch.h"

namespace fgnn::network {
namespace {

using Numbers = std::vector<double>;
using Results = std::map<std::string, Numbers>;

struct Case {
  std::string what;
  Model model;
  Batch batch;
  bool training;
};

// ---- what the twin is given ----

TensorFile::Shape shape_of(std::size_t numbers, std::size_t rows) {
  return {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(rows ? numbers / rows : 0)};
}

template <class Whole>
void add_whole(TensorFile& file, const std::string& name, TensorFile::Shape shape,
               const Whole& values) {
  const std::vector<std::int32_t> numbers(values.begin(), values.end());
  file.add(name, std::move(shape), std::span(numbers));
}

template <class Whole>
void add_offsets(TensorFile& file, const std::string& name, const Whole& values) {
  add_whole(file, name, {static_cast<std::int64_t>(values.size())}, values);
}

// As the docstring of the twin has it; `times` is what the outputs are multiplied by in the loss.
TensorFile file_of(const Case& c, const Numbers& times) {
  const Batch& b = c.batch;
  const Structure& s = *b.structure;
  TensorFile file;
  file.metadata = {{"copies", std::to_string(b.copies)},
                   {"variables", std::to_string(s.variables())},
                   {"mode", c.training ? "training" : "evaluation"}};
  file.add("variable", shape_of(b.variable.size(), b.copies * s.variables()),
           std::span(b.variable));
  add_offsets(file, "graphs.variable_offset", s.variable_offset());
  for (std::size_t r = 0; r < s.relations().size(); ++r) {
    const Relation& relation = s.relations()[r];
    const RelationFeatures& x = b.relations[r];
    const std::string name = fmt::format("relation.{}", r);
    file.metadata[name + ".factors"] = std::to_string(relation.factors);
    file.metadata[name + ".kinds"] = std::to_string(relation.kinds);
    file.metadata[name + ".own_kinds"] = relation.own_kinds ? "1" : "0";
    file.add(name + ".factor", shape_of(x.factor.size(), b.copies * relation.factors),
             std::span(x.factor));
    file.add(name + ".edge",
             shape_of(x.edge.size(), relation.kinds * (relation.own_kinds ? b.copies : 1)),
             std::span(x.edge));
    if (!x.mask.empty()) file.add(name + ".mask", shape_of(x.mask.size(), 1), std::span(x.mask));
    std::vector<Index> edges = relation.factor;
    edges.insert(edges.end(), relation.variable.begin(), relation.variable.end());
    edges.insert(edges.end(), relation.kind.begin(), relation.kind.end());
    edges.resize(3 * relation.edges());  // kinds that were not given are 0
    add_whole(file, name + ".edges", {3, static_cast<std::int64_t>(relation.edges())}, edges);
    add_offsets(file, fmt::format("graphs.factor_offset.{}", r), s.factor_offset(r));
  }
  const std::size_t width = c.model.program.registers[c.model.program.output].width;
  file.add("output_gradient", shape_of(times.size(), times.size() / width), std::span(times));
  return file;
}

// ---- what the engine says, by the names that the twin uses ----

Results ours(const Case& c, Numbers& times) {
  Learner<double> learner(c.model);
  const Batch* const part = &c.batch;
  LearnOptions options;
  options.training = c.training;
  options.input_gradients = true;
  Results results;
  learner.step({&part, 1}, options,
               [&](std::size_t, std::span<const double> output, std::span<double> gradient) {
                 Rng rng(2);
                 times = testing::normal_numbers<double>(rng, output.size());
                 std::ranges::copy(times, gradient.begin());
                 results["output"].assign(output.begin(), output.end());
               });
  const Program& program = c.model.program;
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const std::string name = "model." + program.parameters[i].name;
    const auto values = learner.parameter(static_cast<int>(i));
    if (program.parameters[i].trained) {
      const auto begin = learner.gradient().begin() + learner.offsets()[i];
      results["gradient." + name].assign(begin, begin + static_cast<std::ptrdiff_t>(values.size()));
    } else if (c.training) {
      results[name].assign(values.begin(), values.end());
    }
  }
  const auto add_input = [&](const std::string& name, int reg) {
    if (reg < 0) return;
    const auto values = learner.input_gradient(0, reg);
    results["gradient." + name].assign(values.begin(), values.end());
  };
  add_input("variable", program.variable_input);
  for (std::size_t r = 0; r < program.factor_input.size(); ++r) {
    add_input(fmt::format("relation.{}.factor", r), program.factor_input[r]);
    add_input(fmt::format("relation.{}.edge", r), program.edge_input[r]);
  }
  return results;
}

// ---- cases ----

void add_cases(std::vector<Case>& cases, const std::string& what, const Model& model,
               std::span<const Batch> batches) {
  for (std::size_t b = 0; b < batches.size(); ++b) {
    if (!testing::suits(batches[b], model)) continue;
    for (const bool training : {false, true}) {
      cases.push_back(
          {fmt::format("{}, batch {}, {}", what, b, training ? "training" : "evaluation"), model,
           batches[b], training});
    }
  }
}

// Belief propagation: no features on edges nor on pairs, and potentials that have logarithms.
void add_propagation(std::vector<Case>& cases, std::vector<Batch> batches) {
  for (Batch& b : batches) {
    b.relations[0].factor.clear();
    for (auto& r : b.relations) r.edge.clear();
  }
  for (const char* text :
       {"SumProduct(3, ranks=3+2)", "SumProduct(3, ranks=3+2, tied=yes)",
        "SumProduct(2, ranks=2+3, latents=3, channels=2)",
        "FC(3, norm=layer, activation=tanh) - 2@SumProduct(2, ranks=2+2) - Out(2)"}) {
    Description d;
    d.network = text;
    d.schema = {2, {{"pair", 0, 2, 0}, {"budget", 9, 9, 0}}};
    Model model(d, 3);
    for (std::size_t i = 0; i < model.weights.size(); ++i) {
      const std::string& name = model.program.parameters[i].name;
      if (!name.ends_with(".up") && !name.ends_with(".down") &&
          name.find(".lambda.") == std::string::npos) {
        continue;
      }
      for (double& w : model.weights[i]) w = 0.2 + std::abs(w);
    }
    add_cases(cases, text, model, batches);
  }
}

std::vector<Case> all_cases() {
  const auto batches = testing::sample_batches();
  std::vector<Case> cases;
  for (const auto& text : testing::network_texts()) {
    add_cases(cases, text, testing::random_model(text), batches);
  }
  for (const auto& preset : presets()) {
    add_cases(cases, preset.name, testing::random_model(describe(preset.name)),
              std::span(batches).first(2));
  }
  add_propagation(cases, {batches[0], batches[1], batches[2]});
  return cases;
}

// ---- the comparison ----

double largest(const Numbers& x) {
  double most = 0;
  for (const double v : x) most = std::max(most, std::abs(v));
  return most;
}

// What has no gradient here is zero there.
void expect_same(const Results& got, const TensorFile& twin) {
  for (const auto& tensor : twin.tensors) {
    SCOPED_TRACE(tensor.name);
    const Numbers want = as_doubles(tensor);
    const auto found = got.find(tensor.name);
    ASSERT_NE(found, got.end()) << "the engine has none";
    const Numbers own = found->second.empty() ? Numbers(want.size()) : found->second;
    EXPECT_TRUE(testing::same_numbers(own, want, 1e-8 * std::max(1.0, largest(want))));
  }
  for (const auto& [name, numbers] : got) {
    EXPECT_TRUE(numbers.empty() || twin.find(name)) << "the twin lacks " << name;
  }
}

TEST(PyTorch, AgreesOnOutputsAndGradientsOfAllNetworks) {
  const std::string python = "/usr/bin/python3";
  if (!output_of(python + " -c 'import torch, numpy'")) {
    GTEST_SKIP() << "there is no PyTorch (Debian packages python3-torch and python3-numpy)";
  }
  const testing::Scratch scratch;
  const auto cases = all_cases();
  std::vector<Results> own;
  std::ofstream list(scratch.path() / "list");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string base = (scratch.path() / std::to_string(i)).string();
    Numbers times;
    own.push_back(ours(cases[i], times));
    save_model(base + ".model", cases[i].model, DType::f64);
    write_safetensors(base + ".batch", file_of(cases[i], times));
    list << base << ".model " << base << ".batch " << base << ".out\n";
  }
  list.close();
  const auto twin = std::filesystem::path(FGNN_SOURCE_DIR) / "python/eager_twin.py";
  const auto said = output_of(fmt::format("{} {} < {} 2>&1", python, shell_word(twin),
                                          shell_word(scratch.path() / "list")));
  EXPECT_TRUE(said && said->empty()) << said.value_or("the twin failed");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].what);
    const auto out = scratch.path() / (std::to_string(i) + ".out");
    ASSERT_TRUE(std::filesystem::exists(out));
    expect_same(own[i], read_safetensors(out));
  }
}

}  // namespace
}  // namespace fgnn::network
