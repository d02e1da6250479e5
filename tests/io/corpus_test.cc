// The inputs of the fuzzers, and every prefix of them, as an ordinary test.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/properties.h"
#include "tests/places.h"

namespace fgnn {
namespace {

struct Reader {
  const char* name;
  void (*check)(std::string_view);
};

void PrintTo(const Reader& reader, std::ostream* out) { *out << reader.name; }

class Corpus : public ::testing::TestWithParam<Reader> {};

TEST_P(Corpus, HoldsWhatEveryInputMust) {
  const auto folder = std::filesystem::path(FGNN_SOURCE_DIR) / "fuzz" / "corpus" / GetParam().name;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::stringstream stream;
    stream << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    const std::string text = stream.str();
    const std::size_t step = 1 + text.size() / 200;
    for (std::size_t length = text.size() % step; length <= text.size(); length += step) {
      EXPECT_NO_THROW(GetParam().check(std::string_view(text).substr(0, length)))
          << entry.path() << ", first " << length << " bytes";
    }
    ++files;
  }
  EXPECT_GE(files, 4) << folder;
}

INSTANTIATE_TEST_SUITE_P(
    Readers, Corpus,
    ::testing::Values(
        Reader{"uai", fuzzing::check_uai}, Reader{"fg", fuzzing::check_fg},
        Reader{"alist", fuzzing::check_alist}, Reader{"qc", fuzzing::check_qc},
        Reader{"fgt", fuzzing::check_fgt}, Reader{"evidence", fuzzing::check_evidence},
        Reader{"answers", fuzzing::check_answers},
        Reader{"safetensors", fuzzing::check_safetensors},
        Reader{"network", fuzzing::check_network}, Reader{"letters", fuzzing::check_letters},
        Reader{"xyz", fuzzing::check_xyz}, Reader{"sdf", fuzzing::check_sdf},
        Reader{"targets", fuzzing::check_targets}, Reader{"picture", fuzzing::check_picture},
        Reader{"keypoints", fuzzing::check_keypoints}, Reader{"tracks", fuzzing::check_tracks},
        Reader{"frames", fuzzing::check_frames}, Reader{"bvh", fuzzing::check_bvh},
        Reader{"skeleton", fuzzing::check_skeleton}, Reader{"graphs", fuzzing::check_graphs}),
    [](const auto& reader) { return std::string(reader.param.name); });

}  // namespace
}  // namespace fgnn
