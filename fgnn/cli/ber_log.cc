#include "fgnn/cli/ber_log.h"

#include <fmt/core.h>

#include "fgnn/cli/ber_row.h"
#include "fgnn/core/error.h"
#include "fgnn/io/json_text.h"

namespace fgnn::cli {

BerLog::BerLog(const std::string& file) {
  if (file.empty()) return;
  const auto take = [&](std::string_view line, std::size_t number) {
    try {
      const Json cell = Json::parse(line);
      cells_[ber_key(cell)] = ber_counts(cell);
    } catch (const nlohmann::json::exception&) {
      throw Error(ErrorCode::format, fmt::format("{}:{}:1", file, number),
                  "is no cell of an error-rate log", "name a file that fgnn ber --log wrote");
    }
  };
  lines_ = std::make_unique<JsonLog>(file, std::vector<std::string>{kBerJsonBegins}, take);
}

codes::ErrorCounts BerLog::known(const Json& cell) const {
  const auto found = cells_.find(ber_key(cell));
  return found == cells_.end() ? codes::ErrorCounts{} : found->second;
}

void BerLog::add(const Json& cell) {
  if (lines_ == nullptr) return;
  const codes::ErrorCounts counts = ber_counts(cell);
  auto& mine = cells_[ber_key(cell)];
  if (mine.frames == counts.frames) return;
  mine = counts;
  lines_->append(json_line(cell));
}

}  // namespace fgnn::cli
