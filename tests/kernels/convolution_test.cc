#include "fgnn/kernels/convolution.h"

#include <gtest/gtest.h>

#include "tests/kernels/tools.h"

namespace fgnn::kernels {
namespace {

struct Layer {
  ImageShape shape;
  std::size_t size, channels, images;
  std::vector<double> x, weight, bias;

  static Layer random(Rng& rng, ImageShape shape, std::size_t size, std::size_t channels,
                      std::size_t images) {
    return {shape,
            size,
            channels,
            images,
            normal_numbers<double>(rng, images * shape.numbers()),
            normal_numbers<double>(rng, size * size * shape.channels * channels),
            normal_numbers<double>(rng, channels)};
  }
  std::vector<double> forward(int threads = 1) const {
    std::vector<double> out(images * shape.pixels() * channels, 777);
    convolution_forward(shape, size, channels, images, x.data(), weight.data(), bias.data(),
                        out.data(), threads);
    return out;
  }
  Layer backward(const std::vector<double>& gradient, int threads = 1) const {
    Layer g = *this;
    convolution_backward(shape, size, channels, images, x.data(), weight.data(), gradient.data(),
                         g.x.data(), g.weight.data(), g.bias.data(), threads);
    return g;
  }
  // The definition, pixel by pixel.
  std::vector<double> slow() const {
    std::vector<double> out;
    const int reach = static_cast<int>(size / 2), side = static_cast<int>(size);
    const int height = static_cast<int>(shape.height), width = static_cast<int>(shape.width);
    for (std::size_t i = 0; i < images; ++i) {
      for (int row = 0; row < height; ++row) {
        for (int column = 0; column < width; ++column) {
          for (std::size_t k = 0; k < channels; ++k) {
            double sum = bias[k];
            for (int dy = -reach; dy <= reach; ++dy) {
              for (int dx = -reach; dx <= reach; ++dx) {
                const int y = row + dy, z = column + dx;
                if (y < 0 || z < 0 || y >= height || z >= width) continue;
                for (std::size_t c = 0; c < shape.channels; ++c) {
                  const std::size_t slot = (dy + reach) * side + dx + reach;
                  sum += x[i * shape.numbers() + (y * width + z) * shape.channels + c] *
                         weight[(slot * shape.channels + c) * channels + k];
                }
              }
            }
            out.push_back(sum);
          }
        }
      }
    }
    return out;
  }
};

const std::vector<ImageShape> kShapes{{1, 1, 1}, {4, 3, 2}, {16, 8, 1}, {5, 2, 7}, {20, 17, 3}};

TEST(Convolution, ForwardEqualsTheDefinition) {
  Rng rng(1);
  for (const auto& shape : kShapes) {
    for (const std::size_t size : {1, 3, 5}) {
      for (const std::size_t images : {1, 5}) {
        const Layer layer = Layer::random(rng, shape, size, 4, images);
        EXPECT_TRUE(same_numbers(layer.forward(), layer.slow(), 1e-12));
      }
    }
  }
}

TEST(Convolution, FloatsAreDoublesRounded) {
  Rng rng(2);
  const Layer layer = Layer::random(rng, {16, 8, 3}, 3, 16, 3);
  const std::vector<float> x(layer.x.begin(), layer.x.end());
  const std::vector<float> w(layer.weight.begin(), layer.weight.end());
  const std::vector<float> b(layer.bias.begin(), layer.bias.end());
  std::vector<float> out(3 * 128 * 16);
  convolution_forward(layer.shape, 3, 16, 3, x.data(), w.data(), b.data(), out.data(), 1);
  EXPECT_TRUE(same_numbers(out, layer.slow(), 1e-5));
}

TEST(Convolution, BackwardEqualsDifferences) {
  Rng rng(3);
  for (const auto& shape : kShapes) {
    Layer layer = Layer::random(rng, shape, 3, 3, 3);
    const auto weight = normal_numbers<double>(rng, 3 * shape.pixels() * 3);
    const Layer g = layer.backward(weight);
    const auto value = [&] { return dot(layer.forward(), weight); };
    expect_gradient(layer.x, g.x, value, "images", rng);
    expect_gradient(layer.weight, g.weight, value, "weight", rng);
    expect_gradient(layer.bias, g.bias, value, "bias", rng);
  }
}

TEST(Convolution, ThreadsAgree) {
  Rng rng(4);
  const Layer layer = Layer::random(rng, {4, 2, 8}, 3, 8, 300);
  const auto weight = normal_numbers<double>(rng, 300 * 8 * 8);
  EXPECT_EQ(layer.forward(1), layer.forward(3));
  const Layer one = layer.backward(weight, 1), three = layer.backward(weight, 3);
  EXPECT_EQ(one.x, three.x);
  EXPECT_TRUE(same_numbers(one.weight, three.weight, 1e-12));
  EXPECT_EQ(three.weight, layer.backward(weight, 3).weight);
}

TEST(MaxPool, TakesTheLargestOfEveryWindowAlsoAtTheEdges) {
  const ImageShape shape{3, 3, 1};
  const std::vector<double> x{1, 5, 2, 4, 3, 2, 0, 9, 7};
  std::vector<double> out(4, 777), dx(9, 777);
  std::vector<std::uint8_t> where(4, 77);
  max_pool_forward(shape, 2, 1, x.data(), out.data(), where.data(), 1);
  EXPECT_EQ(out, (std::vector<double>{5, 2, 9, 7}));
  const std::vector<double> dy{10, 20, 30, 40};
  max_pool_backward(shape, 2, 1, where.data(), dy.data(), dx.data(), 1);
  // Of the two 2s in the right column the first is taken.
  EXPECT_EQ(dx, (std::vector<double>{0, 10, 20, 0, 0, 0, 0, 30, 40}));
}

TEST(MaxPool, ChannelsArePooledApart) {
  Rng rng(5);
  const ImageShape shape{4, 6, 3};
  auto x = normal_numbers<double>(rng, 2 * shape.numbers());
  std::vector<double> out(2 * pooled(shape, 2).numbers()), dx(x.size());
  std::vector<std::uint8_t> where(out.size());
  const auto weight = normal_numbers<double>(rng, out.size());
  const auto value = [&] {
    max_pool_forward(shape, 2, 2, x.data(), out.data(), where.data(), 1);
    return dot(out, weight);
  };
  value();
  max_pool_backward(shape, 2, 2, where.data(), weight.data(), dx.data(), 1);
  expect_gradient(x, dx, value, "images", rng, 100);
}

TEST(MaxPool, ShowsANaN) {
  const ImageShape shape{2, 2, 1};
  const std::vector<float> x{1, std::numeric_limits<float>::quiet_NaN(), 3, 0};
  float out = 0;
  max_pool_forward(shape, 2, 1, x.data(), &out, nullptr, 1);
  // Later numbers are compared with the NaN, and none is above it.
  EXPECT_TRUE(std::isnan(out));
}

}  // namespace
}  // namespace fgnn::kernels
