// Messages and help that name a command or a page name one that exists, and speak plain English.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/cli/process.h"
#include "tests/places.h"

namespace fgnn {
namespace {

// What matches in the strings of all sources, with a file where it stands.
std::map<std::string, std::string> in_strings(const std::regex& what) {
  static const std::regex literal(R"re("((?:[^"\\\n]|\\.)*)")re");
  std::map<std::string, std::string> found;
  const std::filesystem::path root = std::filesystem::path(FGNN_SOURCE_DIR) / "fgnn";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cc") continue;
    std::istringstream lines(testing::bytes(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#include") || line.find("//") < line.find('"')) continue;
      for (std::sregex_iterator s(line.begin(), line.end(), literal), end; s != end; ++s) {
        const std::string text = (*s)[1];
        for (std::sregex_iterator m(text.begin(), text.end(), what); m != end; ++m) {
          found.try_emplace((*m)[1], entry.path().lexically_relative(root).string());
        }
      }
    }
  }
  return found;
}

// The names after "Subcommands:" in the help of a command.
std::set<std::string> commands(const std::string& of) {
  std::istringstream lines(testing::run_program_fully(of + " --help").out);
  std::set<std::string> names;
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "Subcommands:") {
      listed = true;
    } else if (listed && line.starts_with("  ") && line.size() > 2 && line[2] != ' ') {
      names.insert(line.substr(2, line.find(' ', 2) - 2));
    } else if (!line.empty() && line[0] != ' ') {
      listed = false;
    }
  }
  return names;
}

TEST(Messages, CommandsThatTheyNameExist) {
  const auto top = commands("");
  ASSERT_TRUE(top.contains("infer") && top.contains("reproduce")) << "the help was not understood";
  const auto named = in_strings(std::regex(R"((?:^|[^\w/.-])fgnn ([a-z]+(?: [a-z]+)?))"));
  EXPECT_GT(named.size(), 20u);
  for (const auto& [words, file] : named) {
    const auto space = words.find(' ');
    const std::string first = words.substr(0, space);
    // "fgnn and schema are known": a member of a description; "fgnn alone": a network.
    if (first == "and" || first == "alone") continue;
    EXPECT_TRUE(top.contains(first)) << file << " names fgnn " << words;
    if (space == words.npos || !top.contains(first)) continue;
    const auto below = commands(first);
    // Without commands below it, the second word is an argument or the sentence goes on.
    static const std::set<std::string> sentence{"on", "and", "or", "with", "wrote", "prints"};
    const std::string second = words.substr(space + 1);
    if (below.empty() || sentence.contains(second)) continue;
    EXPECT_TRUE(below.contains(second)) << file << " names fgnn " << words;
  }
}

TEST(Messages, PagesThatTheyNameExist) {
  const auto named = in_strings(std::regex(R"(\b(docs/[\w-]+\.md))"));
  EXPECT_GT(named.size(), 0u);
  for (const auto& [page, file] : named) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(FGNN_SOURCE_DIR) / page))
        << file << " names " << page;
  }
}

TEST(Messages, WhatTheyCallASeeAlsoIsACommandOrAFile) {
  // "see X" is a command, an option's help, or a file that the message names itself.
  const auto named = in_strings(std::regex(R"(\bsee ('?[\w{}./-]+))"));
  for (const auto& [what, file] : named) {
    const bool known = what == "fgnn" || what.starts_with("--") || what == "'{}" || what == "{}" ||
                       what.starts_with("docs/");
    EXPECT_TRUE(known) << file << " says: see " << what;
  }
}

TEST(Messages, SayIsNotARatherThanIsNo) {
  // "there is no X" and "is no longer" are English; "FILE: is no picture" is not.
  const auto said = in_strings(std::regex(R"(((?:\w+ )?\b(?:is|are) no \w+))"));
  EXPECT_GT(said.size(), 5u);
  static const std::regex fine(R"([Tt]here .*|.* no (?:\w+er|more|less))");
  for (const auto& [words, file] : said) {
    EXPECT_TRUE(std::regex_match(words, fine)) << file << " says: " << words;
  }
}

}  // namespace
}  // namespace fgnn
