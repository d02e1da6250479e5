// The files as others read them: examples/python/read_model.py.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include "fgnn/io/safetensors.h"
#include "tests/places.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

// What the command prints, errors included, and the exit status unless that is 0.
std::string output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "cannot run " + command;
  std::string text;
  std::array<char, 4096> piece;
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) {
    text.append(piece.data(), size);
  }
  const int status = pclose(pipe);
  return status == 0 ? text : text + "exit status " + std::to_string(status);
}

TEST(ReadModel, PythonListsWhatWasWritten) {
  if (output_of("/usr/bin/python3 -c 'import numpy'") != "") GTEST_SKIP() << "there is no numpy";
  const testing::Scratch scratch;
  const auto path = scratch.path() / "model.safetensors";
  TensorFile file;
  file.metadata = {{"architecture", "{\"layers\": 2}"}, {"made by", "fgnn"}};
  file.add("layers.0.weight", {2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6.75f});
  file.add_half("layers.0.bias", {3}, std::vector<float>{-0.5f, -0.5f, 0.25f});
  file.add("temperature", {}, std::vector<double>{1e-300});
  file.add("states", {2}, std::vector<std::uint8_t>{2, 255});
  file.add("steps", {1}, std::vector<std::int64_t>{1'000'000});
  file.add("offsets", {2}, std::vector<std::int32_t>{-3, 4});
  file.add("unused", {0, 4}, std::span<const float>());
  write_safetensors(path, file);
  EXPECT_EQ(output_of("/usr/bin/python3 '" FGNN_SOURCE_DIR "/examples/python/read_model.py' '" +
                      path.string() + "'"),
            "architecture: {\"layers\": 2}\n"
            "made by: fgnn\n"
            "layers.0.weight float32 (2, 3) mean 3.625\n"
            "layers.0.bias float16 (3,) mean -0.25\n"
            "temperature float64 () mean 1e-300\n"
            "states uint8 (2,) mean 128.5\n"
            "steps int64 (1,) mean 1e+06\n"
            "offsets int32 (2,) mean 0.5\n"
            "unused float32 (0, 4) mean nan\n");
}

}  // namespace
}  // namespace fgnn
