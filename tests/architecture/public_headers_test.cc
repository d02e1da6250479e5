// The public surface is what fgnn/fgnn.h names, and it is closed: a public header needs no internal
// one and no other library. (That each compiles alone is the test Headers.CompileAlone.)
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

const std::filesystem::path kSource = FGNN_SOURCE_DIR;

std::string text_of(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// What stands between the signs, such as `"` and `"`.
std::set<std::string> included(const std::string& text, const std::string& between) {
  const std::regex include("(^|\n)[ \t]*#[ \t]*include[ \t]*" + between);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
    found.insert((*it)[2]);
  }
  return found;
}

std::set<std::string> own(const std::string& text) { return included(text, "\"([^\"]*)\""); }
std::set<std::string> foreign(const std::string& text) { return included(text, "<([^>]*)>"); }

const std::set<std::string>& public_headers() {
  static const std::set<std::string> all = own(text_of(kSource / "fgnn/fgnn.h"));
  return all;
}

TEST(PublicHeaders, ExistAndIncludeOnlyPublicOnes) {
  EXPECT_GT(public_headers().size(), 50u);
  for (const std::string& header : public_headers()) {
    if (header == "fgnn/version.h") continue;  // made by CMake
    const std::string text = text_of(kSource / header);
    ASSERT_FALSE(text.empty()) << header << " is not there";
    for (const std::string& other : own(text)) {
      EXPECT_TRUE(public_headers().contains(other)) << header << " includes the internal " << other;
    }
  }
}

TEST(PublicHeaders, NeedNoOtherLibrary) {
  for (const std::string& header : public_headers()) {
    if (header == "fgnn/version.h") continue;
    for (const std::string& other : foreign(text_of(kSource / header))) {
      const bool standard = other.find('/') == other.npos && other.find('.') == other.npos;
      EXPECT_TRUE(standard) << header << " includes <" << other << ">";
    }
  }
}

// Sub-folders of a room are its workshop.
TEST(PublicHeaders, AreNotInSubFolders) {
  for (const std::string& header : public_headers()) {
    const auto slashes = std::count(header.begin(), header.end(), '/');
    EXPECT_LE(slashes, 2) << header;
    EXPECT_EQ(header.find("-inl"), header.npos) << header;
  }
}

TEST(PublicHeaders, ExamplesNeedNothingElse) {
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "examples")) {
    if (entry.path().extension() != ".cc") continue;
    for (const std::string& header : own(text_of(entry.path()))) {
      EXPECT_TRUE(header == "fgnn/fgnn.h" || public_headers().contains(header))
          << entry.path().filename() << " includes the internal " << header;
    }
  }
}

}  // namespace
}  // namespace fgnn
