#include "fgnn/cli/ber_log.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>

#include "fgnn/cli/ber_row.h"
#include "fgnn/core/error.h"
#include "fgnn/io/read_text.h"

namespace fgnn::cli {

BerLog::BerLog(std::string file) : file_(std::move(file)) {
  if (file_.empty() || !std::filesystem::exists(file_)) return;
  const std::string text = read_text(file_);
  std::size_t line = 0, begin = 0;
  while (begin < text.size()) {
    ++line;
    const std::size_t end = text.find('\n', begin);
    if (end == text.npos) {
      std::filesystem::resize_file(file_, begin);
      return;
    }
    const std::string_view content = std::string_view(text).substr(begin, end - begin);
    try {
      const Json cell = Json::parse(content);
      cells_[ber_key(cell)] = ber_counts(cell);
    } catch (const nlohmann::json::exception&) {
      throw Error(ErrorCode::format, fmt::format("{}:{}:1", file_, line),
                  "is no cell of an error-rate log", "name a file that fgnn ber --log wrote");
    }
    begin = end + 1;
  }
}

codes::ErrorCounts BerLog::known(const Json& cell) const {
  const auto found = cells_.find(ber_key(cell));
  return found == cells_.end() ? codes::ErrorCounts{} : found->second;
}

void BerLog::add(const Json& cell) {
  if (file_.empty()) return;
  const codes::ErrorCounts counts = ber_counts(cell);
  auto& mine = cells_[ber_key(cell)];
  if (mine.frames == counts.frames) return;
  mine = counts;
  std::ofstream out(file_, std::ios::app);
  out << cell.dump() << '\n' << std::flush;
  if (!out) throw Error(ErrorCode::io, file_, "cannot be written");
}

}  // namespace fgnn::cli
