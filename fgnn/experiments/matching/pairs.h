// Pairs of objects of one class, drawn at random, by the protocols of the literature:
//
//   intersection  the keypoints that both objects have (PCA-GM, BBGM, the paper)
//   inclusion     all keypoints of both, where the second has all that the first has (DGMC)
//   unfiltered    all keypoints of both; some have no partner
//
// Points come in random order on both sides.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fgnn/core/random.h"
#include "fgnn/core/words.h"
#include "fgnn/experiments/matching/keypoint_data.h"

namespace fgnn::matching {

enum class Protocol { intersection, inclusion, unfiltered };
const Words<Protocol>& words_of(Protocol);

// Which two objects: places in KeypointData::objects().
struct ObjectPair {
  std::size_t first = 0, second = 0;
};

class PairSource {
 public:
  // Of these objects; pairs have at least `common` keypoints in common.
  PairSource(std::shared_ptr<const KeypointData> data, const std::vector<std::size_t>& objects,
             Protocol protocol, std::size_t common = 2);

  // Classes that have a pair, as numbers of the table.
  const std::vector<std::uint32_t>& classes() const { return classes_; }

  // Two distinct objects, uniform among those that fit.
  ObjectPair objects(std::uint32_t of_class, Rng& random) const;
  // Their points. Throws Error(usage) where the protocol leaves nothing.
  PointPair points(const ObjectPair& objects, Rng& random, bool features = true) const;
  PointPair draw(std::uint32_t of_class, Rng& random, bool features = true) const {
    return points(objects(of_class, random), random, features);
  }

 private:
  bool fit(std::size_t first, std::size_t second) const;
  bool has_pair(const std::vector<std::size_t>& objects) const;

  std::shared_ptr<const KeypointData> data_;
  Protocol protocol_;
  std::size_t common_;
  std::vector<std::uint32_t> classes_;
  std::vector<std::vector<std::size_t>> of_class_;  // objects with enough keypoints
};

// Leaves out points at random: a share of them, drawn between 0 and `most`, matched ones from both
// sides at once. At least `common` matches stay.
void thin_out(PointPair& pair, double most, std::size_t common, Rng& random);

// Objects of the training part that are held back to choose settings by: about `percent` of them,
// by the picture's name, so that no picture is on both sides.
bool held_back(const KeypointObject& object, std::uint64_t percent);

}  // namespace fgnn::matching
