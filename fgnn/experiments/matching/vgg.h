// Descriptions of points of a picture: VGG19 (Simonyan and Zisserman 2014) up to relu5_1, its maps
// relu4_2 (stride 8) and relu5_1 (stride 16) scaled to length 1 at every position and read at the
// points by bilinear interpolation at cell centres: 512 + 512 numbers.
//
// The file of weights has, per layer block1_conv1 … block5_conv1, NAME.weight (U8, out x in x 3 x
// 3) and NAME.bias (U8, out), and for each of them a tensor .scale_min (F32, 2): a number is scale
// q + min. All convolutions have a frame of one zero and a ReLU behind them; 2 x 2 maxima come
// before each new block. Pictures are 256 x 256, blue first, less a mean by channel.
//
// 46 G operations for a picture.
#pragma once

#include <filesystem>
#include <vector>

#include "fgnn/experiments/matching/points.h"
#include "fgnn/io/rgb_picture.h"
#include "fgnn/kernels/convolution.h"

namespace fgnn::matching {

class Vgg19 {
 public:
  // Throws Error(io), and Error(format) naming the tensor that does not fit.
  explicit Vgg19(const std::filesystem::path& file);

  static constexpr std::size_t kWidth = 1024;
  // Of points in the box, from -1 to 1 each way (PointSet::at): rows of kWidth numbers.
  std::vector<float> describe(const RgbPicture& picture, const PictureBox& box,
                              const std::vector<Point>& points, int threads) const;

 private:
  struct Layer {
    std::size_t in = 0, out = 0;
    bool pool = false;                // behind it
    std::vector<float> weight, bias;  // row, column, in, out
  };
  std::vector<Layer> layers_;
};

}  // namespace fgnn::matching
