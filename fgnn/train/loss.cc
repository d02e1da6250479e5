#include "fgnn/train/loss.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"

namespace fgnn::train {

using at::Tensor;

namespace {

void check_count(std::size_t have, std::int64_t want) {
  if (static_cast<std::int64_t>(have) == want) return;
  throw Error(ErrorCode::usage, "labels",
              fmt::format("{} were given where the network has {} outputs", have, want));
}

Tensor targets_of(const tasks::Labelled& wanted, const Tensor& output) {
  check_count(wanted.targets.size(), output.numel());
  return at::from_blob(const_cast<float*>(wanted.targets.data()), output.sizes(), at::kFloat)
      .to(output.scalar_type());
}

}  // namespace

SummedLoss loss_of(const Tensor& output, const tasks::Labelled& wanted, tasks::Loss loss) {
  if (loss == tasks::Loss::cross_entropy && !wanted.targets.empty()) {
    return {at::neg(at::sum(at::mul(at::log_softmax(output, 1), targets_of(wanted, output)))),
            static_cast<double>(output.size(0))};
  }
  if (loss == tasks::Loss::cross_entropy) {
    check_count(wanted.classes.size(), output.size(0));
    const auto most = std::max_element(wanted.classes.begin(), wanted.classes.end());
    if (most != wanted.classes.end() && *most >= output.size(1)) {
      throw Error(ErrorCode::usage, "labels",
                  fmt::format("have class {} where the network knows {}", *most, output.size(1)));
    }
    Tensor classes =
        at::from_blob(const_cast<std::int64_t*>(wanted.classes.data()), {output.size(0)}, at::kLong)
            .clamp_min(-1);
    const double rows = static_cast<double>(std::count_if(
        wanted.classes.begin(), wanted.classes.end(), [](std::int64_t c) { return c >= 0; }));
    return {at::nll_loss(at::log_softmax(output, 1), classes, {}, at::Reduction::Sum,
                         /*ignore_index=*/-1),
            rows};
  }
  const Tensor targets = targets_of(wanted, output);
  const double width = static_cast<double>(output.size(1));
  const Tensor sum =
      loss == tasks::Loss::binary_cross_entropy
          ? at::binary_cross_entropy_with_logits(output, targets, {}, {}, at::Reduction::Sum)
      : loss == tasks::Loss::l1 ? at::l1_loss(output, targets, at::Reduction::Sum)
                                : at::mse_loss(output, targets, at::Reduction::Sum);
  return {at::div(sum, width), static_cast<double>(output.size(0))};
}

}  // namespace fgnn::train
