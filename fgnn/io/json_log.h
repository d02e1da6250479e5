// A file of JSON objects, one a line, that grows at its end and survives a kill at any moment: a
// line is there whole or is not read. Several processes may write to it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fgnn {

class JsonLog {
 public:
  // Called with every line that is there, its number from 1; throws when it is not a line of this
  // log.
  using Take = std::function<void(std::string_view line, std::size_t number)>;

  // Makes the file where there is none, so that a name that cannot be written to shows at once. A
  // last line without its end, cut short by a crash, is taken away when all is known to be of this
  // log: lines before it, or how every line begins (`beginnings`, such as {"code": ). Otherwise the
  // file stays as it is, and what `take` throws is thrown. Throws Error(io).
  JsonLog(std::filesystem::path file, const std::vector<std::string>& beginnings, const Take& take);
  ~JsonLog();
  JsonLog(const JsonLog&) = delete;
  JsonLog& operator=(const JsonLog&) = delete;

  // Given to the system when it returns, whole, after lines of other processes. Throws Error(io).
  void append(const std::string& line);

 private:
  std::filesystem::path path_;
  int file_ = -1;
  bool open_line_ = false;  // the last line lacks its end and nothing else
};

// The lines of such a file as they are, without one that was cut short, for those who only read. No
// file, no lines.
void read_json_log(const std::filesystem::path& file, const JsonLog::Take& take);

}  // namespace fgnn
