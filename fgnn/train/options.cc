#include "fgnn/train/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "fgnn/core/error.h"
#include "fgnn/io/json_text.h"

namespace fgnn::train {
namespace {

// The text of a value: numbers as they are written, words without their quotation marks. A string
// where a number belongs keeps them, and is refused.
std::string text_of_json(const nlohmann::json& json, bool word) {
  if (word && !json.is_string()) refuse_text(json_line(json), "a word");
  if (word) return json.get<std::string>();
  constexpr double kMost = 1e15;  // up to here a double knows every whole number
  if (json.is_number_float() && std::abs(json.get<double>()) < kMost) {  // 1e5
    return fmt::format("{}", json.get<double>());
  }
  return json_line(json);
}

}  // namespace

const SettingList<TrainOptions>& train_settings() {
  using O = TrainOptions;
  static const SettingList<O> kSettings = [] {
    SettingList<O> all("training");
    all.add("steps", &O::steps, "N", "optimiser steps in all", above(0));
    all.add("batch", &O::batch, "N", "graphs per step, over all processes", above(0));
    all.add("parts", &O::parts, "N", "that a batch is cut into; 0: as many as suit it");
    all.add("interval", &O::interval, "N", "steps between validations", above(0));
    all.add("validation", &O::validation, "N", "graphs per validation");
    all.add("rate", &O::rate, "R", "of learning", above_and_finite(0));
    all.add("schedule", &O::schedule, "NAME", "of the rate",
            one_of({"constant", "cosine", "factor", "step", "plateau"}));
    all.add("factor", &O::factor, "F", "of schedule=factor, step and plateau", positive_up_to(1));
    all.add("every", &O::every, "N", "intervals, of schedule=step and plateau", above(0));
    all.add("floor", &O::floor, "R", "the rate does not fall below this", at_least(0));
    all.add("warmup", &O::warmup, "N", "steps of linear increase");
    all.add("weight_decay", &O::weight_decay, "W", "above 0: AdamW", at_least(0));
    all.add("clip", &O::clip, "NORM", "largest norm of the gradient; 0: any", at_least(0));
    all.add("average", &O::average, "SHARE", "decay of averaged weights; 0: none",
            in_half_open(0, 1));
    all.add("patience", &O::patience, "N", "validations without improvement; 0: never stop early");
    all.add("products", &O::products, "NAME", "of matrices: bf16 rounds what is multiplied",
            one_of({"float", "bf16"}));
    all.add("seed", &O::seed, "N", "of the weights, and of the order of fixed data");
    all.add("threads", &O::threads, "N", "0: all processors", at_least(0));
    all.add("workers", &O::workers, "N", "threads that make batches ahead", in(1, 64));
    all.add("checkpoint_seconds", &O::checkpoint_seconds, "S",
            "at most this much is lost when a run is killed", at_least(0));
    return all;
  }();
  return kSettings;
}

void TrainOptions::validate() const {
  train_settings().check(*this);
  if (parts > batch) {
    throw Error(ErrorCode::usage, "parts", "must not be more than a batch has graphs");
  }
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
  for (const auto& setting : train_settings()) {
    const std::string text = setting.text(*this);
    json[setting.name] = nlohmann::ordered_json::parse(setting.word ? '"' + text + '"' : text);
  }
  return json.dump(2);
}

void TrainOptions::read(const std::string& text, const std::string& subject) {
  const auto json = parse_json<nlohmann::json>(text, subject);
  if (!json.is_object()) throw Error(ErrorCode::format, subject, "train is not an object");
  for (const auto& [name, value] : json.items()) {
    try {
      const auto& setting = train_settings().find(name);
      about(name, [&] { setting.read(*this, text_of_json(value, setting.word)); });
    } catch (const Error& error) {
      throw Error(ErrorCode::format, subject, error.what());
    }
  }
}

}  // namespace fgnn::train
