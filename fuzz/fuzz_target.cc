// One fuzzer for all readers: FGNN_FUZZ names the property of fuzz/properties.h that is to hold, so
// that what is instrumented is compiled and linked once.
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "fuzz/properties.h"

namespace {

using Check = void (*)(std::string_view);

constexpr std::pair<std::string_view, Check> kChecks[] = {
    {"uai", fgnn::fuzzing::check_uai},           {"fg", fgnn::fuzzing::check_fg},
    {"alist", fgnn::fuzzing::check_alist},       {"qc", fgnn::fuzzing::check_qc},
    {"fgt", fgnn::fuzzing::check_fgt},           {"evidence", fgnn::fuzzing::check_evidence},
    {"answers", fgnn::fuzzing::check_answers},   {"safetensors", fgnn::fuzzing::check_safetensors},
    {"network", fgnn::fuzzing::check_network},   {"letters", fgnn::fuzzing::check_letters},
    {"picture", fgnn::fuzzing::check_picture},   {"keypoints", fgnn::fuzzing::check_keypoints},
    {"tracks", fgnn::fuzzing::check_tracks},     {"xyz", fgnn::fuzzing::check_xyz},
    {"sdf", fgnn::fuzzing::check_sdf},           {"targets", fgnn::fuzzing::check_targets},
    {"frames", fgnn::fuzzing::check_frames},     {"bvh", fgnn::fuzzing::check_bvh},
    {"skeleton", fgnn::fuzzing::check_skeleton}, {"graphs", fgnn::fuzzing::check_graphs},
};

Check check = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* wanted = std::getenv("FGNN_FUZZ");
  for (const auto& [name, its_check] : kChecks) {
    if (wanted != nullptr && name == wanted) check = its_check;
  }
  if (check != nullptr) return 0;
  std::fputs("FGNN_FUZZ names one of:", stderr);
  for (const auto& entry : kChecks) std::fprintf(stderr, " %s", entry.first.data());
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}
