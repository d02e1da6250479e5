#include "fgnn/experiments/matching/pairs.h"

#include <algorithm>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/core/fingerprint.h"

namespace fgnn::matching {
namespace {

// Keypoint of `in` with this name, or its number of keypoints.
std::size_t keypoint(const KeypointObject& in, std::uint32_t name) {
  return static_cast<std::size_t>(std::ranges::find(in.names, name) - in.names.begin());
}

std::size_t common_names(const KeypointObject& a, const KeypointObject& b) {
  return static_cast<std::size_t>(std::ranges::count_if(
      a.names, [&](std::uint32_t name) { return keypoint(b, name) < b.names.size(); }));
}

PointSet points_kept(const PointSet& of, const std::vector<bool>& keep) {
  const std::size_t width = of.feature_width();
  PointSet result;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (!keep[i]) continue;
    result.at.push_back(of.at[i]);
    const float* row = of.features.data() + i * width;
    result.features.insert(result.features.end(), row, row + width);
    if (!of.names.empty()) result.names.push_back(of.names[i]);
  }
  return result;
}

}  // namespace

const Words<Protocol>& words_of(Protocol) {
  static const Words<Protocol> kWords{"a protocol",
                                      {{"intersection", Protocol::intersection},
                                       {"inclusion", Protocol::inclusion},
                                       {"unfiltered", Protocol::unfiltered}}};
  return kWords;
}

PairSource::PairSource(std::shared_ptr<const KeypointData> data,
                       const std::vector<std::size_t>& objects, Protocol protocol,
                       std::size_t common)
    : data_(std::move(data)), protocol_(protocol), common_(std::max<std::size_t>(1, common)) {
  of_class_.resize(data_->table().classes.size());
  for (const std::size_t o : objects) {
    const auto& object = data_->objects()[o];
    if (object.names.size() >= common_) of_class_[object.of_class].push_back(o);
  }
  for (std::uint32_t c = 0; c < of_class_.size(); ++c) {
    if (has_pair(of_class_[c])) classes_.push_back(c);
  }
}

bool PairSource::fit(std::size_t first, std::size_t second) const {
  if (first == second) return false;
  const auto &a = data_->objects()[first], &b = data_->objects()[second];
  const std::size_t common = common_names(a, b);
  return common >= common_ && (protocol_ != Protocol::inclusion || common == a.names.size());
}

bool PairSource::has_pair(const std::vector<std::size_t>& objects) const {
  for (const std::size_t a : objects) {
    for (const std::size_t b : objects) {
      if (fit(a, b)) return true;
    }
  }
  return false;
}

ObjectPair PairSource::objects(std::uint32_t of_class, Rng& random) const {
  const auto& all = of_class_.at(of_class);
  if (std::ranges::find(classes_, of_class) == classes_.end()) {
    throw Error(ErrorCode::usage, data_->table().classes.at(of_class),
                "has no two objects that fit the protocol " + std::string(name_of(protocol_)));
  }
  while (true) {  // there is one
    const ObjectPair pair{all[random.below(all.size())], all[random.below(all.size())]};
    if (fit(pair.first, pair.second)) return pair;
  }
}

PointPair PairSource::points(const ObjectPair& objects, Rng& random, bool features) const {
  const auto &a = data_->objects().at(objects.first), &b = data_->objects().at(objects.second);
  const auto chosen = [&](const KeypointObject& of, const KeypointObject& other) {
    std::vector<std::size_t> keypoints;
    for (std::size_t k = 0; k < of.names.size(); ++k) {
      if (protocol_ != Protocol::intersection ||
          keypoint(other, of.names[k]) < other.names.size()) {
        keypoints.push_back(k);
      }
    }
    random.shuffle(keypoints);
    return keypoints;
  };
  const auto first = chosen(a, b), second = chosen(b, a);
  if (common_names(a, b) == 0) {
    throw Error(ErrorCode::usage, a.image + " and " + b.image, "have no keypoint in common");
  }
  PointPair pair{data_->points(a, first, features), data_->points(b, second, features), {}};
  for (const std::size_t k : first) {
    const auto at = std::ranges::find_if(
        second, [&](std::size_t other) { return b.names[other] == a.names[k]; });
    pair.partner.push_back(at == second.end() ? kNobody
                                              : static_cast<std::int32_t>(at - second.begin()));
  }
  return pair;
}

void thin_out(PointPair& pair, double most, std::size_t common, Rng& random) {
  const double share = random.uniform(0, most);
  std::vector<bool> keep_first(pair.first.size(), true), keep_second(pair.second.size(), true);
  std::vector<bool> alone(pair.second.size(), true);
  std::size_t matches = 0;
  for (const std::int32_t j : pair.partner) {
    if (j == kNobody) continue;
    ++matches;
    alone[static_cast<std::size_t>(j)] = false;
  }
  for (std::size_t i = 0; i < pair.partner.size(); ++i) {
    const std::int32_t j = pair.partner[i];
    if (random.uniform() >= share || (j != kNobody && matches <= common)) continue;
    keep_first[i] = false;
    if (j == kNobody) continue;
    keep_second[static_cast<std::size_t>(j)] = false;
    --matches;
  }
  for (std::size_t j = 0; j < alone.size(); ++j) {
    if (alone[j] && random.uniform() < share) keep_second[j] = false;
  }
  std::vector<std::int32_t> place(keep_second.size(), kNobody);
  std::int32_t next = 0;
  for (std::size_t j = 0; j < place.size(); ++j) {
    if (keep_second[j]) place[j] = next++;
  }
  std::vector<std::int32_t> partner;
  for (std::size_t i = 0; i < pair.partner.size(); ++i) {
    if (!keep_first[i]) continue;
    const std::int32_t j = pair.partner[i];
    partner.push_back(j == kNobody ? kNobody : place[static_cast<std::size_t>(j)]);
  }
  pair.partner = std::move(partner);
  pair.first = points_kept(pair.first, keep_first);
  pair.second = points_kept(pair.second, keep_second);
}

bool held_back(const KeypointObject& object, std::uint64_t percent) {
  Fingerprint picture;
  picture.add(object.image);
  return Rng(picture.value()).below(100) < percent;
}

}  // namespace fgnn::matching
