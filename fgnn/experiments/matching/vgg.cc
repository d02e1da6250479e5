#include "fgnn/experiments/matching/vgg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/experiments/matching/keypoints.h"
#include "fgnn/io/safetensors.h"
#include "fgnn/kernels/activation.h"

namespace fgnn::matching {
namespace {

constexpr std::size_t kSide = static_cast<std::size_t>(kCrop);
constexpr float kMean[] = {103.939f, 116.779f, 123.68f};  // blue, green, red
struct Block {
  std::size_t layers, channels;
};
constexpr Block kBlocks[] = {{2, 64}, {2, 128}, {4, 256}, {4, 512}, {1, 512}};
constexpr std::size_t kFirstMap = 10, kSecondMap = 13;  // layers run before each is read

std::vector<float> numbers(const TensorFile& file, const std::string& name,
                           const std::vector<std::int64_t>& shape) {
  const SavedTensor& tensor = file.at(name);
  const auto scale = as_floats(file.at(name + ".scale_min"));
  if (tensor.dtype != DType::u8 || tensor.shape != shape || scale.size() != 2) {
    throw Error(ErrorCode::format, file.file, fmt::format("tensor {} does not fit VGG19", name));
  }
  std::vector<float> values;
  for (const std::byte b : tensor.data) {
    values.push_back(scale[0] * static_cast<float>(std::to_integer<int>(b)) + scale[1]);
  }
  return values;
}

// Positions to length 1; then each point's share of the four cells around it.
void read_map(std::vector<float> map, std::size_t side, std::size_t channels,
              const std::vector<Point>& points, std::size_t column, std::vector<float>& out) {
  for (std::size_t p = 0; p < side * side; ++p) {
    float* row = map.data() + p * channels;
    double squares = 0;
    for (std::size_t c = 0; c < channels; ++c) squares += static_cast<double>(row[c]) * row[c];
    const auto by = static_cast<float>(squares > 0 ? 1 / std::sqrt(squares) : 0);
    for (std::size_t c = 0; c < channels; ++c) row[c] *= by;
  }
  const double cells = static_cast<double>(side);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto place = [&](double v) {
      return std::clamp((v + 1) / 2 * cells - 0.5, 0.0, cells - 1);
    };
    const double x = place(points[i].x), y = place(points[i].y);
    const auto left = std::min(static_cast<std::size_t>(x), side - 2);
    const auto above = std::min(static_cast<std::size_t>(y), side - 2);
    float* to = out.data() + i * Vgg19::kWidth + column;
    for (int corner = 0; corner < 4; ++corner) {
      const bool right = (corner & 1) != 0, below = (corner & 2) != 0;
      const double dx = x - static_cast<double>(left), dy = y - static_cast<double>(above);
      const auto share = static_cast<float>((right ? dx : 1 - dx) * (below ? dy : 1 - dy));
      const float* from = map.data() + ((above + below) * side + left + right) * channels;
      for (std::size_t c = 0; c < channels; ++c) to[c] += share * from[c];
    }
  }
}

}  // namespace

Vgg19::Vgg19(const std::filesystem::path& file) {
  const TensorFile tensors = read_safetensors(file);
  std::size_t in = 3;
  for (std::size_t b = 0; b < std::size(kBlocks); ++b) {
    for (std::size_t l = 0; l < kBlocks[b].layers; ++l) {
      const std::size_t out = kBlocks[b].channels;
      const std::string name = fmt::format("block{}_conv{}", b + 1, l + 1);
      const auto o = static_cast<std::int64_t>(out), i = static_cast<std::int64_t>(in);
      const auto stored = numbers(tensors, name + ".weight", {o, i, 3, 3});
      Layer layer{in, out, l + 1 == kBlocks[b].layers, {}, numbers(tensors, name + ".bias", {o})};
      layer.weight.resize(stored.size());
      for (std::size_t k = 0; k < stored.size(); ++k) {
        const std::size_t place = k % 9, from = k / 9 % in, to = k / 9 / in;
        layer.weight[(place * in + from) * out + to] = stored[k];
      }
      layers_.push_back(std::move(layer));
      in = out;
    }
  }
}

std::vector<float> Vgg19::describe(const RgbPicture& picture, const PictureBox& box,
                                   const std::vector<Point>& points, int threads) const {
  std::vector<float> x = resampled(picture, box, kSide, kSide);
  for (std::size_t p = 0; p < kSide * kSide; ++p) {
    std::swap(x[3 * p], x[3 * p + 2]);
    for (std::size_t c = 0; c < 3; ++c) x[3 * p + c] -= kMean[c];
  }
  std::vector<float> rows(points.size() * kWidth);
  std::size_t side = kSide;
  for (std::size_t l = 0; l < kSecondMap; ++l) {
    const Layer& layer = layers_[l];
    const kernels::ImageShape shape{side, side, layer.in};
    std::vector<float> next(side * side * layer.out);
    kernels::convolution_forward<float>(shape, 3, layer.out, 1, x.data(), layer.weight.data(),
                                        layer.bias.data(), next.data(), threads);
    kernels::apply(kernels::Activation::relu, next.data(), next.size());
    x = std::move(next);
    if (l + 1 == kFirstMap) read_map(x, side, layer.out, points, 0, rows);
    if (l + 1 == kSecondMap) read_map(x, side, layer.out, points, kWidth / 2, rows);
    if (!layer.pool || l + 1 == kSecondMap) continue;
    std::vector<float> smaller(x.size() / 4);
    kernels::max_pool_forward<float>({side, side, layer.out}, 2, 1, x.data(), smaller.data(),
                                     nullptr, threads);
    x = std::move(smaller);
    side /= 2;
  }
  return rows;
}

}  // namespace fgnn::matching
