#include "fgnn/experiments/motion/windows.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/experiments/motion/legacy_random.h"

namespace fgnn::motion {
namespace {

constexpr std::uint32_t kSeed = 1234567890;
constexpr std::size_t kCmuMargin = 75, kH36mMargin = 150, kH36mLow = 16;

std::uint32_t end_of(std::size_t length, std::size_t margin, std::size_t low,
                     const std::string& subject) {
  if (length <= margin + low) {
    throw Error(ErrorCode::usage, subject,
                fmt::format("has {} kept frames, too few for the protocol's test windows", length),
                fmt::format("they need {}", margin + low + 1));
  }
  return static_cast<std::uint32_t>(length - margin);
}

}  // namespace

std::vector<std::uint32_t> cmu_starts(std::size_t length, std::size_t windows,
                                      const std::string& subject) {
  const std::uint32_t end = end_of(length, kCmuMargin, 0, subject);
  LegacyRandom random(kSeed);
  std::vector<std::uint32_t> starts;
  while (starts.size() < windows) starts.push_back(random.between(0, end));
  return starts;
}

TwoTrials h36m_starts(std::size_t first_length, std::size_t second_length, std::size_t windows,
                      const std::string& subject) {
  const std::uint32_t first = end_of(first_length, kH36mMargin, kH36mLow, subject);
  const std::uint32_t second = end_of(second_length, kH36mMargin, kH36mLow, subject);
  LegacyRandom random(kSeed);
  TwoTrials t;
  while (t.first.size() + t.second.size() < windows) {
    t.first.push_back(random.between(kH36mLow, first));
    if (t.first.size() + t.second.size() == windows) break;
    t.second.push_back(random.between(kH36mLow, second));
  }
  return t;
}

}  // namespace fgnn::motion
