// What the program does when its outputs cannot be written, and when a signal ends it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fgnn/io/folder_lock.h"
#include "tests/cli/process.h"
#include "tests/places.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;
using testing::bytes;
using testing::Program;
using testing::Scratch;
using testing::wait_for;

class Outputs : public ::testing::Test {
 protected:
  // The exit code of the program by the shell, with redirections; 128 and more: a signal.
  int run(const std::string& arguments) const {
    const std::string command =
        "cd '" FGNN_MODELS "' && '" FGNN_PROGRAM_FILE "' " + arguments + " 2>'" + err_ + "'";
    return exit_code(command);
  }
  int run_without_messages(const std::string& arguments) const {
    return exit_code("cd '" FGNN_MODELS "' && '" FGNN_PROGRAM_FILE "' " + arguments);
  }
  std::string messages() const { return bytes(err_); }
  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }

  Scratch scratch_;

 private:
  static int exit_code(const std::string& command) {
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  const std::string err_ = path("err");
};

// A model and a code for the commands below, in the folder of example models.
std::string first_model() {
  for (const auto& entry : fs::directory_iterator(FGNN_MODELS)) {
    if (entry.path().extension() == ".uai") return entry.path().filename().string();
  }
  return {};
}

TEST_F(Outputs, ResultsThatCannotBeWrittenAreAnError) {
  const std::string model = first_model();
  ASSERT_EQ(run("code make peg --length 48 --checks 24 --out '" + path("code.alist") + "'"), 0);
  const std::vector<std::string> commands{"--help",
                                          "--version",
                                          "infer --help",
                                          "list formats",
                                          "list formats --json",
                                          "info " + model,
                                          "check " + model,
                                          "infer " + model,
                                          "map " + model + " --json",
                                          "convert " + model + " - --to fgt",
                                          "generate D1",
                                          "model describe fgnn",
                                          "code info '" + path("code.alist") + "'",
                                          "code make peg --length 48 --checks 24",
                                          "ber '" + path("code.alist") + "' --snr 1 --frames 100",
                                          "compare " + model + " --methods exact"};
  for (const auto& command : commands) {
    EXPECT_EQ(run(command + " > /dev/full"), 3) << command;
    EXPECT_EQ(messages(), "fgnn: standard output: cannot be written: No space left on device\n")
        << command;
    EXPECT_EQ(run(command + " >&-"), 3) << command;
    EXPECT_EQ(messages(), "fgnn: standard output: cannot be written: Bad file descriptor\n")
        << command;
  }
}

TEST_F(Outputs, MessagesThatCannotBeWrittenChangeNothing) {
  for (const char* where : {" 2>&-", " 2>/dev/full", " 2>/dev/full >/dev/full", " 2>&- >&- <&-"}) {
    EXPECT_EQ(run_without_messages(std::string("info nothing.uai") + where), 3) << where;
    EXPECT_EQ(run_without_messages(std::string("info --nonsense") + where), 2) << where;
  }
}

TEST_F(Outputs, MessagesDoNotEndUpInFilesThatAreOpenedLater) {
  const std::string out = path("out.fgt");
  EXPECT_EQ(run_without_messages("convert " + first_model() + " '" + out + "' 2>&- >&- <&-"), 0);
  EXPECT_TRUE(bytes(out).starts_with("fgnn 1\n")) << bytes(out);
}

TEST_F(Outputs, APlotThatCannotBeWrittenIsAnError) {
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  ASSERT_EQ(run("code make peg --length 48 --checks 24 --out '" + path("code.alist") + "'"), 0);
  const std::string ber = "ber '" + path("code.alist") + "' --snr 1 --frames 200 >/dev/null ";
  EXPECT_EQ(run(ber + "--plot /dev/full"), 3);
  EXPECT_EQ(messages(), "fgnn: /dev/full: cannot be written: No space left on device\n");
  EXPECT_EQ(run(ber + "--plot '" + path("nowhere/curve.svg") + "'"), 3);
  EXPECT_EQ(run(ber + "--plot '" + path("curve.svg") + "'"), 0) << messages();
  EXPECT_NE(bytes(path("curve.svg")).find("</svg>"), std::string::npos);
}

TEST_F(Outputs, MessagesHoldNeitherEscapeCodesNorForeignBytes) {
  EXPECT_EQ(run("info \"$(printf 'a\\033[31mb\\377c').uai\""), 3);
  EXPECT_EQ(messages(), "fgnn: a\\x1b[31mb\\xffc.uai: cannot be read: No such file or directory\n");
  EXPECT_EQ(run("info x.uai \"$(printf -- '--\\033[31m')\""), 2);
  EXPECT_EQ(messages().find('\033'), std::string::npos) << messages();
}

TEST_F(Outputs, ASignalLeavesNoTemporaryFiles) {
  const fs::path folder = path("folder"), in = path("long.fgt");
  fs::create_directory(folder);
  ASSERT_EQ(run("generate D1 --length 300000 --out '" + in.string() + "'"), 0) << messages();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Program program({"convert", in.string(), (folder / "out.uai").string()});
    ASSERT_TRUE(wait_for(program, [&] { return !fs::is_empty(folder); })) << program.err();
    program.send(signal);
    ASSERT_TRUE(program.wait());
    EXPECT_EQ(program.ended_by(), signal);
    EXPECT_TRUE(fs::is_empty(folder));
  }
}

TEST_F(Outputs, LabelsAreWrittenByOneProcessAtATime) {
  const std::string command =
      "label D5 --side 4 --count 2 --out '" + path("labels") + "' > '" + path("out") + "'";
  {
    const FolderLock other(path("labels"));
    EXPECT_EQ(run(command), 3);
    EXPECT_EQ(messages(), "fgnn: " + path("labels") +
                              ": is in use by another process; wait for it, or choose another "
                              "folder\n");
    EXPECT_FALSE(fs::exists(path("labels") + "/train.jsonl"));
  }
  EXPECT_EQ(run(command), 0) << messages();
}

TEST_F(Outputs, JsonHoldsNamesThatAreNoUtf8) {
  const std::string code = path(
      "a\xff"
      "b.alist");
  ASSERT_EQ(run("code make peg --length 48 --checks 24 --out '" + code + "'"), 0) << messages();
  EXPECT_EQ(run("ber '" + code + "' --snr 1 --frames 100 --json --log '" + path("log") + "' > '" +
                path("out") + "'"),
            0)
      << messages();
  EXPECT_NE(bytes(path("out"))
                .find("\"a\xef\xbf\xbd"
                      "b.alist\""),
            std::string::npos)
      << bytes(path("out"));
}

TEST_F(Outputs, WarningsAreOneLineAndTheWorkIsDone) {
  std::ofstream(path("q.uai")) << "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 2 3 4\n1 0\n";
  std::ofstream(path("q.evid")) << "0\n2 0\n";
  EXPECT_EQ(run("map '" + path("q.uai") + "' --evidence '" + path("q.evid") + "' > /dev/null"), 0);
  EXPECT_EQ(messages(), "fgnn: warning: " + path("q.uai") +
                            ":8:1: 2 numbers after the last table are ignored, "
                            "as if they were a list of queries\nfgnn: warning: " +
                            path("q.evid") +
                            ":1:1: declares no observations, the 2 numbers after it are ignored\n");
}

}  // namespace
}  // namespace fgnn
