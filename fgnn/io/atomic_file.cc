#include "fgnn/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "fgnn/core/error.h"
#include "fgnn/core/output.h"
#include "fgnn/io/temporary.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& what, int error) {
  throw Error(ErrorCode::io, file.string(), what + ": " + std::strerror(error));
}

void write_to(std::ostream& out, const fs::path& file,
              const std::function<void(std::ostream&)>& write) {
  errno = 0;
  write(out);
  if (!out.flush()) fail(file, "cannot be written", errno != 0 ? errno : EIO);
}

void write_directly(const fs::path& target, const fs::path& file,
                    const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream out(target, std::ios::binary);
  if (!out) fail(file, "cannot be written", errno);
  write_to(out, file, write);
}

// Before the new name replaces the old file: otherwise a power failure could leave the name to a
// file whose contents never reached the disk.
void wait_for_disk(const fs::path& written, const fs::path& file) {
  const int descriptor = ::open(written.c_str(), O_RDONLY | O_CLOEXEC);
  const int error = descriptor < 0 || ::fsync(descriptor) != 0 ? errno : 0;
  if (descriptor >= 0) ::close(descriptor);
  // EINVAL: a file system that has nothing to wait for.
  if (error != 0 && error != EINVAL) fail(file, "cannot be written", error);
}

// Unique among the threads of this process and among processes.
fs::path temporary_beside(const fs::path& target) {
  static std::atomic<unsigned> counter{0};
  return target.parent_path() /
         fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), counter.fetch_add(1));
}

}  // namespace

void write_file(const fs::path& file, const std::function<void(std::ostream&)>& write) {
  if (file == "-") {
    erase_bar();
    return write_to(std::cout, "standard output", write);
  }
  std::error_code ignored;
  // Through symbolic links, so that the link stays one.
  const fs::path target = fs::exists(file, ignored) ? fs::canonical(file, ignored) : file;
  const fs::file_status status = fs::status(target, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status))
    return write_directly(target, file, write);
  const fs::path temporary = temporary_beside(target);
  const Temporary known_to_signals(temporary);
  try {
    write_directly(temporary, file, write);
    wait_for_disk(temporary, file);
    if (fs::exists(status)) fs::permissions(temporary, status.permissions(), ignored);
    std::error_code failure;
    fs::rename(temporary, target, failure);
    if (failure) fail(file, "cannot be replaced", failure.value());
  } catch (...) {
    fs::remove(temporary, ignored);
    throw;
  }
}

}  // namespace fgnn
