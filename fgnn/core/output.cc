#include "fgnn/core/output.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "fgnn/core/error.h"
#include "fgnn/core/printable.h"

namespace fgnn {
namespace {

std::mutex mutex;
bool bar_shown = false;
std::atomic<bool> quiet_now = false;

// With the mutex held.
void write_error(std::string_view text) noexcept {
  // Nobody is left to tell when this fails.
  [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void take_bar_away() noexcept {
  if (bar_shown) write_error("\r\033[K");
  bar_shown = false;
}

[[noreturn]] void refuse_output(int error) {
  std::clearerr(stdout);  // said once is enough
  throw Error(ErrorCode::io, "standard output",
              std::string("cannot be written: ") + std::strerror(error != 0 ? error : EIO));
}

std::size_t terminal_width() noexcept {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

// The first characters of the text, which is UTF-8.
std::string_view first_characters(std::string_view text, std::size_t most) noexcept {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xc0) != 0x80 && ++characters > most) return text.substr(0, i);
  }
  return text;
}

}  // namespace

void keep_quiet(bool quiet) noexcept { quiet_now = quiet; }

void print_result(std::string_view text) {
  if (quiet_now) return;
  const std::lock_guard lock(mutex);
  take_bar_away();
  errno = 0;
  const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written != text.size() || std::ferror(stdout)) refuse_output(errno);
}

void flush_results() {
  if (quiet_now) return;
  const std::lock_guard lock(mutex);
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) refuse_output(errno);
}

void print_message(std::string_view line) noexcept {
  if (quiet_now) return;
  try {
    const std::string text = printable(line) + "\n";
    const std::lock_guard lock(mutex);
    take_bar_away();
    write_error(text);
  } catch (...) {  // out of memory: then without the care
    write_error("fgnn: out of memory\n");
  }
}

void draw_bar(std::string_view text) noexcept {
  if (quiet_now) return;
  try {
    const std::string all = "\r\033[K" + std::string(first_characters(text, terminal_width() - 1));
    const std::lock_guard lock(mutex);
    write_error(all);
    bar_shown = true;
  } catch (...) {  // no bar, then
  }
}

void erase_bar() noexcept {
  const std::lock_guard lock(mutex);
  take_bar_away();
}

void hold_standard_files() noexcept {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) != -1 || errno != EBADF) continue;
    // The wrong way round, so that reading and writing fail as on a closed file. The lowest free
    // number is this one, since those below are taken.
    [[maybe_unused]] const int opened =
        ::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace fgnn
