// Ctrl-C, as the program meets it: a signal from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace fgnn::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kInterrupted = 130;

// A grid that takes minutes and more.
std::filesystem::path long_model(const Scratch& scratch) {
  const auto file = scratch.path() / "grid.fgt";
  const Ran made = run_program_fully("generate D5 --side 30 --seed 3 --out " + file.string());
  EXPECT_EQ(made.exit, 0) << made.err;
  return file;
}

// Ctrl-C only asks once the solver runs; before that it ends the program.
void interrupt_while_solving(Program& program) {
  ASSERT_TRUE(wait_for(program, [&] {
    // Half a second of processor time tells that it solves.
    const std::string stat = bytes("/proc/" + std::to_string(program.id()) + "/stat");
    std::istringstream words(stat.substr(stat.rfind(')') + 1));
    std::string word;
    long ticks = 0;
    for (int i = 3; words >> word; ++i) {
      if (i == 14) ticks = std::stol(word);
    }
    return ticks > sysconf(_SC_CLK_TCK) / 2;
  }));
  program.send(SIGINT);
}

TEST(Interrupt, StopsASolverWithItsBestAnswerSoFar) {
  const Scratch scratch;
  Program program({"map", long_model(scratch), "--method", "ad3-exact", "--json"});
  interrupt_while_solving(program);
  ASSERT_TRUE(program.wait(60));
  EXPECT_EQ(program.exit_code(), kInterrupted);
  EXPECT_THAT(program.err(), HasSubstr("interrupted; the answer is the best found until then"));
  const auto json = nlohmann::json::parse(program.out());
  EXPECT_EQ(json.at("status"), "interrupted");
  EXPECT_EQ(json.at("assignment").size(), 900u);
  EXPECT_TRUE(json.at("feasible"));
  EXPECT_GE(json.at("bound").get<double>(), json.at("score").get<double>());
}

TEST(Interrupt, OfAMethodWithoutAnAnswerIsAnErrorInOneLine) {
  const Scratch scratch;
  Program program({"infer", long_model(scratch), "--method", "exact", "--memory", "64G"});
  interrupt_while_solving(program);
  ASSERT_TRUE(program.wait(60));
  // Elimination may have been refused before, as too wide.
  EXPECT_THAT(program.exit_code(), ::testing::AnyOf(kInterrupted, 10)) << program.err();
  EXPECT_EQ(program.out(), "");
}

TEST(Interrupt, ASecondOneEndsAtOnce) {
  const Scratch scratch;
  Program program({"train", "synthetic", "--set", "steps=100000", "--set", "threads=1", "--set",
                   "interval=100000", "--set", "batch=4096"});
  interrupt_while_solving(program);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // two at once would count as one
  program.send(SIGINT);
  ASSERT_TRUE(program.wait(60));
  // By the signal, unless the step was over between the two.
  EXPECT_TRUE(program.ended_by() == SIGINT || program.exit_code() == kInterrupted);
}

TEST(Interrupt, OfATrainingLeavesACheckpointThatGoesOn) {
  const Scratch scratch;
  const std::string run = (scratch.path() / "run").string();
  const Words words{
      "train",        "synthetic", "--out",           run,         "--set",
      "steps=100000", "--set",     "interval=100000", "--set",     "checkpoint_seconds=10000",
      "--set",        "batch=2",   "--set",           "threads=1", "--json"};
  Program program(words);
  interrupt_while_solving(program);
  ASSERT_TRUE(program.wait(60));
  EXPECT_EQ(program.exit_code(), kInterrupted);
  EXPECT_THAT(program.err(), HasSubstr("--resume goes on"));
  const auto json = nlohmann::json::parse(program.out());
  EXPECT_TRUE(json.at("interrupted"));
  const auto steps = json.at("steps").get<std::uint64_t>();
  EXPECT_GT(steps, 0u);
  Words again = words;
  again.push_back("--resume");
  Program on(again);
  interrupt_while_solving(on);
  ASSERT_TRUE(on.wait(60));
  EXPECT_EQ(on.exit_code(), kInterrupted) << on.err();
  EXPECT_GT(nlohmann::json::parse(on.out()).at("steps").get<std::uint64_t>(), steps);
}

TEST(Interrupt, OfASimulationPrintsWhatWasCounted) {
  const Scratch scratch;
  const std::string log = (scratch.path() / "log.jsonl").string();
  const std::string code = (scratch.path() / "peg.alist").string();
  ASSERT_EQ(run_program_fully("code make peg --length 96 --out " + code).exit, 0);
  Program program({"ber", code, "--snr", "3", "--frames", "1000000000", "--errors", "0",
                   "--decoder", "sum-product", "--json", "--log", log});
  interrupt_while_solving(program);
  ASSERT_TRUE(program.wait(60));
  EXPECT_EQ(program.exit_code(), kInterrupted) << program.err();
  const auto json = nlohmann::json::parse(program.out());
  EXPECT_GT(json.at("frames").get<std::uint64_t>(), 0u);
  EXPECT_LT(json.at("frames").get<std::uint64_t>(), 1000000000u);
}

// Commands that work through many things keep those that are done, and say that they stopped.
TEST(Interrupt, OfALongListKeepsWhatIsDone) {
  const Scratch scratch;
  const std::string folder = (scratch.path() / "made").string();
  const std::pair<Words, std::string> commands[] = {
      {{"compare", "--synthetic", "D3", "--count", "10000000", "--methods", "max-product",
        "--threads", "1"},
       "the table is of the graphs done until then"},
      {{"eval", "d3", "--count", "100000000", "--threads", "1"}, "interrupted"},
      {{"generate", "D3", "--count", "10000000", "--out", folder}, "instances were written"},
      {{"label", "D5", "--side", "6", "--count", "10000000", "--threads", "1", "--out",
        (scratch.path() / "labels").string()},
       "interrupted"}};
  for (const auto& [words, said] : commands) {
    Program program(words);
    interrupt_while_solving(program);
    ASSERT_TRUE(program.wait(60)) << words[0];
    EXPECT_EQ(program.exit_code(), kInterrupted) << words[0] << ": " << program.err();
    EXPECT_THAT(program.err(), HasSubstr(said)) << words[0];
  }
  EXPECT_FALSE(std::filesystem::is_empty(folder));
}

TEST(Interrupt, SaysOnATerminalThatItStops) {
  const Scratch scratch;
  int master = -1, terminal = -1;
  ASSERT_EQ(openpty(&master, &terminal, nullptr, nullptr, nullptr), 0);
  Program program({"map", long_model(scratch), "--method", "ad3-exact", "--out",
                   (scratch.path() / "answer").string()},
                  {}, terminal);
  close(terminal);
  interrupt_while_solving(program);
  std::string seen;
  char buffer[4096];
  for (ssize_t n; (n = read(master, buffer, sizeof buffer)) > 0;) {
    seen.append(buffer, static_cast<std::size_t>(n));
  }
  close(master);
  ASSERT_TRUE(program.wait(60));
  EXPECT_THAT(seen, HasSubstr("stopping; Ctrl-C again ends at once"));
  EXPECT_EQ(program.exit_code(), kInterrupted);
}

}  // namespace
}  // namespace fgnn::testing
