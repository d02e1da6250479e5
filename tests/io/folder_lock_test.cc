#include "fgnn/io/folder_lock.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

using testing::expect_error;

TEST(FolderLock, IsOnesAtATime) {
  const testing::Scratch scratch;
  const auto folder = scratch.path() / "a" / "b";
  {
    const FolderLock lock(folder);
    expect_error(ErrorCode::io, folder.string() + ": is in use by another process",
                 [&] { FolderLock second(folder); });
    const FolderLock elsewhere(scratch.path());
  }
  FolderLock again(folder), moved;
  moved = std::move(again);
  expect_error(ErrorCode::io, "in use", [&] { FolderLock second(folder); });
}

TEST(FolderLock, NeedsAFolder) {
  const testing::Scratch scratch;
  std::ofstream(scratch.path() / "file") << "x";
  expect_error(ErrorCode::io, "cannot be made",
               [&] { FolderLock lock(scratch.path() / "file" / "run"); });
  expect_error(ErrorCode::io, (scratch.path() / "file").string(),
               [&] { FolderLock lock(scratch.path() / "file"); });
}

}  // namespace
}  // namespace fgnn
