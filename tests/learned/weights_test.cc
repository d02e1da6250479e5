// The shipped networks answer what they answered when they were trained (tests/learned/data).
#include "fgnn/learned/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "fgnn/experiments/registry.h"
#include "fgnn/io/safetensors.h"
#include "fgnn/network/run.h"
#include "tests/places.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/numbers.h"
#include "tests/reference/scratch.h"

namespace fgnn::learned {
namespace {

const std::filesystem::path kSource = FGNN_SOURCE_DIR;

const TensorFile& stored() {
  static const TensorFile file =
      read_safetensors(kSource / "tests/learned/data/shipped_outputs.safetensors");
  return file;
}

// But those of matching and molecules, whose data may not be there: they have tests of their own
// (tests/experiments/matching/task_test.cc, molecules/predictor_test.cc).
std::set<std::string> networks() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "weights")) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() == ".safetensors" && !name.ends_with("matching") &&
        !name.ends_with("molecules")) {
      names.insert(name);
    }
  }
  return names;
}

// Sets an environment variable for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(ShippedWeights, AreFoundByTheProjectsTests) {
  EXPECT_EQ(find_weights("d3"), kSource / "weights/d3.safetensors");
  EXPECT_EQ(load_network("d3").metadata.at("task"), "synthetic");
}

TEST(ShippedWeights, OfAFolderOfYourOwnComeFirst) {
  const testing::Scratch scratch;
  std::filesystem::copy(kSource / "weights/d1.safetensors", scratch.path() / "d3.safetensors");
  std::filesystem::copy(kSource / "weights/d1.safetensors", scratch.path() / "mine.safetensors");
  const Environment environment("FGNN_WEIGHTS", scratch.path().string());
  EXPECT_EQ(find_weights("d3"), scratch.path() / "d3.safetensors");
  EXPECT_EQ(find_weights("mine"), scratch.path() / "mine.safetensors");
  EXPECT_EQ(find_weights("d2"), kSource / "weights/d2.safetensors");
  const auto names = shipped_networks();
  EXPECT_EQ(std::ranges::count(names, "d3"), 1);
  EXPECT_EQ(std::ranges::count(names, "mine"), 1);
}

TEST(ShippedWeights, AFolderThatIsNoneIsAnError) {
  const Environment environment("FGNN_WEIGHTS", "/no/such/folder");
  testing::expect_error(ErrorCode::io, "FGNN_WEIGHTS: '/no/such/folder' is not a folder",
                        [] { find_weights("d3"); });
}

TEST(ShippedWeights, AllHaveStoredAnswers) {
  std::set<std::string> names;
  for (const auto& tensor : stored().tensors) names.insert(tensor.name);
  EXPECT_EQ(names, networks());
}

class EachShippedNetwork : public ::testing::TestWithParam<std::string> {
 protected:
  // Up to 40 numbers of the output for each of the first ten test instances.
  template <class T>
  std::vector<double> answers() const {
    const std::filesystem::path file = kSource / "weights" / (GetParam() + ".safetensors");
    const network::Model model = network::load_model(file);
    const auto task =
        experiments::make_task_of(model, file.string(), experiments::task_name_of(model), {});
    network::Runner<T> runner(model);
    std::vector<double> all;
    for (std::uint64_t i = 0; i < 10; ++i) {
      const auto graph = task->instance(tasks::Stream::test, i);
      const auto output = runner.run(graph.batch);
      for (std::size_t k = 0; k < std::min<std::size_t>(40, output.size()); ++k) {
        all.push_back(output[k]);
      }
    }
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(All, EachShippedNetwork, ::testing::ValuesIn(networks()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EachShippedNetwork, AnswersAsItDid) {
  const auto want = as_doubles(stored().at(GetParam()));
  EXPECT_TRUE(testing::same_numbers(answers<double>(), want, 1e-6));
  // Logarithms of what is nearly certain are rough in floats.
  const double tolerance = GetParam() == "ldpc-neuralized" ? 0.1 : 2e-5;
  EXPECT_TRUE(testing::same_numbers(answers<float>(), want, tolerance));
}

}  // namespace
}  // namespace fgnn::learned
