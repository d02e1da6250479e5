#include "fgnn/experiments/motion/task.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/motion/graphs.h"
#include "fgnn/experiments/motion/windows.h"

namespace fgnn::motion {
namespace {

using tasks::Stream;

// Validation windows of a held-back sequence: neighbours are nearly the same.
constexpr std::size_t kValidationStride = 10;

Split split_of(Stream stream, bool own_validation) {
  if (stream == Stream::test) return Split::test;
  return stream == Stream::validation && own_validation ? Split::validation : Split::train;
}

}  // namespace

void TaskOptions::validate() const {
  const auto check = [](bool holds, const char* field, const char* what) {
    if (!holds) throw Error(ErrorCode::usage, field, what);
  };
  check(predicted >= 1 && predicted <= kLongest, "predicted", "must be 1 to 25 frames");
  check(windows >= 1 && windows <= 100000, "windows", "must be 1 to 100000");
  check(stride >= 1 && stride <= 1000, "stride", "must be 1 to 1000");
  check(held_back != 1, "held_back", "every sequence held back leaves none to train on");
}

std::size_t protocol_coefficients(Form form, std::size_t predicted) {
  constexpr std::size_t kCut = 5;
  return kObserved + predicted - (form == Form::position ? kCut : 0);
}

std::vector<double> inputs_of(const Dct& dct,
                              const std::vector<std::span<const double>>& observed) {
  const std::size_t nodes = observed[0].size();
  std::vector<double> inputs(nodes * dct.kept()), frames(dct.frames());
  for (std::size_t n = 0; n < nodes; ++n) {
    for (std::size_t f = 0; f < frames.size(); ++f) {
      frames[f] = observed[std::min(f, observed.size() - 1)][n];
    }
    dct.forwards(frames, std::span(inputs).subspan(n * dct.kept(), dct.kept()));
  }
  return inputs;
}

MotionTask::MotionTask(TaskOptions options)
    : options_((options.validate(), std::move(options))),
      corpus_(options_.data),
      body_(std::make_unique<const Body>(corpus_.layout(), options_.form)),
      dct_(kObserved + options_.predicted,
           options_.coefficients > 0 ? options_.coefficients
                                     : protocol_coefficients(options_.form, options_.predicted)),
      loss_(std::make_unique<const MotionLoss>(*body_, dct_)),
      structure_(structure_of(*body_)),
      row_(body_->truth(std::vector<double>(corpus_.layout().skeleton.columns())).size()) {}

network::Schema MotionTask::schema() const { return schema_of(*body_, dct_.kept()); }

bool MotionTask::has(Stream stream) const {
  if (stream != Stream::validation) return corpus_.has(split_of(stream, false));
  return corpus_.has(Split::validation) || (options_.held_back > 0 && corpus_.has(Split::train));
}

const MotionTask::Part& MotionTask::of(Stream stream) const {
  Part& part = parts_[static_cast<int>(stream)];
  std::call_once(part.once, [&] { fill(part, stream); });
  return part;
}

void MotionTask::keep(Part& part, const std::vector<Sequence>& sequences) const {
  part.truth.resize(sequences.size());
  parallel_tasks(default_threads(), sequences.size(), [&](std::size_t s) {
    const Frames& frames = sequences[s].frames;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const auto row = body_->truth(frames[f]);
      part.truth[s].insert(part.truth[s].end(), row.begin(), row.end());
    }
  });
}

void MotionTask::fill(Part& part, Stream stream) const {
  const bool own = corpus_.has(Split::validation);
  auto sequences = corpus_.read(split_of(stream, own), default_threads());
  keep(part, sequences);
  if (stream == Stream::test || (stream == Stream::validation && own)) {
    draw(part, std::move(sequences));
  } else {
    take_all(part, sequences, stream == Stream::validation);
  }
}

void MotionTask::draw(Part& part, std::vector<Sequence> sequences) const {
  for (const TestWindow& w :
       test_windows(corpus_.layout(), corpus_.actions(), sequences, options_.windows)) {
    part.windows.push_back({w.sequence, w.first});
  }
}

void MotionTask::take_all(Part& part, const std::vector<Sequence>& sequences,
                          bool validation) const {
  const std::size_t length = kObserved + options_.predicted;
  const bool holds_back = options_.held_back > 0 && !corpus_.has(Split::validation);
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const bool held = holds_back && s % options_.held_back == options_.held_back - 1;
    if (held != validation) continue;
    const std::size_t step = validation ? kValidationStride : options_.stride;
    for (std::size_t f = 0; f + length <= sequences[s].frames.size(); f += step) {
      part.windows.push_back({s, f});
    }
  }
}

tasks::Labelled MotionTask::instance(Stream stream, std::uint64_t index) const {
  const Part& part = of(stream);
  const Window& w = part.windows.at(index);
  std::vector<std::span<const double>> truth;
  for (std::size_t f = 0; f < dct_.frames(); ++f) {
    truth.push_back(std::span(part.truth[w.sequence]).subspan((w.first + f) * row_, row_));
  }
  std::vector<std::vector<double>> observed(kObserved);
  for (std::size_t f = 0; f < kObserved; ++f) {
    for (std::size_t n = 0; n < body_->nodes(); ++n) {
      observed[f].push_back(body_->node(truth[f], n));
    }
  }
  tasks::Labelled result;
  result.batch.structure = structure_;
  result.batch.relations.resize(2);
  result.batch.variable = inputs_of(dct_, {observed.begin(), observed.end()});
  result.targets = targets_of(*body_, truth);
  return result;
}

std::map<std::string, std::string> MotionTask::settings() const {
  return {{"form", name_of(options_.form)},
          {"layout", corpus_.layout().name},
          {"predicted", std::to_string(options_.predicted)},
          {"coefficients", std::to_string(dct_.kept())},
          {"windows", std::to_string(options_.windows)},
          {"stride", std::to_string(options_.stride)},
          {"held_back", std::to_string(options_.held_back)}};
}

}  // namespace fgnn::motion
