// The program on several ranks of this machine: the results of one process, one voice, one end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/mpi.h"
#include "tests/places.h"

namespace fgnn {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::own_lines;
using testing::process_of;
using testing::Program;
using testing::Words;

std::vector<json> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<json> all;
  for (std::string line; std::getline(in, line);) all.push_back(json::parse(line));
  return all;
}

// Everything but what a clock says.
json timeless(json value) {
  if (value.is_object()) {
    for (const char* clock : {"seconds", "decode_seconds", "microseconds", "codewords_per_second",
                              "simulated_per_second"}) {
      value.erase(clock);
    }
  }
  if (value.is_structured()) {
    for (json& part : value) part = timeless(part);
  }
  return value;
}

class Ranks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* missing = testing::why_no_ranks()) GTEST_SKIP() << missing;
    alone({"code", "make", "peg", "--length", "48", "--checks", "24", "--out", code_});
  }

  static std::string alone(const Words& arguments) {
    Program run(arguments);
    EXPECT_TRUE(run.wait() && run.exit_code() == 0) << run.err();
    return run.out();
  }
  static std::string on(int ranks, const Words& arguments) {
    Program run(arguments, {}, -1, {FGNN_MPIRUN, "-n", std::to_string(ranks)});
    EXPECT_TRUE(run.wait() && run.exit_code() == 0) << run.err();
    return run.out();
  }
  static void expect_one_answer(const Words& arguments) {
    const json wanted = timeless(json::parse(alone(arguments)));
    EXPECT_EQ(timeless(json::parse(on(2, arguments))), wanted);
    EXPECT_EQ(timeless(json::parse(on(3, arguments))), wanted);
  }

  Words ber(const std::string& frames, const Words& more = {},
            const std::string& snr = "1:4:1.5") const {
    Words words{"ber", code_,      "--decoder", "min-sum,bitwise", "--snr", snr,     "--errors",
                "150", "--frames", frames,      "--threads",       "1",     "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string file(const std::string& name) const { return (scratch_.path() / name).string(); }

  testing::Scratch scratch_;
  const std::string code_ = file("code.alist");
};

std::vector<json> cells(const std::string& text) {
  std::vector<json> all;
  for (const json& line : lines_of(text)) all.push_back(timeless(line));
  return all;
}

TEST_F(Ranks, CountTheErrorsOfOneProcess) {
  const std::string log = file("log");
  const auto wanted = cells(alone(ber("9000", {"--log", log})));
  for (const int ranks : {2, 3}) {
    const std::string theirs = file("log" + std::to_string(ranks));
    EXPECT_EQ(cells(on(ranks, ber("9000", {"--log", theirs}))), wanted);
    EXPECT_EQ(cells(testing::bytes(theirs)), cells(testing::bytes(log)));
  }
  // Some cells stopped at the number of errors, others went on to the last frame.
  EXPECT_LT(wanted[0].at("frames"), 9000);
  EXPECT_EQ(wanted[4].at("frames"), 9000);
}

TEST_F(Ranks, GoOnFromALog) {
  const std::string log = file("log");
  on(3, ber("1000", {"--log", log}));
  on(2, ber("5000", {"--log", log}));
  EXPECT_EQ(cells(alone(ber("9000", {"--log", log}))), cells(alone(ber("9000"))));
}

TEST_F(Ranks, MeasureAModelAsOneProcess) {
  expect_one_answer({"eval", FGNN_WEIGHTS "/d3.safetensors", "--count", "300", "--batch", "32",
                     "--threads", "2", "--json"});
}

TEST_F(Ranks, CompareMethodsAsOneProcess) {
  expect_one_answer({"compare", "--synthetic", "D1,D3", "--count", "7", "--json"});
  expect_one_answer({"compare", FGNN_MODELS "/demo.fgt", "--json"});  // more ranks than graphs
}

TEST_F(Ranks, ReproduceTablesAsOneProcess) {
  // Two batches a table.
  expect_one_answer({"reproduce", "synthetic", "--tables", "2", "--count", "70", "--json"});
}

TEST_F(Ranks, ReproduceTablesFromOneLog) {
  const std::string log = file("tables.jsonl");
  const Words words{"reproduce", "synthetic", "--tables", "2", "--count",
                    "70",        "--json",    "--log",    log};
  const json first = json::parse(on(2, words));
  const std::string kept = testing::bytes(log);
  EXPECT_EQ(lines_of(kept).size(), 9u);
  // Times too: nothing was measured again.
  EXPECT_EQ(json::parse(on(3, words)), first);
  EXPECT_EQ(json::parse(alone(words)), first);
  EXPECT_EQ(testing::bytes(log), kept);
}

TEST_F(Ranks, ReproducePanelsAsOneProcess) {
  expect_one_answer({"reproduce", "ldpc", "--words", "4", "--json"});
}

TEST_F(Ranks, LeaveOtherCommandsToTheFirst) {
  const Words info{"info", FGNN_MODELS "/demo.fgt", "--json"};
  EXPECT_EQ(json::parse(on(3, info)), json::parse(alone(info)));
}

TEST_F(Ranks, SayAnErrorOnceAndEndTogether) {
  for (const auto& [arguments, code, text] :
       {std::tuple{Words{"ber", file("none.alist"), "--snr", "1"}, 3, "none.alist"},
        std::tuple{Words{"ber", code_, "--snr", "1", "--decoder", "psychic"}, 2, "psychic"},
        std::tuple{Words{"eval"}, 2, "model is required"},
        std::tuple{Words{"ber", "-", "--snr", "1"}, 2, "reaches rank 0 only"}}) {
    Program run(arguments, {}, -1, {FGNN_MPIRUN, "-n", "3"});
    ASSERT_TRUE(run.wait());
    EXPECT_EQ(run.exit_code(), code) << run.err();
    ASSERT_EQ(own_lines(run).size(), 1u) << run.err();
    EXPECT_THAT(own_lines(run)[0], HasSubstr(text));
    EXPECT_EQ(run.out(), "");
  }
}

// What two ranks say that have arguments and folders of their own, and end with this code.
struct Rank {
  Words arguments;
  std::string folder = ".";
};
std::vector<std::string> lines_of_two(const Rank& first, const Rank& second, int exit_code) {
  Words words = first.arguments;
  words.insert(words.end(), {":", "-n", "1", "--wdir", second.folder, FGNN_PROGRAM_FILE});
  words.insert(words.end(), second.arguments.begin(), second.arguments.end());
  Program run(words, {}, -1, {FGNN_MPIRUN, "-n", "1", "--wdir", first.folder});
  EXPECT_TRUE(run.wait());
  EXPECT_EQ(run.exit_code(), exit_code) << run.err();
  return own_lines(run);
}

TEST_F(Ranks, WithOtherOptionsAreRefused) {
  const auto lines =
      lines_of_two({ber("1000", {"--seed", "1"})}, {ber("1000", {"--seed", "2"})}, 2);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("rank 1: has other arguments: '2' where rank 0 has '1'"));
}

TEST_F(Ranks, WithOtherFilesAreRefused) {
  for (const char* folder : {"same", "other", "none"}) {
    std::filesystem::create_directory(scratch_.path() / folder);
  }
  std::filesystem::copy(code_, file("same/code.alist"));
  alone({"code", "make", "peg", "--length", "48", "--checks", "24", "--seed", "9", "--out",
         file("other/code.alist")});
  const Words words{"ber", "code.alist", "--snr", "1", "--frames", "1000"};
  const auto other = lines_of_two({words, file("same")}, {words, file("other")}, 2);
  ASSERT_EQ(other.size(), 1u);
  EXPECT_THAT(other[0], HasSubstr("rank 1: has other files: 'code "));
  // A rank that alone is in trouble says so itself.
  const auto none = lines_of_two({words, file("same")}, {words, file("none")}, 3);
  ASSERT_EQ(none.size(), 1u);
  EXPECT_THAT(none[0], HasSubstr("fgnn: rank 1: code.alist"));
}

TEST_F(Ranks, EndWithinSecondsWhenOneIsKilled) {
  const auto wanted = cells(alone(ber("9000", {}, "1")));
  for (const int rank : {0, 1}) {
    const std::string log = file("log" + std::to_string(rank));
    // The cell at 1 dB ends by its errors at once; at 9 dB there are hardly any.
    Program run(ber("100000000", {"--log", log}, "1,9"), {}, -1, {FGNN_MPIRUN, "-n", "3"});
    ASSERT_TRUE(testing::wait_for(run, [&] { return !testing::bytes(log).empty(); })) << run.err();
    const pid_t victim = process_of(run, rank);
    ASSERT_NE(victim, 0);
    kill(victim, SIGKILL);
    ASSERT_TRUE(run.wait(20)) << "still running";
    EXPECT_NE(run.exit_code(), 0);
    EXPECT_LE(own_lines(run).size(), 1u) << run.err();
    // What was measured is there, whole, and another run goes on from it.
    const auto left = cells(testing::bytes(log));
    ASSERT_FALSE(left.empty());
    EXPECT_EQ(left[0], wanted[0]);
  }
}

// ---- training ----

Words training(const std::string& folder, const Words& more = {}) {
  Words words{"train",     "synthetic",
              "--network", "2*FGNN(8) - Out(2)",
              "--task",    "dataset=D3,length=8,order=3",
              "--set",     "steps=40",
              "--set",     "interval=10",
              "--set",     "validation=40",
              "--set",     "batch=12",
              "--threads", "1",
              "--out",     folder};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Ranks, ARunGoesOnWithAnotherNumberOfThem) {
  const std::string folder = file("run");
  const Words more{"--set", "steps=100000", "--set", "checkpoint_seconds=0"};
  Program run(training(folder, more), {}, -1, {FGNN_MPIRUN, "-n", "2"});
  // The step of the last whole line; 0 where there is none.
  const auto step = [&] {
    const std::string text = testing::bytes(folder + "/metrics.jsonl");
    const auto lines = lines_of(text.substr(0, text.rfind('\n') + 1));
    return lines.empty() ? 0 : lines.back().at("step").get<int>();
  };
  ASSERT_TRUE(testing::wait_for(run, [&] { return step() > 10; })) << run.err();
  const pid_t victim = process_of(run, 1);
  ASSERT_NE(victim, 0);
  kill(victim, SIGKILL);
  ASSERT_TRUE(run.wait(20)) << "still running";
  EXPECT_NE(run.exit_code(), 0);
  EXPECT_LE(own_lines(run).size(), 1u) << run.err();
  const int before = step();
  Program again(
      training(folder, {"--set", "steps=100000", "--set", "checkpoint_seconds=0", "--resume"}), {},
      -1, {FGNN_MPIRUN, "-n", "3"});
  ASSERT_TRUE(testing::wait_for(again, [&] { return step() > before + 20; })) << again.err();
}

TEST_F(Ranks, OfTrainingWithOtherOptionsAreRefused) {
  const auto lines = lines_of_two({training(file("a"), {"--set", "rate=0.1"})},
                                  {training(file("a"), {"--set", "rate=0.2"})}, 2);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("rank 1: has other arguments"));
}

TEST(RanksWithoutModule, SayWhatIsMissing) {
  Program run({"ber", "any.alist"}, {{"OMPI_COMM_WORLD_RANK", "0"},
                                     {"OMPI_COMM_WORLD_SIZE", "2"},
                                     {"FGNN_MPI_MODULE", "/nowhere/libfgnn_mpi.so"}});
  ASSERT_TRUE(run.wait());
  EXPECT_EQ(run.exit_code(), 8);
  ASSERT_EQ(own_lines(run).size(), 1u) << run.err();
  EXPECT_THAT(own_lines(run)[0], HasSubstr("libfgnn_mpi.so: several processes were started"));
  EXPECT_THAT(own_lines(run)[0], HasSubstr("libopenmpi-dev"));
}

TEST(RanksWithoutModule, StayApartOnRequest) {
  Program run(
      {"ber", "none.alist", "--snr", "1"},
      {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"FGNN_MPI_MODULE", "none"}});
  ASSERT_TRUE(run.wait());
  EXPECT_EQ(run.exit_code(), 3);
  EXPECT_THAT(run.err(), HasSubstr("fgnn: none.alist"));
}

TEST(RanksWithoutModule, ProgramDoesNotNeedMpi) {
  EXPECT_EQ(testing::bytes(FGNN_PROGRAM_FILE).find("libmpi.so"), std::string::npos);
}

}  // namespace
}  // namespace fgnn
