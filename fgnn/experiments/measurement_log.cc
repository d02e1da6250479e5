#include "fgnn/experiments/measurement_log.h"

#include <fmt/format.h>

#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/io/json_text.h"

namespace fgnn::experiments {

MeasurementLog::MeasurementLog(const std::string& file, std::string experiment, const Check& check,
                               cluster::Group& group, std::string command)
    : experiment_(std::move(experiment)), kept_(!file.empty()), group_(group) {
  if (!kept_ || !group_.first()) return;
  if (command.empty()) command = "reproduce " + experiment_;
  const auto take = [&](std::string_view line, std::size_t number) {
    try {
      const Json whole = Json::parse(line);
      const Json& result = whole.at("result");
      check(result);
      if (whole.at("experiment") == experiment_) {
        results_[json_line(whole.at("measured"))] = result;
        return;
      }
    } catch (const nlohmann::json::exception&) {  // told below
    }
    throw Error(ErrorCode::format, fmt::format("{}:{}", file, number),
                fmt::format("is not a measurement of {}", command),
                fmt::format("name a file that fgnn {} --log wrote", command));
  };
  lines_ = std::make_unique<JsonLog>(
      file, std::vector<std::string>{fmt::format("{{\"experiment\":\"{}\",", experiment_)}, take);
}

std::vector<Json> MeasurementLog::known(const std::vector<Json>& measured) const {
  std::vector<Json> results(measured.size());
  if (!kept_) return results;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const auto found = results_.find(json_line(measured[i]));
    if (found != results_.end()) results[i] = found->second;
  }
  if (group_.size() == 1) return results;
  // The other ranks have no file: what the first has decides what all go on to measure.
  std::string text = json_line(Json(results));
  group_.broadcast(text);
  return Json::parse(text).get<std::vector<Json>>();
}

Json MeasurementLog::known(const Json& measured) const {
  return known(std::vector<Json>{measured})[0];
}

void MeasurementLog::add(const Json& measured, const Json& result) {
  if (lines_ == nullptr) return;
  results_[json_line(measured)] = result;
  lines_->append(
      json_line(Json{{"experiment", experiment_}, {"measured", measured}, {"result", result}}));
}

std::string after_stop(const std::string& log) {
  return log.empty() ? "nothing was kept; see --log" : "the same command goes on";
}

}  // namespace fgnn::experiments
