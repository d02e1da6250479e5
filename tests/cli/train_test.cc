// fgnn train from outside: killed and resumed, several processes, and what becomes of the models.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Scratch;
using Words = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;
using Clock = std::chrono::steady_clock;

std::string bytes(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// The program on these arguments, in a process of its own.
class Program {
 public:
  explicit Program(Words arguments, const Environment& environment = {}) {
    arguments.insert(arguments.begin(), FGNN_PROGRAM_FILE);
    std::vector<char*> argv;
    for (auto& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    const std::string out = (scratch_.path() / "out").string(),
                      err = (scratch_.path() / "err").string();
    pid_ = fork();
    if (pid_ != 0) return;
    for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) unsetenv(name);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  ~Program() {
    if (!ended_) kill_now();
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  bool running() {
    if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return !ended_;
  }
  // False when it still runs after `seconds`.
  bool wait(double seconds = 60) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (running() && Clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return ended_;
  }
  void kill_now() {
    kill(pid_, SIGKILL);
    ended_ = waitpid(pid_, &status_, 0) == pid_;
  }

  bool killed() const { return WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL; }
  int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }
  std::string out() const { return bytes(scratch_.path() / "out"); }
  std::string err() const { return bytes(scratch_.path() / "err"); }

 private:
  Scratch scratch_;
  pid_t pid_;
  int status_ = 0;
  bool ended_ = false;
};

std::string output(const Words& arguments) {
  Program program(arguments);
  EXPECT_TRUE(program.wait());
  EXPECT_EQ(program.exit_code(), 0) << program.err();
  EXPECT_EQ(program.err(), "");
  return program.out();
}

// Fails in one line on standard error that contains this text.
void expect_failure(int exit_code, const std::string& text, const Words& arguments,
                    const Environment& environment = {}) {
  Program program(arguments, environment);
  ASSERT_TRUE(program.wait()) << text;
  const std::string line = program.err();
  EXPECT_EQ(program.exit_code(), exit_code) << line;
  EXPECT_EQ(line.rfind("fgnn: ", 0), 0u) << line;
  EXPECT_NE(line.find(text), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
}

// Waits for something that the program does.
bool wait_for(Program& program, const std::function<bool()>& what) {
  const auto end = Clock::now() + std::chrono::seconds(60);
  while (!what()) {
    if (!program.running() || Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
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
  resume.push_back("--resume");
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

std::string free_port() {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(s, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(s, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(s);
  return std::to_string(ntohs(address.sin_port));
}

Environment rank(int number, const std::string& port) {
  return {{"RANK", std::to_string(number)},
          {"WORLD_SIZE", "2"},
          {"MASTER_ADDR", "127.0.0.1"},
          {"MASTER_PORT", port}};
}

TEST_F(Train, TwoProcessesDoWhatOneDoesWithTwiceTheBatch) {
  const Words options{"--set", "steps=12", "--set", "interval=3"};
  const auto with = [&](const char* batch) {
    Words words = options;
    words.insert(words.end(), {"--set", batch});
    return words;
  };
  output(arguments("one", with("batch=8")));
  const std::string port = free_port();
  Program second(arguments("two", with("batch=4")), rank(1, port));
  Program first(arguments("two", with("batch=4")), rank(0, port));
  ASSERT_TRUE(first.wait());
  ASSERT_TRUE(second.wait());
  EXPECT_EQ(first.exit_code(), 0) << first.err();
  EXPECT_EQ(second.exit_code(), 0) << second.err();
  EXPECT_EQ(second.out(), "");  // the first speaks for both
  const auto one = metrics("one"), two = metrics("two");
  ASSERT_EQ(one.size(), 4u);
  ASSERT_EQ(two.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(two[i].at("step"), one[i].at("step"));
    for (const char* name : {"train_loss", "validation_loss"}) {
      const double want = one[i].at(name);
      EXPECT_NEAR(two[i].at(name).get<double>(), want, 1e-3 * want) << name;
    }
  }
}

TEST_F(Train, ProcessesThatWereKilledGoOnTogether) {
  const Words options{"--set",   "steps=30", "--set", "interval=20",
                      "--set",   "batch=2",  "--set", "checkpoint_seconds=0",
                      "--resume"};
  const fs::path checkpoint = path("cut/checkpoint.safetensors");
  for (const std::string folder : {"whole", "cut", "cut"}) {
    const bool cut = folder == "cut" && !fs::exists(checkpoint);
    const std::string port = free_port();
    Program second(arguments(folder, options), rank(1, port));
    Program first(arguments(folder, options), rank(0, port));
    if (cut) {
      ASSERT_TRUE(wait_for(first, [&] { return fs::exists(checkpoint); })) << first.err();
      first.kill_now();
      second.kill_now();
      ASSERT_TRUE(first.killed());
      continue;
    }
    ASSERT_TRUE(first.wait() && second.wait());
    EXPECT_EQ(first.exit_code(), 0) << first.err();
    EXPECT_EQ(second.exit_code(), 0) << second.err();
  }
  EXPECT_TRUE(bytes(path("cut/model.safetensors")) == bytes(path("whole/model.safetensors")));
  EXPECT_EQ(metrics("cut"), metrics("whole"));
}

TEST_F(Train, WhenOneProcessDiesTheOtherSaysSoAndTheCheckpointStays) {
  const Words options{"--set",   "steps=1000000", "--set",
                      "batch=2", "--set",         "checkpoint_seconds=0.05"};
  for (const int dying : {1, 0}) {
    const std::string folder = "run" + std::to_string(dying), port = free_port();
    Program one(arguments(folder, options), rank(1, port));
    Program zero(arguments(folder, options), rank(0, port));
    const std::string checkpoint = path(folder + "/checkpoint.safetensors");
    ASSERT_TRUE(wait_for(zero, [&] { return fs::exists(checkpoint); })) << zero.err();
    Program& left = dying == 0 ? one : zero;
    (dying == 0 ? zero : one).kill_now();
    ASSERT_TRUE(left.wait(20)) << "it does not notice";
    EXPECT_EQ(left.exit_code(), 3) << left.err();
    const std::string line = left.err();
    EXPECT_EQ(line.rfind("fgnn: rank " + std::to_string(1 - dying) + ": lost contact with the", 0),
              0u)
        << line;
    EXPECT_NE(line.find("start all again with --resume"), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    const auto measured = json::parse(output({"eval", checkpoint, "--count", "20", "--json"}));
    EXPECT_EQ(measured.at("graphs"), 20);
  }
}

TEST_F(Train, HalfAnEnvironmentIsAnErrorThatNamesTheRest) {
  const auto words = arguments("run", {});
  const std::string unset = " is not set, but other variables of a distributed run are";
  expect_failure(2, "WORLD_SIZE:" + unset, words, {{"RANK", "0"}});
  expect_failure(2, "RANK:" + unset, words, {{"WORLD_SIZE", "2"}});
  auto environment = rank(0, "29500");
  environment.erase("MASTER_PORT");
  expect_failure(2, "MASTER_PORT:" + unset, words, environment);
  expect_failure(2, "RANK: is '2', not a number up to 1", words, rank(2, "29500"));
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
  expect_failure(4, "--set: train has no option 'step'; did you mean 'steps'?",
                 with("--set", "step=3"));
  expect_failure(4, "--set: steps is -3, not a whole number", with("--set", "steps=-3"));
  expect_failure(2, "has no setting 'lenght'; did you mean 'length'?", with("--task", "lenght=3"));
  expect_failure(2, "is neither a preset nor a file", {"train", "synthetic", "--network", "none"});
  EXPECT_FALSE(fs::exists(path("other")));

  const std::string model = path("run/model.safetensors"), cut = path("cut.safetensors");
  std::ofstream(cut) << bytes(model).substr(0, fs::file_size(model) / 2);
  const std::string text = path("text.safetensors"), absent = path("absent.safetensors");
  std::ofstream(text) << "This is no model.\n";
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

}  // namespace
}  // namespace fgnn
