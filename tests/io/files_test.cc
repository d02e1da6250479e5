#include "fgnn/io/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::Scratch;

FactorGraph checks() {
  GraphBuilder b;
  b.factor(b.variables("x", 3, 2), Parity());
  return std::move(b).build();
}

std::string text_of(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Files, TheEndingTellsTheFormat) {
  const Scratch scratch;
  EXPECT_EQ(graph_formats().size(), 4u);
  for (const FormatInfo& format : graph_formats()) {
    const fs::path file = scratch.path() / ("model" + format.ending);
    write_graph(checks(), file);
    const FactorGraph again = read_graph(file);
    EXPECT_EQ(again.num_factors(), 1u) << format.name;
    EXPECT_EQ(again.score(std::vector<State>{1, 1, 0}), 0) << format.name;
    EXPECT_EQ(again.score(std::vector<State>{1, 0, 0}), kForbidden) << format.name;
  }
  EXPECT_EQ(entries(scratch.path()), 4u) << "temporary files are left";
}

TEST(Files, ANamedFormatWinsOverTheEnding) {
  const Scratch scratch;
  const fs::path file = scratch.path() / "model.uai";
  write_graph(checks(), file, "fgt");
  EXPECT_TRUE(text_of(file).starts_with("fgnn 1\n"));
  EXPECT_EQ(read_graph(file, "fgt").num_variables(), 3u);
}

TEST(Files, EndingsMayBeInCapitals) {
  const Scratch scratch;
  write_graph(checks(), scratch.path() / "model.UAI");
  EXPECT_TRUE(text_of(scratch.path() / "model.UAI").starts_with("MARKOV\n"));
}

TEST(Files, UnknownFormatsAreRefusedWithTheKnownOnes) {
  expect_error(ErrorCode::usage,
               "a.xml: its ending is not that of a known format; known are .fgt, .uai",
               [] { read_graph("a.xml"); });
  expect_error(ErrorCode::usage, "xml: is not a known format; known are fgt, uai, fg, alist",
               [] { write_graph(checks(), "a.uai", "xml"); });
  expect_error(ErrorCode::usage, "-: the format of standard input and output must be named",
               [] { read_graph("-"); });
}

TEST(Files, WhatCannotBeReadIsNamed) {
  const Scratch scratch;
  const fs::path absent = scratch.path() / "absent.uai", folder = scratch.path() / "folder.uai";
  fs::create_directory(folder);
  expect_error(ErrorCode::io, absent.string() + ": cannot be read: No such file or directory",
               [&] { read_graph(absent); });
  expect_error(ErrorCode::io, folder.string() + ": is a directory", [&] { read_graph(folder); });
  std::ofstream(scratch.path() / "bad.uai") << "MARKOV\n1\nx";
  expect_error(ErrorCode::format, "bad.uai:3:1: expected a number of states, found 'x'",
               [&] { read_graph(scratch.path() / "bad.uai"); });
}

TEST(Files, AFailureLeavesTheOldFileAndNothingElse) {
  const Scratch scratch;
  const fs::path file = scratch.path() / "model.alist";
  write_graph(checks(), file);
  const std::string before = text_of(file);
  GraphBuilder b;
  b.variable("rain", 3);
  const FactorGraph unfit = std::move(b).build();
  expect_error(ErrorCode::unsupported, "rain: has 3 states", [&] { write_graph(unfit, file); });
  EXPECT_EQ(text_of(file), before);
  EXPECT_EQ(entries(scratch.path()), 1u);
  expect_error(ErrorCode::io, "absent/model.uai: cannot be written: No such file or directory",
               [&] { write_graph(unfit, scratch.path() / "absent" / "model.uai"); });
}

// As fgnn check sees it.
TEST(Files, ASumThatIsNegativeSomewhereIsNotWritten) {
  const Scratch scratch;
  const auto with_lambda = [](double lambda) {
    GraphBuilder b;
    b.factor(b.variables("x", 2, 2), LowRank({2, 2}, {1, lambda}, {{1, 1, 1, 1}, {1, 1, 1, 1}}));
    return std::move(b).build();
  };
  for (const FormatInfo& format : graph_formats()) {
    if (format.name == "alist") continue;
    const fs::path file = scratch.path() / ("model" + format.ending);
    expect_error(ErrorCode::model, "the potential of state 0 0 is negative",
                 [&] { write_graph(with_lambda(-2), file); });
    EXPECT_EQ(entries(scratch.path()), 0u);
    write_graph(with_lambda(-0.5), file);
    fs::remove(file);
  }
}

// A file of a few bytes may stand for tables of gigabytes.
TEST(Files, WritingKeepsToItsBudget) {
  const Scratch scratch;
  GraphBuilder b;
  b.factor(b.variables("x", 18, 2), Count::at_most(3));
  const FactorGraph graph = std::move(b).build();
  for (const char* name : {"model.uai", "model.fg"}) {
    const fs::path file = scratch.path() / name;
    Budget small("convert", 1 << 20);
    expect_error(ErrorCode::too_large, "convert", [&] { write_graph(graph, file, "", &small); });
    Budget late("convert", Budget::kNoLimit, Deadline(0));
    expect_error(ErrorCode::time_limit, "convert", [&] { write_graph(graph, file, "", &late); });
    EXPECT_EQ(entries(scratch.path()), 0u);
    Budget enough("convert", 1 << 22);
    write_graph(graph, file, "", &enough);
    EXPECT_EQ(enough.held(), 0u);
    fs::remove(file);
  }
}

TEST(Files, AFullDiskIsReported) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  expect_error(ErrorCode::io, "/dev/full: cannot be written: No space left on device",
               [] { write_graph(checks(), "/dev/full", "fgt"); });
  EXPECT_TRUE(fs::is_character_file("/dev/full")) << "a device must not be replaced";
}

TEST(Files, LinksAndPermissionsSurvive) {
  const Scratch scratch;
  const fs::path file = scratch.path() / "model.fgt", link = scratch.path() / "link.fgt";
  std::ofstream(file) << "old";
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(file, link);
  write_graph(checks(), link);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(text_of(file).starts_with("fgnn 1\n"));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(Files, EvidenceIsReadFromAFile) {
  const Scratch scratch;
  std::ofstream(scratch.path() / "a.evid") << "1 2 1";
  EXPECT_THAT(read_evidence(checks(), scratch.path() / "a.evid").hard(),
              ::testing::ElementsAre(::testing::Pair(2, 1)));
  std::ofstream(scratch.path() / "b.evid") << "1 3 1";
  expect_error(ErrorCode::format, "b.evid:1:3: there is no variable 3",
               [&] { read_evidence(checks(), scratch.path() / "b.evid"); });
}

}  // namespace
}  // namespace fgnn
