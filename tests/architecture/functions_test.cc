// No function is longer than a screen or two: 80 lines from its signature to its closing brace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/places.h"

namespace fgnn {
namespace {

constexpr std::size_t kMostLines = 80;

// Where what begins at `i` ends if its braces do not count: a comment, a string, a directive.
std::size_t end_of_passive(std::string_view text, std::size_t i) {
  const auto behind = [&](std::string_view mark, std::size_t from) {
    const std::size_t at = text.find(mark, from);
    return at == text.npos ? text.size() : at + mark.size();
  };
  const auto word = [&](std::size_t at) {
    return std::isalnum(static_cast<unsigned char>(text[at]));
  };
  const std::string_view rest = text.substr(i);
  if (rest.starts_with("//")) return std::min(text.find('\n', i), text.size());
  if (rest.starts_with("/*")) return behind("*/", i + 2);
  if (rest.starts_with("R\"")) {
    const std::size_t open = std::min(text.find('(', i), text.size() - 1);
    return behind(")" + std::string(text.substr(i + 2, open - i - 2)) + "\"", open);
  }
  if (rest.starts_with("#")) {
    std::size_t end = i;
    do {
      end = std::min(text.find('\n', end + 1), text.size());
    } while (end < text.size() && text[end - 1] == '\\');
    return end;
  }
  const char quote = rest[0];
  if (quote != '"' && (quote != '\'' || (i > 0 && word(i - 1)))) return i;  // 1'000 is a number
  std::size_t end = i + 1;
  while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

// The text with blanks in place of all that is passive; lines stay where they are.
std::string active(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = end_of_passive(text, i);
    for (; i < end; ++i) result += text[i] == '\n' ? '\n' : ' ';
    if (i < text.size() && end_of_passive(text, i) == i) result += text[i++];
  }
  return result;
}

// Whether a block with this in front of it holds declarations: a namespace, a class.
bool holds_declarations(std::string header) {
  static const std::regex brackets("<[^<>]*>");
  for (std::string inner; inner != header;) {
    inner = header;
    header = std::regex_replace(header, brackets, "");  // template <class T>
  }
  static const std::regex opens(R"(\b(namespace|class|struct|union|enum|extern)\b)");
  static const std::regex function(R"(\)\s*(const|noexcept|override|final|\s)*$)");
  return std::regex_search(header, opens) && !std::regex_search(header, function);
}

struct Function {
  std::size_t line = 0, lines = 0;
};

// Blocks after parentheses that stand in namespaces and classes alone.
std::vector<Function> functions(std::string_view source) {
  struct Block {
    bool declarations = false;
    std::size_t first = 0;  // line of a function, 0 for other blocks
  };
  const std::string text = active(source);
  std::vector<Block> open;
  std::vector<Function> found;
  std::size_t line = 1, begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') ++line;
    if (text[i] != ';' && text[i] != '{' && text[i] != '}') continue;
    const std::string header = text.substr(begin, i - begin);
    begin = i + 1;
    if (text[i] == '{') {
      const bool outside = std::ranges::all_of(open, &Block::declarations);
      const bool declarations = holds_declarations(header);
      const std::size_t start = std::min(header.find_first_not_of(" \n"), header.size());
      const auto above = static_cast<std::size_t>(
          std::count(header.begin() + static_cast<std::ptrdiff_t>(start), header.end(), '\n'));
      // Nothing in front: the body of a constructor after the braces of its members.
      const bool body = start == header.size() || header.find(')') != header.npos;
      open.push_back({declarations, outside && !declarations && body ? line - above : 0});
    } else if (text[i] == '}' && !open.empty()) {
      if (open.back().first > 0) found.push_back({open.back().first, line - open.back().first + 1});
      open.pop_back();
    }
  }
  return found;
}

TEST(Architecture, FunctionsAreShort) {
  std::size_t seen = 0;
  for (const char* folder : {"fgnn", "bench", "examples", "fuzz", "python"}) {
    const std::filesystem::path root = std::filesystem::path(FGNN_SOURCE_DIR) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cc") continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      for (const Function& function : functions(text.str())) {
        EXPECT_LE(function.lines, kMostLines)
            << entry.path().lexically_relative(FGNN_SOURCE_DIR).string() << ":" << function.line;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 1000u) << "the functions were not found";
}

TEST(Architecture, TheLengthOfFunctionsIsSeen) {
  const auto lengths = [](std::string_view source) {
    std::vector<std::size_t> all;
    for (const Function& function : functions(source)) all.push_back(function.lines);
    return all;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(lengths("namespace a {\nint f() {\n  if (x) {\n  }\n  return 1;\n}\n}\n"),
              ElementsAre(5));
  EXPECT_THAT(lengths("struct A {\n  int b = 0;\n  template <class T>\n  void f(\n      T t) const "
                      "{\n  }\n};\n"),
              ElementsAre(4));
  EXPECT_THAT(lengths("A::A()\n    : b_{1}, c_(2) {\n}\n"), ElementsAre(2, 2));
  EXPECT_THAT(lengths("void f() {\n  g(\"}\", '}', R\"x(})x\");  // }\n#define X }\n}\n"),
              ElementsAre(4));
  EXPECT_THAT(lengths("const int table[] = {\n  1,\n  2};\n"), ElementsAre());
}

}  // namespace
}  // namespace fgnn
