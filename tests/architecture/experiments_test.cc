// The program's core knows no experiment by name: adding one adds a folder and a line of the list.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "fgnn/experiments/experiment.h"
#include "tests/places.h"

namespace fgnn {
namespace {

// Where a text says the name as a word of its own, one line each; pages of the documentation may be
// named.
std::vector<std::string> mentions(const std::string& text, const std::string& name) {
  const std::regex word("(^|[^A-Za-z0-9_-])" + name + "([^A-Za-z0-9_]|$)");
  const std::string page = "docs/" + name + ".md";
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (auto at = line.find(page); at != line.npos; at = line.find(page)) {
      line.erase(at, page.size());
    }
    if (std::regex_search(line, word)) found.push_back(line);
  }
  return found;
}

TEST(Architecture, TheCoreNamesNoExperiment) {
  const std::filesystem::path root = std::filesystem::path(FGNN_SOURCE_DIR) / "fgnn";
  int files = 0;
  for (const char* room : {"cli", "tasks", "train", "report"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room)) {
      if (!entry.is_regular_file()) continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      ++files;
      for (const auto& experiment : experiments::list()) {
        for (const std::string& line : mentions(text.str(), experiment.name)) {
          ADD_FAILURE() << entry.path().lexically_relative(root).string() << ": " << line;
        }
      }
    }
  }
  EXPECT_GT(files, 40);
}

TEST(Architecture, TheCheckSeesNames) {
  EXPECT_EQ(mentions("a\n#include \"fgnn/experiments/ldpc/task.h\"\n", "ldpc").size(), 1u);
  EXPECT_EQ(mentions("\"ldpc\"", "ldpc").size(), 1u);
  EXPECT_EQ(mentions("see docs/ldpc.md", "ldpc").size(), 0u);
  EXPECT_EQ(mentions("ldpcs, LDPC", "ldpc").size(), 0u);
}

}  // namespace
}  // namespace fgnn
