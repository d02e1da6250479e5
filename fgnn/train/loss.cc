#include "fgnn/train/loss.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fgnn/core/error.h"
#include "fgnn/network/run.h"
#include "fgnn/nn/record.h"
#include "fgnn/tasks/chain.h"

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

void check_classes(const tasks::Labelled& wanted, std::int64_t least, std::size_t known) {
  for (const std::int64_t c : wanted.classes) {
    if (c >= least && c < static_cast<std::int64_t>(known)) continue;
    throw Error(ErrorCode::usage, "labels",
                fmt::format("have class {} where the network knows {}", c, known));
  }
}

// Minus the log-likelihood of every graph, a chain.
Tensor chain_loss(const Tensor& given, const tasks::Labelled& wanted) {
  const Tensor output = given.detach().to(at::kFloat).contiguous();
  const auto width = static_cast<std::size_t>(output.size(1));
  Tensor gradient = at::empty_like(output);
  double sum = 0;
  const std::span<const float> numbers(output.data_ptr<float>(),
                                       static_cast<std::size_t>(output.numel()));
  const std::span slopes(gradient.data_ptr<float>(), numbers.size());
  const auto rows =
      network::graph_rows(*wanted.batch.structure, wanted.batch.copies, {network::Place::variable});
  for (std::size_t g = 0; g + 1 < rows.size(); ++g) {
    const std::size_t first = rows[g], count = rows[g + 1] - first;
    if (count == 0) continue;
    sum += tasks::chain_log_likelihood(
        tasks::ChainRows::of(numbers.subspan(first * width, count * width), width),
        std::span(wanted.classes).subspan(first, count),
        slopes.subspan(first * width, count * width));
  }
  return nn::record("chain", at::full({}, -sum, given.options().requires_grad(false)), {given},
                    [&]() -> nn::Backward {
                      return [gradient, type = given.scalar_type()](const Tensor& outer,
                                                                    const std::vector<bool>&) {
                        return nn::Gradients{at::mul(gradient.to(type), outer.neg())};
                      };
                    });
}

}  // namespace

SummedLoss loss_of(const Tensor& output, const tasks::Labelled& wanted, tasks::Loss loss) {
  if (loss == tasks::Loss::cross_entropy && !wanted.targets.empty()) {
    return {at::neg(at::sum(at::mul(at::log_softmax(output, 1), targets_of(wanted, output)))),
            static_cast<double>(output.size(0))};
  }
  if (loss == tasks::Loss::chain) {
    check_count(wanted.classes.size(), output.size(0));
    check_classes(wanted, 0,
                  tasks::ChainRows::of({}, static_cast<std::size_t>(output.size(1))).states);
    return {chain_loss(output, wanted), static_cast<double>(output.size(0))};
  }
  if (loss == tasks::Loss::cross_entropy) {
    check_count(wanted.classes.size(), output.size(0));
    check_classes(wanted, std::numeric_limits<std::int64_t>::min(),
                  static_cast<std::size_t>(output.size(1)));
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
