// Nothing is printed but through core/output.h, which takes the progress bar away before and does
// not fail where nobody can be told; and only the program goes through that door.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/places.h"

namespace fgnn {
namespace {

struct Source {
  std::string file;  // below fgnn/
  std::string text;
};

std::vector<Source> sources() {
  const std::filesystem::path root = std::filesystem::path(FGNN_SOURCE_DIR) / "fgnn";
  std::vector<Source> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cc") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    all.push_back({entry.path().lexically_relative(root).string(), text.str()});
  }
  return all;
}

TEST(Architecture, OutputGoesThroughOneDoor) {
  // The door, and files called "-", which are streams.
  const std::set<std::string> doors{"core/output.cc", "io/atomic_file.cc"};
  const std::regex print(R"(, stderr\)|\(stderr,|fmt::print|std::c(out|err|log)\b|\bprintf\()");
  int found_doors = 0;
  for (const auto& [file, source] : sources()) {
    if (doors.contains(file)) {
      EXPECT_TRUE(std::regex_search(source, print)) << file << " is not a door any more";
      ++found_doors;
      continue;
    }
    std::smatch match;
    EXPECT_FALSE(std::regex_search(source, match, print)) << file << " prints: " << match.str();
  }
  EXPECT_EQ(found_doors, 2);
}

// Libraries tell their observer (core/control.h), and return what is to be printed: commands of
// experiments as their Output.
TEST(Architecture, OnlyTheProgramPrints) {
  const std::regex print(R"(\b(print_(result|message)|draw_bar)\()");
  int in_program = 0;
  for (const auto& [file, source] : sources()) {
    if (file == "core/output.h" || file == "core/output.cc") continue;
    std::smatch match;
    if (!std::regex_search(source, match, print)) continue;
    EXPECT_TRUE(file.starts_with("cli/")) << file << " prints: " << match.str();
    ++in_program;
  }
  EXPECT_GT(in_program, 5) << "the program was not found";
}

}  // namespace
}  // namespace fgnn
