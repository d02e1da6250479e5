#include "fgnn/experiments/matching/picture_pairs.h"

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/experiments/matching/pairs.h"

namespace fgnn::matching {
namespace {

// CLASS_a_IMAGE_OBJECT to IMAGE:OBJECT; the image has underscores of its own.
std::string object_of(const std::filesystem::path& picture) {
  const std::string stem = picture.stem().string();
  const auto side = stem.find('_'), image = stem.find('_', side + 1), number = stem.rfind('_');
  if (side == std::string::npos || image == std::string::npos || number <= image) {
    throw Error(ErrorCode::format, picture.string(), "is not named CLASS_a_IMAGE_OBJECT.jpg");
  }
  return stem.substr(image + 1, number - image - 1) + ":" + stem.substr(number + 1);
}

}  // namespace

std::vector<PicturePair> picture_pairs(const std::filesystem::path& folder,
                                       const KeypointData& data) {
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "pictures", failure)) {
    if (entry.path().extension() == ".jpg") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  const std::shared_ptr<const KeypointData> shared(&data, [](const KeypointData*) {});
  const PairSource source(shared, {}, Protocol::intersection);
  std::vector<PicturePair> pairs;
  for (std::size_t i = 0; i + 1 < files.size(); i += 2) {
    PicturePair p{object_of(files[i]), object_of(files[i + 1]), files[i], files[i + 1], {}};
    Rng random(i);
    p.points =
        source.points({data.table().find(p.first_name), data.table().find(p.second_name)}, random);
    pairs.push_back(std::move(p));
  }
  return pairs;
}

}  // namespace fgnn::matching
