#include "fgnn/report/ber_log.h"

#include <fmt/core.h>

#include "fgnn/core/error.h"
#include "fgnn/io/json_text.h"
#include "fgnn/report/ber_row.h"

namespace fgnn::report {

BerLog::BerLog(const std::string& file, cluster::Group& group) : group_(group) {
  if (file.empty() || !group.first()) return;
  const auto take = [&](std::string_view line, std::size_t number) {
    try {
      const Json cell = Json::parse(line);
      cells_[ber_key(cell)] = ber_counts(cell);
    } catch (const nlohmann::json::exception&) {
      throw Error(ErrorCode::format, fmt::format("{}:{}:1", file, number),
                  "is not a cell of an error-rate log", "name a file that fgnn ber --log wrote");
    }
  };
  lines_ = std::make_unique<JsonLog>(file, std::vector<std::string>{kBerJsonBegins}, take);
}

std::vector<codes::ErrorCounts> BerLog::known(std::span<const Json> cells) const {
  std::vector<codes::ErrorCounts> counts;
  for (const Json& cell : cells) {
    const auto found = cells_.find(ber_key(cell));
    counts.push_back(found == cells_.end() ? codes::ErrorCounts{} : found->second);
  }
  group_.broadcast(std::span(counts));
  return counts;
}

void BerLog::add(const Json& cell) {
  if (lines_ == nullptr) return;
  const codes::ErrorCounts counts = ber_counts(cell);
  auto& mine = cells_[ber_key(cell)];
  if (mine.frames == counts.frames) return;
  mine = counts;
  lines_->append(json_line(cell));
}

void check_same_words(cluster::Group& group, const codes::Code& code,
                      std::span<const std::unique_ptr<codes::Decoder>> decoders) {
  std::string text = fmt::format("code {}\n", codes::fingerprint(code));
  for (const auto& decoder : decoders) text += fmt::format("weights {}\n", decoder->identity());
  group.check_same("files", text);
}

}  // namespace fgnn::report
