#include "fgnn/network/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/random.h"
#include "fgnn/io/safetensors.h"
#include "fgnn/network/builder.h"

namespace fgnn::network {
namespace {

constexpr const char* kArchitecture = "architecture";
constexpr const char* kPrefix = "model.";

// What a description or a tensor is refused for, as a fault of the file that holds it.
template <class Action>
auto of_file(const std::string& subject, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    throw Error(ErrorCode::format, subject, error.what());
  }
}

std::vector<double> finite_numbers(const SavedTensor& tensor, const std::string& subject) {
  auto numbers = of_file(subject, [&] { return as_doubles(tensor); });
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i])) continue;
    throw Error(ErrorCode::format, subject,
                fmt::format("tensor '{}': number {} is {}", tensor.name, i, numbers[i]),
                "weights are finite numbers; the training went wrong or the file is damaged");
  }
  return numbers;
}

}  // namespace

Model::Model(Description d, std::uint64_t seed)
    : description(std::move(d)), program(build(description)) {
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const Parameter& p = program.parameters[i];
    Rng random(seed, i);
    auto& values = weights.emplace_back(p.count());
    for (double& w : values) {
      w = static_cast<float>(p.centre + (p.bound > 0 ? random.uniform(-p.bound, p.bound) : 0));
    }
  }
}

void add_model(TensorFile& file, const Model& model, DType dtype) {
  file.metadata.insert(model.metadata.begin(), model.metadata.end());
  file.metadata[kArchitecture] = model.description.json();
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    const Parameter& p = model.program.parameters[i];
    const std::span<const double> values = model.weights[i];
    if (dtype == DType::f64) {
      file.add(kPrefix + p.name, p.shape, values);
      continue;
    }
    const std::vector<float> rounded(values.begin(), values.end());
    if (dtype == DType::f16) {
      file.add_half(kPrefix + p.name, p.shape, rounded);
    } else {
      file.add(kPrefix + p.name, p.shape, std::span<const float>(rounded));
    }
  }
}

Model model_of(const TensorFile& file, const std::string& subject) {
  const auto architecture = file.metadata.find(kArchitecture);
  if (architecture == file.metadata.end()) {
    throw Error(ErrorCode::format, subject, "has no architecture in its metadata",
                "it was not saved by fgnn");
  }
  Model model;
  model.description = Description::parse(architecture->second, subject);
  model.program = of_file(subject, [&] { return build(model.description); });
  model.metadata = file.metadata;
  model.metadata.erase(kArchitecture);
  for (const Parameter& p : model.program.parameters) {
    const SavedTensor* tensor = file.find(kPrefix + p.name);
    if (tensor == nullptr) {
      throw Error(ErrorCode::format, subject, fmt::format("has no tensor '{}{}'", kPrefix, p.name));
    }
    if (tensor->shape != p.shape) {
      throw Error(
          ErrorCode::format, subject,
          fmt::format("tensor '{}' has shape {}, not {}", tensor->name, tensor->shape, p.shape));
    }
    model.weights.push_back(finite_numbers(*tensor, subject));
  }
  return model;
}

void save_model(const std::filesystem::path& path, const Model& model, DType dtype) {
  TensorFile file;
  add_model(file, model, dtype);
  write_safetensors(path, file);
}

Model load_model(const std::filesystem::path& path) {
  return model_of(read_safetensors(path), path.string());
}

}  // namespace fgnn::network
