// Threads are made in one room: loops run on the pool of core/parallel.h, values are made ahead by
// core/ahead.h, and nobody else starts a thread.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "tests/places.h"

namespace fgnn {
namespace {

TEST(Architecture, ThreadsAreStartedInCoreAlone) {
  const std::filesystem::path root = std::filesystem::path(FGNN_SOURCE_DIR) / "fgnn";
  const std::regex starts(R"(std::j?thread\b(?!::)|std::async|pthread_create)");
  int in_core = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cc") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    if (!std::regex_search(text.str(), starts)) continue;
    const auto file = entry.path().lexically_relative(root);
    EXPECT_EQ(file.begin()->string(), "core") << file << " starts threads of its own";
    ++in_core;
  }
  EXPECT_GE(in_core, 2) << "the pool was not found at " << root;
}

}  // namespace
}  // namespace fgnn
