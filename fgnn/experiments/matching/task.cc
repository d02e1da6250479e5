#include "fgnn/experiments/matching/task.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/experiments/matching/loss.h"
#include "fgnn/experiments/settings.h"

namespace fgnn::matching {
namespace {

using tasks::Stream;

constexpr std::uint64_t kDraw[] = {11, 12, 13};  // streams of random numbers, by Stream

std::vector<std::size_t> objects_of(const KeypointData& data, Stream stream, std::uint64_t held) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < data.objects().size(); ++i) {
    const auto& o = data.objects()[i];
    const Stream its = o.test               ? Stream::test
                       : held_back(o, held) ? Stream::validation
                                            : Stream::train;
    if (its == stream) found.push_back(i);
  }
  return found;
}

std::shared_ptr<const KeypointData> data_of(const MatchingOptions& o) {
  if (o.data == "random") return nullptr;
  if (o.data.empty()) {
    throw Error(ErrorCode::usage, "task matching", "has no data",
                "name the folder of keypoints: --data DIR, or --task data=random");
  }
  return std::make_shared<const KeypointData>(o.data);
}

}  // namespace

void MatchingOptions::validate() const {
  graph.validate();
  random.validate();
  const auto check = [](bool holds, const char* field, const char* what) {
    if (!holds) throw Error(ErrorCode::usage, field, what);
  };
  check(held_back < 100, "held_back", "must be below 100 percent");
  check(turn >= 0 && turn <= 180, "turn", "must be 0 to 180 degrees");
  check(scale >= 0 && scale <= 5, "scale", "must be 0 to 5");
  check(jitter >= 0 && jitter <= 10, "jitter", "must be 0 to 10");
  check(drop >= 0 && drop < 1, "drop", "must be 0 or more and below 1");
  check(thin >= 0 && thin < 1, "thin", "must be 0 or more and below 1");
}

MatchingTask::MatchingTask(MatchingOptions options) : MatchingTask(options, data_of(options)) {}

MatchingTask::MatchingTask(MatchingOptions options, std::shared_ptr<const KeypointData> data)
    : options_((options.validate(), std::move(options))) {
  options_.graph.feature_width = data != nullptr && options_.features ? data->feature_width() : 0;
  for (const Stream s : {Stream::train, Stream::validation, Stream::test}) {
    if (data == nullptr) break;
    source_[static_cast<int>(s)] = std::make_unique<const PairSource>(
        data, objects_of(*data, s, options_.held_back), options_.protocol, options_.common);
  }
}

tasks::Loss MatchingTask::loss() const {
  return options_.nobody ? kMatchingOrNobodyLoss : kMatchingLoss;
}

bool MatchingTask::has(Stream stream) const {
  const auto& source = source_[static_cast<int>(stream)];
  return options_.data == "random" || (source != nullptr && !source->classes().empty());
}

PointPair MatchingTask::pair(Stream stream, std::uint64_t index) const {
  Rng random(options_.seed ^ (kDraw[static_cast<int>(stream)] << 32), index);
  const auto& source = source_[static_cast<int>(stream)];
  if (source == nullptr) return random_points(options_.random, random);
  // Classes by turns, but in training, where batches should not all look alike.
  const auto& classes = source->classes();
  const bool training = stream == Stream::train;
  const auto of_class = classes[(training ? random() : index) % classes.size()];
  PointPair pair = source->draw(of_class, random, options_.features);
  if (training) {
    if (options_.thin > 0) thin_out(pair, options_.thin, options_.common, random);
    distort(pair.first, random);
    distort(pair.second, random);
  } else if (options_.turned) {
    turn(pair.first.at, random.uniform(0, 2 * std::numbers::pi));
    turn(pair.second.at, random.uniform(0, 2 * std::numbers::pi));
  }
  return pair;
}

void MatchingTask::distort(PointSet& set, Rng& random) const {
  if (options_.turn > 0) {
    turn(set.at, random.uniform(-1, 1) * options_.turn * std::numbers::pi / 180);
  }
  if (options_.scale > 0) {
    const double x = std::exp(random.uniform(-1, 1) * options_.scale);
    const double y = std::exp(random.uniform(-1, 1) * options_.scale);
    for (auto& p : set.at) p = {p.x * x, p.y * y};
  }
  if (options_.jitter > 0) {
    for (auto& p : set.at) {
      p = {p.x + options_.jitter * random.normal(), p.y + options_.jitter * random.normal()};
    }
  }
  if (options_.drop > 0) {
    const auto keep = static_cast<float>(1 / (1 - options_.drop));
    for (auto& f : set.features) f = random.uniform() < options_.drop ? 0 : f * keep;
  }
}

tasks::Labelled MatchingTask::instance(Stream stream, std::uint64_t index) const {
  const PointPair p = pair(stream, index);
  tasks::Labelled result;
  result.batch = graph_of(options_.graph, p.first, p.second);
  result.classes = labels_of(p);
  return result;
}

std::map<std::string, std::string> MatchingTask::settings() const {
  const auto text = [](bool value) { return std::string(value ? "yes" : "no"); };
  return {{"protocol", std::string(name_of(options_.protocol))},
          {"common", std::to_string(options_.common)},
          {"nobody", text(options_.nobody)},
          {"held_back", std::to_string(options_.held_back)},
          {"features", text(options_.features)},
          {"neighbours", std::to_string(options_.graph.neighbours)},
          {"factors", options_.graph.factors.empty()
                          ? "none"
                          : fmt::format("{}", fmt::join(options_.graph.factors, "+"))},
          {"turn", fmt::format("{}", options_.turn)},
          {"scale", fmt::format("{}", options_.scale)},
          {"jitter", fmt::format("{}", options_.jitter)},
          {"drop", fmt::format("{}", options_.drop)},
          {"thin", fmt::format("{}", options_.thin)},
          {"turned", text(options_.turned)},
          {"data_seed", std::to_string(options_.seed)}};
}

MatchingOptions matching_options(const experiments::Settings& s) {
  using experiments::number, experiments::whole, experiments::yes;
  MatchingOptions o;
  o.data = s.at("data");
  o.protocol = from_word<Protocol>(s.at("protocol"));
  o.common = whole(s, "common");
  o.nobody = yes(s, "nobody");
  o.held_back = whole(s, "held_back");
  o.features = yes(s, "features");
  o.graph.neighbours = whole(s, "neighbours");
  o.graph.factors = s.at("factors").empty() || s.at("factors") == "none"
                        ? std::vector<std::string>()
                        : split(s.at("factors"), '+');
  o.turn = number(s, "turn");
  o.scale = number(s, "scale");
  o.jitter = number(s, "jitter");
  o.drop = number(s, "drop");
  o.thin = number(s, "thin");
  o.turned = yes(s, "turned");
  o.seed = whole(s, "data_seed");
  return o;
}

}  // namespace fgnn::matching
