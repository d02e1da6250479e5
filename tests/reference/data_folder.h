// Where the real data is, for tests that use it: $FGNN_DATA, or ../shared/data beside the project.
// Such tests skip when it is not there.
#pragma once

#include <cstdlib>
#include <filesystem>

#include "tests/places.h"

namespace fgnn::testing {

inline std::filesystem::path data_folder() {
  if (const char* named = std::getenv("FGNN_DATA")) return named;
  return std::filesystem::path(FGNN_SOURCE_DIR) / ".." / "shared" / "data";
}

}  // namespace fgnn::testing

#define FGNN_SKIP_WITHOUT_DATA(folder)                                                \
  if (!std::filesystem::is_directory(fgnn::testing::data_folder() / (folder)))        \
  GTEST_SKIP() << "no data at " << (fgnn::testing::data_folder() / (folder)).string() \
               << "; set FGNN_DATA to the folder that holds " << (folder)
