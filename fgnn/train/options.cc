#include "fgnn/train/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <type_traits>
#include <utility>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/io/json_text.h"

namespace fgnn::train {
namespace {

// One list of fields for reading and writing.
template <class Options, class F>
void each_field(Options& o, F f) {
  f("steps", o.steps);
  f("batch", o.batch);
  f("parts", o.parts);
  f("interval", o.interval);
  f("validation", o.validation);
  f("rate", o.rate);
  f("schedule", o.schedule);
  f("factor", o.factor);
  f("every", o.every);
  f("floor", o.floor);
  f("warmup", o.warmup);
  f("weight_decay", o.weight_decay);
  f("clip", o.clip);
  f("average", o.average);
  f("patience", o.patience);
  f("seed", o.seed);
  f("threads", o.threads);
  f("workers", o.workers);
  f("checkpoint_seconds", o.checkpoint_seconds);
}

void require(bool condition, const char* field, const char* rule) {
  if (!condition) throw Error(ErrorCode::usage, field, rule);
}

// json's own conversions wrap what is out of range and cut off what is not whole.
bool read_value(const nlohmann::json& json, double& value) {
  if (json.is_number()) value = json.get<double>();
  return json.is_number();
}

template <class Whole>
bool read_value(const nlohmann::json& json, Whole& value) {
  if (json.is_number_float()) {  // 1e5
    const double given = json.get<double>();
    if (given != std::floor(given) || !(given >= 0 && given < 1e9)) return false;
    value = static_cast<Whole>(given);
    return true;
  }
  if (!json.is_number_integer()) return false;
  const bool fits = json.is_number_unsigned() ? std::in_range<Whole>(json.get<std::uint64_t>())
                                              : std::in_range<Whole>(json.get<std::int64_t>());
  if (fits) value = json.get<Whole>();
  return fits;
}

bool read_value(const nlohmann::json& json, std::string& value) {
  if (json.is_string()) value = json.get<std::string>();
  return json.is_string();
}

template <class T>
constexpr const char* kind_of = std::is_same_v<T, std::string>     ? "a word"
                                : std::is_same_v<T, std::uint64_t> ? "a whole number from 0 on"
                                : std::is_integral_v<T>            ? "a whole number"
                                                                   : "a number";

}  // namespace

void TrainOptions::validate() const {
  require(steps > 0, "steps", "must be above 0");
  require(batch > 0, "batch", "must be above 0");
  require(interval > 0, "interval", "must be above 0");
  require(rate > 0 && std::isfinite(rate), "rate", "must be above 0");
  require(factor > 0 && factor <= 1, "factor", "must be above 0 and at most 1");
  require(weight_decay >= 0, "weight_decay", "must not be negative");
  require(clip >= 0, "clip", "must not be negative");
  require(average >= 0 && average < 1, "average", "must be at least 0 and below 1");
  require(threads >= 0, "threads", "must not be negative");
  require(workers >= 1 && workers <= 64, "workers", "must be 1 to 64");
  require(checkpoint_seconds >= 0, "checkpoint_seconds", "must not be negative");
  require(parts <= batch, "parts", "must not be more than a batch has graphs");
  require(every > 0, "every", "must be above 0");
  require(floor >= 0, "floor", "must not be negative");
  require(schedule == "constant" || schedule == "cosine" || schedule == "factor" ||
              schedule == "step" || schedule == "plateau",
          "schedule", "must be constant, cosine, factor, step or plateau");
}

double TrainOptions::rate_at(std::uint64_t step, std::uint64_t plateaus) const {
  const double start =
      step < warmup ? static_cast<double>(step + 1) / static_cast<double>(warmup + 1) : 1;
  if (schedule == "constant") return rate * start;
  if (schedule != "cosine") {
    const std::uint64_t times = schedule == "factor" ? step / interval
                                : schedule == "step" ? step / interval / every
                                                     : plateaus;
    return start * std::max(floor, rate * std::pow(factor, static_cast<double>(times)));
  }
  const double done = static_cast<double>(step) / static_cast<double>(steps);
  return rate * start * 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, done)));
}

std::uint64_t TrainOptions::parts_of(std::uint64_t processes, std::uint64_t weights) const {
  if (parts > 0) return parts;
  // Of about eight graphs: small enough for the cache, large enough for products of matrices. Never
  // fewer than four, for the threads of a small machine; but every part writes a gradient of all
  // weights, and where these are large there should be few.
  constexpr std::uint64_t kLarge = 1 << 22;
  const std::uint64_t cut =
      weights > kLarge ? 2 : std::clamp<std::uint64_t>((batch + 7) / 8, 4, 16);
  return std::min(batch, std::max(cut, processes));
}

std::string TrainOptions::json() const {
  nlohmann::ordered_json json;
  each_field(*this, [&](const char* name, const auto& value) { json[name] = value; });
  return json.dump(2);
}

void TrainOptions::read(const std::string& text, const std::string& subject) {
  auto json = parse_json<nlohmann::json>(text, subject);
  if (!json.is_object()) throw Error(ErrorCode::format, subject, "train is not an object");
  each_field(*this, [&](const char* name, auto& value) {
    if (!json.contains(name)) return;
    if (!read_value(json[name], value)) {
      throw Error(ErrorCode::format, subject,
                  fmt::format("{} is {}, not {}", name, json_line(json[name]),
                              kind_of<std::remove_reference_t<decltype(value)>>));
    }
    json.erase(name);
  });
  if (json.empty()) return;
  std::vector<std::string> known;
  each_field(*this, [&](const char* name, const auto&) { known.push_back(name); });
  const std::string unknown = json.begin().key();
  throw Error(ErrorCode::format, subject, fmt::format("train has no option '{}'", unknown),
              suggestion(unknown, known));
}

}  // namespace fgnn::train
