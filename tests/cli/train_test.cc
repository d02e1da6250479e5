// fgnn train from outside: killed and resumed, several processes, and what becomes of the models.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/mpi.h"
#include "tests/places.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::bytes;
using testing::Program;
using testing::Scratch;
using testing::wait_for;
using testing::Words;

std::string output(const Words& arguments) {
  Program program(arguments);
  EXPECT_TRUE(program.wait());
  EXPECT_EQ(program.exit_code(), 0) << program.err();
  EXPECT_EQ(program.err(), "");
  return program.out();
}

// Fails in one line on standard error that contains this text.
void expect_failure(int exit_code, const std::string& text, const Words& arguments) {
  Program program(arguments);
  ASSERT_TRUE(program.wait()) << text;
  const std::string line = program.err();
  EXPECT_EQ(program.exit_code(), exit_code) << line;
  EXPECT_EQ(line.rfind("fgnn: ", 0), 0u) << line;
  EXPECT_NE(line.find(text), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
}

class Train : public ::testing::Test {
 protected:
  Train() { std::ofstream(network_) << R"json({"network": "2*FGNN(16) - Out(2)"}  // small)json"; }

  Words arguments(const std::string& folder, const Words& more) const {
    Words words{"train",    "synthetic",     "--network", network_.string(), "--task",
                "length=8", "--task",        "order=3",   "--set",           "threads=1",
                "--set",    "validation=20", "--out",     path(folder)};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }

  std::vector<json> metrics(const std::string& folder) const {
    std::istringstream lines(bytes(scratch_.path() / folder / "metrics.jsonl"));
    std::vector<json> all;
    for (std::string line; std::getline(lines, line);) {
      all.push_back(json::parse(line));
      all.back().erase("instances_per_second");
    }
    return all;
  }

  Scratch scratch_;
  const fs::path network_ = scratch_.path() / "network.json";
};

TEST_F(Train, ARunThatWasKilledGoesOnBitForBit) {
  const Words options{"--set", "steps=200",  "--set", "interval=60",
                      "--set", "batch=4",    "--set", "checkpoint_seconds=0",
                      "--set", "average=0.9"};
  output(arguments("whole", options));
  Words resume = options;
  resume.push_back("--resume-or-begin");
  for (int kills = 0; kills < 2; ++kills) {
    // At the first checkpoint, then at the first validation.
    const fs::path sign = path(kills == 0 ? "cut/checkpoint.safetensors" : "cut/metrics.jsonl");
    Program program(arguments("cut", resume));
    const auto seen = [&] { return fs::exists(sign) && fs::file_size(sign) > 0; };
    ASSERT_TRUE(wait_for(program, seen)) << program.err();
    program.kill_now();
    ASSERT_TRUE(program.killed()) << "it was done before it was killed";
    ASSERT_LT(metrics("cut").size(), metrics("whole").size());
  }
  output(arguments("cut", resume));
  EXPECT_TRUE(bytes(path("cut/model.safetensors")) == bytes(path("whole/model.safetensors")));
  EXPECT_EQ(metrics("cut"), metrics("whole"));
  for (const std::string name : {"model", "checkpoint"}) {
    EXPECT_EQ(output({"model", "diff", path("cut/" + name + ".safetensors"),
                      path("whole/" + name + ".safetensors")})
                  .substr(0, 6),
              "equal:");
  }
}

// The same on ranks of this machine.
class TrainOnRanks : public Train {
 protected:
  void SetUp() override {
    if (const char* missing = testing::why_no_ranks()) GTEST_SKIP() << missing;
  }
  static Words mpirun(int ranks) { return {FGNN_MPIRUN, "-n", std::to_string(ranks)}; }
  std::string on(int ranks, const std::string& folder, const Words& more) const {
    Program run(arguments(folder, more), {}, -1, mpirun(ranks));
    EXPECT_TRUE(run.wait() && run.exit_code() == 0) << run.err();
    return run.out();
  }
  // Starts two ranks and kills one of them when they have written a checkpoint.
  void kill_one(int rank, const std::string& folder, const Words& more) const {
    const fs::path checkpoint = path(folder + "/checkpoint.safetensors");
    const auto written = [&] {
      std::error_code none;
      return fs::last_write_time(checkpoint, none);
    };
    const auto before = written();
    Program run(arguments(folder, more), {}, -1, mpirun(2));
    pid_t victim = 0;
    ASSERT_TRUE(wait_for(run, [&] {
      victim = testing::process_of(run, rank);
      return victim != 0 && written() != before;
    })) << run.err();
    kill(victim, SIGKILL);
    ASSERT_TRUE(run.wait(20)) << "the other does not notice";
    EXPECT_NE(run.exit_code(), 0);
    EXPECT_LE(testing::own_lines(run).size(), 1u) << run.err();
  }
};

TEST_F(TrainOnRanks, DoWhatOneProcessDoes) {
  const Words options{"--set", "steps=12", "--set", "interval=3", "--set", "batch=8"};
  const std::string alone = output(arguments("1", options));
  const auto one = metrics("1");
  ASSERT_EQ(one.size(), 4u);
  for (const int ranks : {2, 3}) {
    const std::string folder = std::to_string(ranks);
    const std::string said = on(ranks, folder, options);
    // One speaks for all.
    EXPECT_EQ(std::ranges::count(said, '\n'), std::ranges::count(alone, '\n')) << said;
    const auto several = metrics(folder);
    ASSERT_EQ(several.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(several[i].at("step"), one[i].at("step"));
      for (const char* name : {"train_loss", "validation_loss"}) {
        const double want = one[i].at(name);
        EXPECT_NEAR(several[i].at(name).get<double>(), want, 1e-3 * want) << name;
      }
    }
  }
}

TEST_F(TrainOnRanks, GoOnTogetherBitForBitWhenTheyWereKilled) {
  const Words options{"--set",
                      "steps=600",
                      "--set",
                      "batch=4",
                      "--set",
                      "interval=180",
                      "--set",
                      "schedule=plateau",
                      "--set",
                      "every=1",
                      "--set",
                      "checkpoint_seconds=0",
                      "--resume-or-begin"};
  on(2, "whole", options);
  for (const int rank : {0, 1}) kill_one(rank, "cut", options);
  on(2, "cut", options);
  EXPECT_TRUE(bytes(path("cut/model.safetensors")) == bytes(path("whole/model.safetensors")));
  EXPECT_EQ(metrics("cut"), metrics("whole"));
}

TEST_F(TrainOnRanks, WhenOneDiesTheCheckpointStays) {
  const Words options{"--set",   "steps=1000000", "--set",
                      "batch=4", "--set",         "checkpoint_seconds=0.05"};
  for (const int rank : {1, 0}) {
    const std::string folder = "run" + std::to_string(rank);
    kill_one(rank, folder, options);
    const std::string checkpoint = path(folder + "/checkpoint.safetensors");
    const auto measured = json::parse(output({"eval", checkpoint, "--count", "20", "--json"}));
    EXPECT_EQ(measured.at("graphs"), 20);
  }
}

TEST_F(TrainOnRanks, MoreThanABatchHasGraphsAreRefused) {
  Program run(arguments("run", {"--set", "batch=2"}), {}, -1, mpirun(3));
  ASSERT_TRUE(run.wait());
  EXPECT_EQ(run.exit_code(), 2);
  ASSERT_EQ(testing::own_lines(run).size(), 1u) << run.err();
  EXPECT_NE(run.err().find("batch: cannot be shared out: 2 parts for 3 processes"),
            std::string::npos)
      << run.err();
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(Train, TheModelCanBeMeasuredDescribedExportedAndCompared) {
  const auto report = json::parse(output(arguments(
      "run", {"--set", "steps=10", "--set", "interval=5", "--set", "batch=4", "--json"})));
  EXPECT_EQ(report.at("steps"), 10);
  EXPECT_GT(report.at("instances_per_second").get<double>(), 0);
  EXPECT_FALSE(report.at("stopped_early").get<bool>());
  EXPECT_TRUE(report.at("validation_accuracy").is_number());
  const std::string model = path("run/model.safetensors"),
                    checkpoint = path("run/checkpoint.safetensors"),
                    half = path("half.safetensors"), whole = path("whole.safetensors");

  const auto measure = [&](const std::string& file, const std::string& batch) {
    return json::parse(output({"eval", file, "--count", "50", "--batch", batch, "--json"}));
  };
  const auto measured = measure(model, "50");
  EXPECT_EQ(measured.at("task"), "synthetic");
  EXPECT_EQ(measured.at("graphs"), 50);
  for (const char* key : {"loss", "accuracy", "standard_error", "solved"}) {
    EXPECT_NEAR(measure(model, "7").at(key).get<double>(), measured.at(key).get<double>(), 1e-5);
  }

  const auto described = json::parse(output({"model", "describe", model, "--json"}));
  EXPECT_EQ(described.at("network"), "2*FGNN(16) - Out(2)");
  EXPECT_GT(described.at("parameters").get<int>(), 1000);
  EXPECT_EQ(described.at("metadata").at("length"), "8");
  EXPECT_EQ(described.at("metadata").at("task"), "synthetic");

  output({"model", "export", checkpoint, whole});
  output({"model", "export", checkpoint, half, "--half"});
  EXPECT_LT(fs::file_size(whole), fs::file_size(checkpoint));
  EXPECT_LT(fs::file_size(half), fs::file_size(whole));
  const auto difference = [&](const std::string& a, const std::string& b) {
    return json::parse(output({"model", "diff", a, b, "--json"}));
  };
  EXPECT_TRUE(difference(checkpoint, whole).at("equal").get<bool>());
  const auto rounded = difference(half, whole);
  EXPECT_FALSE(rounded.at("equal").get<bool>());
  EXPECT_LT(rounded.at("largest").get<double>(), 1e-3);
  EXPECT_NEAR(measure(half, "50").at("loss").get<double>(),
              measure(whole, "50").at("loss").get<double>(), 1e-2);
  const auto exported = json::parse(output({"model", "describe", whole, "--json"}));
  EXPECT_EQ(exported.dump().find("train."), std::string::npos);
}

TEST_F(Train, AConfigurationFileIsReadBeforeTheCommandLine) {
  std::ofstream(path("c.json")) << R"json({
    "task": {"dataset": "D4", "length": 6},
    "network": {"network": "FGNN(8) - Out(2)"},
    "train" : {
  "steps" : 4, "interval" : 2, "batch" : 3, "validation" : 5, "threads" : 1
}  // few
})json";
  output({"train", "synthetic", "--config", path("c.json"), "--set", "steps=6", "--task",
          "length=7", "--out", path("run")});
  const auto config = json::parse(bytes(path("run/config.json")));
  EXPECT_EQ(config.at("settings").at("dataset"), "D4");
  EXPECT_EQ(config.at("settings").at("length"), "7");
  EXPECT_EQ(config.at("network").at("network"), "FGNN(8) - Out(2)");
  EXPECT_EQ(config.at("train").at("steps"), 6);
  EXPECT_EQ(config.at("train").at("batch"), 3);
  EXPECT_EQ(metrics("run").size(), 3u);
}

TEST_F(Train, ErrorsAreOneLine) {
  output(arguments("run", {"--set", "steps=2", "--set", "batch=2"}));
  const auto with = [&](const std::string& a, const std::string& b) {
    return arguments("other", {a, b});
  };
  expect_failure(3, "holds a run already; go on with --resume", arguments("run", {}));
  expect_failure(2, "was started with other options", arguments("run", {"--resume"}));
  expect_failure(4, "--set: 'step' is not a setting of training; did you mean 'steps'?",
                 with("--set", "step=3"));
  expect_failure(4, "--set: steps: '-3' is not a whole number", with("--set", "steps=-3"));
  expect_failure(2, "has no setting 'lenght'; did you mean 'length'?", with("--task", "lenght=3"));
  expect_failure(2, "is neither a preset nor a file", {"train", "synthetic", "--network", "none"});
  EXPECT_FALSE(fs::exists(path("other")));

  const std::string model = path("run/model.safetensors"), cut = path("cut.safetensors");
  std::ofstream(cut) << bytes(model).substr(0, fs::file_size(model) / 2);
  const std::string text = path("text.safetensors"), absent = path("absent.safetensors");
  std::ofstream(text) << "This is not a model.\n";
  for (const Words& command : {Words{"eval"}, Words{"model", "describe"}}) {
    for (const auto& [file, code] : {std::pair(cut, 4), std::pair(text, 4), std::pair(absent, 3)}) {
      Words words = command;
      words.push_back(file);
      expect_failure(code, file, words);
    }
  }
  expect_failure(4, cut, {"model", "diff", model, cut});
  expect_failure(4, text, {"model", "export", text, path("x.safetensors")});
  EXPECT_FALSE(fs::exists(path("x.safetensors")));
}

TEST_F(Train, ASecondTrainingInTheFolderIsRefused) {
  Program first(arguments(
      "run", {"--set", "steps=1000000", "--set", "interval=1000000", "--set", "batch=2"}));
  ASSERT_TRUE(wait_for(first, [&] { return fs::exists(path("run/metrics.jsonl")); }));
  const Words same{"--set", "steps=3", "--set", "batch=2"};
  const std::string before = bytes(path("run/config.json"));
  expect_failure(3, "run: is in use by another process", arguments("run", same));
  EXPECT_EQ(bytes(path("run/config.json")), before);
  first.kill_now();
  output(arguments("run", same));  // the lock went with its process
}

TEST_F(Train, ResumingWhereThereIsNoRunIsRefused) {
  const Words few{"--set", "steps=2", "--set", "batch=2"};
  Words resume = few, either = few;
  resume.push_back("--resume");
  either.push_back("--resume-or-begin");
  expect_failure(3, "run: holds no run to go on with; leave out --resume",
                 arguments("run", resume));
  EXPECT_FALSE(fs::exists(path("run")));
  output(arguments("run", either));
  output(arguments("run", either));
  output(arguments("run", resume));
  expect_failure(2, "--resume: needs the folder of the run",
                 {"train", "synthetic", "--set", "steps=2", "--resume"});
}

TEST_F(Train, ANumberThatIsNoneIsNamed) {
  expect_failure(4, "--seed: seed: '\"abc\"' is not a whole number from 0 on",
                 arguments("run", {"--seed", "abc"}));
  expect_failure(4, "--threads: threads: '\"two\"' is not a whole number",
                 arguments("run", {"--threads", "two"}));
}

TEST_F(Train, FaultsOfAConfigurationAreAShortLineOfText) {
  const auto refused = [&](const std::string& text, const std::string& message) {
    std::ofstream(path("bad.json")) << text;
    expect_failure(4, message, {"train", "synthetic", "--config", path("bad.json")});
    Program program({"train", "synthetic", "--config", path("bad.json")});
    ASSERT_TRUE(program.wait());
    EXPECT_LT(program.err().size(), 1500u);
    for (const char c : program.err()) {
      EXPECT_TRUE(static_cast<unsigned char>(c) >= ' ' || c == '\n') << program.err();
    }
    EXPECT_EQ(program.err().find("json.exception"), std::string::npos) << program.err();
  };
  refused("{\"train\": \n{" + std::string(900000, 'x'), "bad.json:2:2: is not JSON from 'xxxx");
  refused("{\"task\": \"\xff\xfe\"}", "bad.json:1:");
  refused("{\"\\u001b[31mtask\": 3}", "\\x1b[31mtask");
  refused("{\"task\": {", "the JSON ends too early");
}

// What a terminal shows while it trains: a bar, taken away before a row is printed.
TEST_F(Train, OnATerminalRowsDoNotStandBehindTheBar) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  const int other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(other_end, 0);
  Program program(arguments("run", {"--set", "steps=100000000", "--set", "interval=50", "--set",
                                    "batch=2", "--set", "validation=1"}),
                  {}, other_end);
  close(other_end);
  std::string seen;
  std::smatch match;
  // A row after a bar, with what is between them.
  const std::regex row("training \\[[^\\n]*?( +[0-9]+ +[0-9]\\.[0-9]{5} )");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!std::regex_search(seen, match, row) && std::chrono::steady_clock::now() < end) {
    pollfd ready{terminal, POLLIN, 0};
    char piece[4096];
    if (poll(&ready, 1, 100) <= 0) continue;
    const auto size = read(terminal, piece, sizeof piece);
    if (size <= 0) break;
    seen.append(piece, static_cast<std::size_t>(size));
    seen.erase(0, seen.rfind("training [") == seen.npos ? 0 : seen.rfind("training ["));
  }
  program.kill_now();
  close(terminal);
  ASSERT_FALSE(match.empty()) << "no row came after a bar: " << seen;
  const std::string all = match.str(0), cells = match.str(1);
  const std::string between = all.substr(0, all.size() - cells.size());
  EXPECT_TRUE(between.ends_with("\r\033[K")) << between;
  EXPECT_EQ(std::string_view(between).find("instances/s     "), std::string_view::npos);
}

}  // namespace
}  // namespace fgnn
