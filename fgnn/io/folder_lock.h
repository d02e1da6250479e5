// One process at a time in a folder.
#pragma once

#include <filesystem>

namespace fgnn {

class FolderLock {
 public:
  FolderLock() = default;
  // Makes the folder where there is none. The lock is a file ".lock" in it, which stays; the system
  // frees it with the process, however that ends. File systems that know no locks are taken as they
  // are. Throws Error(io): the folder cannot be written to, or another process has it.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;

 private:
  int file_ = -1;
};

}  // namespace fgnn
