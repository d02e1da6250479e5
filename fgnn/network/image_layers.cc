// Items for variables whose features are an image: Image and Conv.
#include <fmt/format.h>

#include "fgnn/network/layers.h"

namespace fgnn::network {

// From here on the variables' features are an image.
void Layers::image(const Item& item) {
  if (item.arguments.size() != 2 || !item.options.empty()) {
    fail("needs a height and a width", "write Image(16, 8)");
  }
  const std::size_t height = width_of(item.arguments[0]);
  const std::size_t columns = width_of(item.arguments[1]);
  if (graph_ >= 0) fail("needs variables, but Pool has left the graph alone");
  if (width(variable_) % (height * columns) != 0) {
    fail(fmt::format("variables have {} numbers, not a multiple of {} x {}", width(variable_),
                     height, columns));
  }
  image_ = {height, columns, width(variable_) / (height * columns)};
}

namespace {

struct ConvolutionOptions : LayerOptions {
  std::size_t size = 3, pool = 1;
};

const SettingList<ConvolutionOptions>& convolution_settings() {
  static const SettingList<ConvolutionOptions> kSettings = [] {
    SettingList<ConvolutionOptions> all("this layer");
    all.add("size", &ConvolutionOptions::size, "N", "side of the square of weights",
            {.must_be = "odd, up to 15",
             .fits_number = [](double x) { return x <= 15 && static_cast<int>(x) % 2 == 1; }});
    all.add("pool", &ConvolutionOptions::pool, "N",
            "side of the squares of which the largest stays", in(1, 16));
    for (const auto& setting : layer_settings()) all.add(inherited<ConvolutionOptions>(setting));
    return all;
  }();
  return kSettings;
}

}  // namespace

void Layers::convolution(const Item& item, const std::string& name, const LayerOptions& defaults) {
  ConvolutionOptions o{defaults};
  named([&] { convolution_settings().set(o, item.options); });
  const std::size_t size = o.size, pool = o.pool;
  if (item.arguments.size() != 1) fail("needs one number of channels");
  if (!image_ || image_->numbers() != width(variable_)) {
    fail("needs an image", "begin with Image(16, 8)");
  }
  if ((o.norm != NormKind::batch && o.norm != NormKind::none) || o.by_position) {
    fail("a convolution has norm=batch or none");
  }
  const std::size_t channels = width_of(item.arguments[0]);
  const std::size_t fan_in = size * size * image_->channels;
  const std::string layer = name + ".conv";
  const int weight = parameter(layer + ".weight", {std::int64_t(fan_in), std::int64_t(channels)},
                               bound_of(fan_in));
  const int bias = o.norm == NormKind::none
                       ? parameter(layer + ".bias", {std::int64_t(channels)}, bound_of(fan_in))
                       : -1;
  int x = add_register({Place::variable}, image_->pixels() * channels);
  push(Convolution{variable_, weight, bias, x, *image_, size});
  image_->channels = channels;
  // Pooled first: the norm and the activation have less to do after it.
  if (pool > 1) {
    const int output = add_register({Place::variable}, pooled(*image_, pool).numbers());
    push(MaxPool{x, output, *image_, pool});
    image_ = pooled(*image_, pool);
    x = output;
  }
  variable_ = normalise(name + ".norm", x, -1, o, channels);
}

}  // namespace fgnn::network
