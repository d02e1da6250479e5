#include "fgnn/neuralize/layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"

namespace fgnn::neuralize {

std::size_t relu_units(const Layers& layers) {
  std::size_t units = 0;
  for (const auto& l : layers) units += l.relu ? l.out : 0;
  return units;
}

std::size_t parameters(const Layers& layers) {
  std::size_t sum = 0;
  for (const auto& l : layers) sum += l.weight.size() + l.bias.size();
  return sum;
}

std::size_t used_parameters(const Layers& layers) {
  std::size_t sum = 0;
  const auto used = [](double w) { return w != 0; };
  for (const auto& l : layers) {
    sum += static_cast<std::size_t>(std::count_if(l.weight.begin(), l.weight.end(), used) +
                                    std::count_if(l.bias.begin(), l.bias.end(), used));
  }
  return sum;
}

Dense for_rows(const Dense& layer, std::size_t rows) {
  Dense all(rows * layer.in, rows * layer.out, layer.relu);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < layer.in; ++i) {
      for (std::size_t o = 0; o < layer.out; ++o) {
        all.at(r * layer.in + i, r * layer.out + o) = layer.at(i, o);
      }
    }
    all.bias.insert(all.bias.end(), layer.bias.begin(), layer.bias.end());
  }
  return all;
}

Dense merged(const Dense& first, const Dense& second) {
  if (first.relu || first.out != second.in) {
    throw Error(ErrorCode::usage, "layers", "cannot be merged: a ReLU stands between, or widths");
  }
  Dense both(first.in, second.out, second.relu);
  both.bias = second.bias;
  if (!first.bias.empty() && both.bias.empty()) both.bias.resize(second.out);
  for (std::size_t h = 0; h < first.out; ++h) {
    for (std::size_t o = 0; o < second.out; ++o) {
      const double w = second.at(h, o);
      if (w == 0) continue;
      for (std::size_t i = 0; i < first.in; ++i) both.at(i, o) += first.at(i, h) * w;
      if (!first.bias.empty()) both.bias[o] += first.bias[h] * w;
    }
  }
  return both;
}

void Filler::fill(const std::string& name, const Dense& layer) {
  set(name + ".weight", layer.weight);
  if (!layer.bias.empty()) set(name + ".bias", layer.bias);
}

void Filler::fill(const std::string& name, const Matrices& matrices) { set(name, matrices.values); }

void Filler::fill_chain(const std::string& name, const Layers& layers) {
  for (std::size_t k = 0; k + 1 < layers.size(); ++k) {
    fill(fmt::format("{}.{}", name, k), layers[k]);
  }
  fill(name + ".out", layers.back());
}

std::size_t parameter(const network::Model& model, const std::string& name) {
  const auto& all = model.program.parameters;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return i;
  }
  throw Error(ErrorCode::usage, name, "is not a parameter of the network");
}

void Filler::set(const std::string& name, const std::vector<double>& values) {
  auto& weights = model_.weights[parameter(model_, name)];
  if (weights.size() != values.size()) {
    throw Error(ErrorCode::usage, name,
                fmt::format("takes {} numbers, not {}", weights.size(), values.size()));
  }
  weights = values;
}

}  // namespace fgnn::neuralize
