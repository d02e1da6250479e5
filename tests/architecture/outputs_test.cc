// Nothing is printed but through core/output.h, which takes the progress bar away before and does
// not fail where nobody can be told.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/places.h"

namespace fgnn {
namespace {

TEST(Architecture, OutputGoesThroughOneDoor) {
  const std::filesystem::path root = std::filesystem::path(FGNN_SOURCE_DIR) / "fgnn";
  // The door, and files called "-", which are streams.
  const std::set<std::string> doors{"core/output.cc", "io/atomic_file.cc"};
  const std::regex print(R"(, stderr\)|\(stderr,|fmt::print|std::c(out|err|log)\b|\bprintf\()");
  int found_doors = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cc") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string source = text.str(), file = entry.path().lexically_relative(root).string();
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

}  // namespace
}  // namespace fgnn
