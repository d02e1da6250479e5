// The program in a process of its own, in the folder of the example models: killed, waited for, its
// output and its messages.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/places.h"
#include "tests/reference/scratch.h"

namespace fgnn::testing {

using Words = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

inline std::string bytes(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// The program on these arguments, in a process of its own.
class Program {
 public:
  // With a terminal, both outputs go there. A launcher's words come first.
  explicit Program(Words arguments, const Environment& environment = {}, int terminal = -1,
                   const Words& launcher = {}) {
    arguments.insert(arguments.begin(), FGNN_PROGRAM_FILE);
    arguments.insert(arguments.begin(), launcher.begin(), launcher.end());
    std::vector<char*> argv;
    for (auto& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    const std::string out = (scratch_.path() / "out").string(),
                      err = (scratch_.path() / "err").string();
    pid_ = fork();
    if (pid_ != 0) return;
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    dup2(terminal >= 0 ? terminal : open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    dup2(terminal >= 0 ? terminal : open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    if (chdir(FGNN_MODELS) != 0) _exit(126);
    execvp(argv[0], argv.data());
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
  // False when it still runs after `seconds`, or ten times as long under sanitizers.
  bool wait(double seconds = 60) {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(FGNN_PATIENCE * seconds);
    while (running() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return ended_;
  }
  pid_t id() const { return pid_; }
  void send(int signal) { kill(pid_, signal); }
  void kill_now() {
    send(SIGKILL);
    ended_ = waitpid(pid_, &status_, 0) == pid_;
  }

  int ended_by() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }
  bool killed() const { return ended_by() == SIGKILL; }
  int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }
  std::string out() const { return bytes(scratch_.path() / "out"); }
  std::string err() const { return bytes(scratch_.path() / "err"); }

 private:
  Scratch scratch_;
  pid_t pid_;
  int status_ = 0;
  bool ended_ = false;
};

// A line of arguments in words; what stands between single quotes is not divided.
inline Words words_of(const std::string& line) {
  Words words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c != ' ' || quoted) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

struct Ran {
  std::string out, err;
  int exit = 0;  // code, or -1 when a signal ended it
};

// The program to its end.
inline Ran run_program_fully(const std::string& arguments) {
  Program program(words_of(arguments));
  program.wait(600);
  return {program.out(), program.err(), program.exit_code()};
}

inline std::string run_program(const std::string& arguments) {
  return run_program_fully(arguments).out;
}

// Waits for something that the program does.
inline bool wait_for(Program& program, const std::function<bool()>& what) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!what()) {
    if (!program.running() || std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace fgnn::testing
