#include "fgnn/io/temporary.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include "fgnn/io/atomic_file.h"
#include "fgnn/io/outside_program.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;

// What ended a process that did this.
int ended_by(const std::function<void()>& what) {
  const pid_t child = fork();
  if (child == 0) {
    clean_up_on_signals();
    what();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(Temporary, ASignalInTheMiddleOfWritingLeavesNothing) {
  const testing::Scratch scratch;
  const fs::path file = scratch.path() / "file";
  std::ofstream(file) << "old";
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    EXPECT_EQ(ended_by([&] {
                write_file(file, [&](std::ostream& out) {
                  out << "half" << std::flush;
                  raise(signal);
                  ::sleep(5);  // the thread sanitizer delivers signals when a call waits
                });
              }),
              signal);
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 1);
    std::string text;
    std::ifstream(file) >> text;
    EXPECT_EQ(text, "old");
  }
}

TEST(Temporary, ASignalTakesScratchFoldersAway) {
  const testing::Scratch scratch;
  const fs::path note = scratch.path() / "note";
  EXPECT_EQ(ended_by([&] {
              const ScratchFolder folder;
              std::ofstream(folder.path() / "a") << "x";
              std::ofstream(folder.path() / "b") << "y";
              std::ofstream(note) << folder.path().string() << std::flush;
              raise(SIGTERM);
            }),
            SIGTERM);
  std::string made;
  std::ifstream(note) >> made;
  ASSERT_FALSE(made.empty());
  EXPECT_FALSE(fs::exists(made));
}

TEST(Temporary, AnIgnoredSignalStaysIgnored) {
  EXPECT_EQ(ended_by([] {
              signal(SIGHUP, SIG_IGN);
              clean_up_on_signals();
              raise(SIGHUP);
            }),
            0);
}

TEST(Temporary, MoreThanAreKnownAreNoMistake) {
  const testing::Scratch scratch;
  std::vector<std::unique_ptr<Temporary>> many;
  for (int i = 0; i < 100; ++i) {
    many.push_back(std::make_unique<Temporary>(scratch.path() / std::to_string(i)));
  }
}

}  // namespace
}  // namespace fgnn
