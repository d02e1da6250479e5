#include "fgnn/experiments/synthetic/label_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "fgnn/core/error.h"
#include "fgnn/io/input_file.h"
#include "fgnn/io/json_log.h"
#include "fgnn/io/json_text.h"

namespace fgnn::synthetic {
namespace {

using Json = nlohmann::ordered_json;

Json header_of(const SyntheticOptions& options) {
  Json json{{"dataset", options.dataset}};
  if (options.dataset == "D5") {
    json["side"] = options.side;
  } else {
    json["length"] = options.length;
    json["order"] = options.order;
    json["every_node"] = options.every_node;
    json["pairwise_of_text"] = options.pairwise_of_text;
  }
  json["seed"] = options.seed;
  return json;
}

LabelLine line_of(const Json& json, std::size_t variables) {
  LabelLine line;
  line.instance = json.at("instance").get_ref<const Json::number_unsigned_t&>();
  line.proved = json.at("proved").get<bool>();
  line.score = json.at("score").get<double>();
  line.bound = json.at("bound").get<double>();
  line.seconds = json.at("seconds").get<double>();
  const auto& states = json.at("states").get_ref<const std::string&>();
  const auto binary = [](char c) { return c == '0' || c == '1'; };
  if (states.size() != variables || !std::ranges::all_of(states, binary)) {
    throw Error(ErrorCode::format, "states", fmt::format("are not {} zeros and ones", variables));
  }
  for (const char c : states) line.assignment.push_back(static_cast<State>(c - '0'));
  return line;
}

void check_header(const Json& header, const SyntheticOptions& options, const std::string& subject) {
  if (!header.is_object()) {
    throw Error(ErrorCode::format, subject, "does not begin with a JSON object",
                "the first line names the instances");
  }
  if (header != header_of(options)) {
    throw Error(ErrorCode::model, subject,
                fmt::format("has labels of {} where those of {} are wanted", json_line(header),
                            json_line(header_of(options))));
  }
}

}  // namespace

std::filesystem::path label_file(const std::filesystem::path& folder, tasks::Stream stream) {
  constexpr const char* names[] = {"train.jsonl", "validation.jsonl", "test.jsonl"};
  return folder / names[static_cast<int>(stream)];
}

namespace {

// Checks the first line, takes the others. What is not JSON is left of a line that a kill cut
// short.
JsonLog::Take taker(const std::filesystem::path& file, const SyntheticOptions& options,
                    std::map<std::uint64_t, LabelLine>& lines) {
  const std::size_t variables = synthetic_instance(options, 0).unary.size();
  return [&file, &options, &lines, variables](std::string_view text, std::size_t number) {
    const std::string subject = fmt::format("{}:{}", file.string(), number);
    const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (number == 1) return check_header(json, options, subject);
    if (json.is_discarded()) return;
    try {
      LabelLine line = line_of(json, variables);
      lines.insert_or_assign(line.instance, std::move(line));
    } catch (const Json::exception&) {
      throw Error(ErrorCode::format, subject, "is not a label of fgnn label", "remove the line");
    } catch (const Error& error) {
      throw Error(ErrorCode::format, subject, error.what());
    }
  };
}

}  // namespace

std::vector<LabelLine> read_labels(const std::filesystem::path& file,
                                   const SyntheticOptions& options) {
  if (!file_exists(file)) throw Error(ErrorCode::io, file.string(), "cannot be read");
  std::map<std::uint64_t, LabelLine> lines;
  read_json_log(file, taker(file, options, lines));
  std::vector<LabelLine> sorted;
  for (auto& [instance, line] : lines) sorted.push_back(std::move(line));
  return sorted;
}

LabelWriter::LabelWriter(const std::filesystem::path& file, const SyntheticOptions& options) {
  bool begun = false;
  const auto take = [&](std::string_view text, std::size_t number) {
    begun = true;
    if (number == 1) {
      check_header(Json::parse(text, nullptr, false), options, file.string() + ":1");
    }
  };
  const std::vector<std::string> beginnings{"{\"dataset\":", "{\"instance\":"};
  lines_ = std::make_unique<JsonLog>(file, beginnings, take);
  if (!begun) lines_->append(header_of(options).dump());
}

void LabelWriter::add(const LabelLine& line) {
  std::string states;
  for (const State x : line.assignment) states += static_cast<char>('0' + x);
  const Json json{{"instance", line.instance}, {"proved", line.proved},   {"score", line.score},
                  {"bound", line.bound},       {"seconds", line.seconds}, {"states", states}};
  lines_->append(json.dump());
}

}  // namespace fgnn::synthetic
