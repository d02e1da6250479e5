#include "fgnn/experiments/motion/forecaster.h"

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/experiments/motion/graphs.h"
#include "fgnn/experiments/motion/task.h"
#include "fgnn/experiments/motion/windows.h"
#include "fgnn/learned/weights.h"
#include "fgnn/network/run.h"

namespace fgnn::motion {
namespace {

const std::string& setting(const network::Model& model, const std::string& key,
                           const std::string& file) {
  const auto task = model.metadata.find("task"), found = model.metadata.find(key);
  if (task != model.metadata.end() && task->second == "motion" && found != model.metadata.end()) {
    return found->second;
  }
  throw Error(ErrorCode::usage, file, "is not a network for motion",
              "train one: fgnn train motion");
}

std::size_t whole(const network::Model& model, const std::string& key, const std::string& file) {
  return parse_number<std::size_t>(setting(model, key, file), "a whole number");
}

}  // namespace

Forecaster::Forecaster(network::Model model, const std::string& file)
    : model_(std::move(model)),
      body_(layout_named(setting(model_, "layout", file)), form_of(setting(model_, "form", file))),
      dct_(kObserved + whole(model_, "predicted", file), whole(model_, "coefficients", file)),
      structure_(structure_of(body_)) {}

Forecaster Forecaster::load(const std::string& file_or_name) {
  const auto file = learned::find_weights(file_or_name);
  return Forecaster(network::load_model(file), file.string());
}

std::size_t Forecaster::predicted() const { return dct_.frames() - kObserved; }

std::vector<Rows> Forecaster::operator()(const std::vector<Rows>& observed, int threads) const {
  network::Batch batch;
  batch.structure = structure_;
  batch.copies = observed.size();
  batch.relations.resize(2);
  for (const Rows& rows : observed) {
    const auto inputs = inputs_of(dct_, {rows.begin(), rows.end()});
    batch.variable.insert(batch.variable.end(), inputs.begin(), inputs.end());
  }
  network::Runner<float> runner(model_);
  const auto out = runner.run(batch, threads);
  const std::size_t nodes = body_.nodes(), kept = dct_.kept();
  std::vector<Rows> all(observed.size(), Rows(predicted(), std::vector<double>(nodes)));
  std::vector<double> coefficients(kept), frames(dct_.frames());
  for (std::size_t w = 0; w < observed.size(); ++w) {
    for (std::size_t n = 0; n < nodes; ++n) {
      const auto row = out.subspan((w * nodes + n) * kept, kept);
      std::ranges::copy(row, coefficients.begin());
      dct_.backwards(coefficients, frames);
      for (std::size_t f = 0; f < predicted(); ++f) all[w][f][n] = frames[kObserved + f];
    }
  }
  return all;
}

Rows Forecaster::further(const Rows& observed, std::size_t frames) const {
  Rows rows = observed;
  while (rows.size() < observed.size() + frames) {
    const Rows seen(rows.end() - static_cast<std::ptrdiff_t>(kObserved), rows.end());
    const Rows next = (*this)({seen})[0];
    rows.insert(rows.end(), next.begin(), next.end());
  }
  return {rows.begin() + static_cast<std::ptrdiff_t>(observed.size()),
          rows.begin() + static_cast<std::ptrdiff_t>(observed.size() + frames)};
}

}  // namespace fgnn::motion
