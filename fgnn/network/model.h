// A network with its weights, and its file: safetensors with the description in the metadata under
// "architecture", so that loading needs nothing else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fgnn/io/tensor_file.h"
#include "fgnn/network/description.h"
#include "fgnn/network/program.h"

namespace fgnn::network {

struct Model {
  Description description;
  Program program;
  std::vector<std::vector<double>> weights;     // by parameter
  std::map<std::string, std::string> metadata;  // beside the architecture: task, how it was trained

  Model() = default;
  // Weights drawn by the seed.
  Model(Description description, std::uint64_t seed);
};

// Weights become tensors named "model.<parameter>", of type f16, f32 or f64.
void add_model(TensorFile& file, const Model& model, DType dtype = DType::f32);
// Throws Error(format) naming the file and the tensor that is missing or misshapen,
// or holds a number that is not finite.
Model model_of(const TensorFile& file, const std::string& subject);

void save_model(const std::filesystem::path& file, const Model& model, DType dtype = DType::f32);
Model load_model(const std::filesystem::path& file);

}  // namespace fgnn::network
