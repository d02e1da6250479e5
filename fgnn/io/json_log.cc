#include "fgnn/io/json_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/io/input_file.h"
#include "fgnn/io/read_text.h"

namespace fgnn {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw Error(ErrorCode::io, file.string(),
              std::string("cannot be written: ") + std::strerror(errno));
}

// Against others that look at the end of the file or write there. Where the file system has no
// locks, nothing is locked.
class Locked {
 public:
  explicit Locked(int file) : file_(file) { ::flock(file, LOCK_EX); }
  ~Locked() { ::flock(file_, LOCK_UN); }

 private:
  int file_;
};

// Whether the text is the beginning of a JSON object and nothing is wrong with it but its end.
bool cut_short(std::string_view text) {
  try {
    [[maybe_unused]] const auto whole = nlohmann::json::parse(text);
    return false;
  } catch (const nlohmann::json::parse_error& error) {
    return text.starts_with('{') && error.byte > text.size();
  }
}

struct Lines {
  std::size_t count = 0;
  std::string_view rest;  // after the last line's end
};

Lines take_lines(std::string_view text, const JsonLog::Take& take) {
  Lines lines{0, text};
  for (std::size_t end; (end = lines.rest.find('\n')) != lines.rest.npos;) {
    take(lines.rest.substr(0, end), ++lines.count);
    lines.rest.remove_prefix(end + 1);
  }
  return lines;
}

bool is_torn(const Lines& lines, const std::vector<std::string>& beginnings) {
  const auto begins = [&](const std::string& beginning) {
    const std::size_t common = std::min(beginning.size(), lines.rest.size());
    // A few letters alone say too little of a file that has nothing else.
    return lines.rest.substr(0, common) == std::string_view(beginning).substr(0, common) &&
           (lines.count > 0 || common == beginning.size());
  };
  return std::ranges::any_of(beginnings, begins) && cut_short(lines.rest);
}

}  // namespace

JsonLog::JsonLog(std::filesystem::path file, const std::vector<std::string>& beginnings,
                 const Take& take)
    : path_(std::move(file)) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail(path_);
  struct stat status {};
  if (::fstat(file_, &status) == 0 && !S_ISREG(status.st_mode)) return;  // a device has no lines
  try {
    const Locked lock(file_);
    const std::string text = read_text(path_);
    const Lines lines = take_lines(text, take);
    if (lines.rest.empty()) return;
    if (is_torn(lines, beginnings)) {
      if (::ftruncate(file_, static_cast<off_t>(text.size() - lines.rest.size())) != 0) fail(path_);
      return;
    }
    take(lines.rest, lines.count + 1);
    open_line_ = true;
  } catch (...) {
    ::close(file_);
    throw;
  }
}

JsonLog::~JsonLog() { ::close(file_); }

void JsonLog::append(const std::string& line) {
  const std::string text = (std::exchange(open_line_, false) ? "\n" : "") + line + "\n";
  const Locked lock(file_);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(file_, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) fail(path_);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
}

void read_json_log(const std::filesystem::path& file, const JsonLog::Take& take) {
  if (!file_exists(file)) return;
  const std::string text = read_text(file);
  const Lines lines = take_lines(text, take);
  if (!lines.rest.empty() && !cut_short(lines.rest)) take(lines.rest, lines.count + 1);
}

}  // namespace fgnn
