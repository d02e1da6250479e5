#include "fgnn/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/io/safetensors.h"

namespace fgnn::train {
namespace {

std::vector<std::int64_t> shape_of(const std::vector<float>& values) {
  return {static_cast<std::int64_t>(values.size())};
}

}  // namespace

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& c) {
  TensorFile file;
  network::add_model(file, c.model);
  file.metadata["train.options"] = c.options;
  const auto add = [&](const char* name, const std::vector<float>& values) {
    file.add(name, shape_of(values), std::span<const float>(values));
  };
  add("train.first", c.first);
  add("train.second", c.second);
  add("train.average", c.average);
  add("train.best", c.best);
  const std::int64_t whole[] = {
      static_cast<std::int64_t>(c.step), static_cast<std::int64_t>(c.since_best),
      static_cast<std::int64_t>(c.plateaus), static_cast<std::int64_t>(c.since_plateau)};
  const double numbers[] = {c.best_measure, c.seconds, c.loss_sum, c.loss_steps};
  file.add("train.counts", {4}, std::span<const std::int64_t>(whole));
  file.add("train.numbers", {4}, std::span<const double>(numbers));
  write_safetensors(path, file);
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  const TensorFile file = read_safetensors(path);
  Checkpoint c;
  c.model = network::model_of(file, path.string());
  const auto options = c.model.metadata.extract("train.options");
  if (options.empty()) {
    throw Error(ErrorCode::format, path.string(), "is a model, not a checkpoint of a run",
                "a run's checkpoint is checkpoint.safetensors in its folder");
  }
  c.options = options.mapped();
  c.first = as_floats(file.at("train.first"));
  c.second = as_floats(file.at("train.second"));
  c.average = as_floats(file.at("train.average"));
  c.best = as_floats(file.at("train.best"));
  auto whole = as_int64(file.at("train.counts"));
  if (whole.size() == 2) whole.resize(4);  // of a run begun before there were plateaus
  const auto numbers = as_doubles(file.at("train.numbers"));
  const auto n = static_cast<std::size_t>(c.model.program.flat_offsets().back());
  std::size_t all = 0;
  for (const auto& w : c.model.weights) all += w.size();
  const auto none_or = [](const std::vector<float>& v, std::size_t size) {
    return v.empty() || v.size() == size;
  };
  const bool counts = whole.size() == 4 && *std::min_element(whole.begin(), whole.end()) >= 0;
  if (!counts || numbers.size() != 4 || c.first.size() != n || c.second.size() != n ||
      !none_or(c.average, n) || !none_or(c.best, all)) {
    throw Error(ErrorCode::format, path.string(), "holds a checkpoint that does not fit its model");
  }
  c.step = static_cast<std::uint64_t>(whole[0]);
  c.since_best = static_cast<std::uint64_t>(whole[1]);
  c.plateaus = static_cast<std::uint64_t>(whole[2]);
  c.since_plateau = static_cast<std::uint64_t>(whole[3]);
  c.best_measure = numbers[0];
  c.seconds = numbers[1];
  c.loss_sum = numbers[2];
  c.loss_steps = numbers[3];
  return c;
}

}  // namespace fgnn::train
