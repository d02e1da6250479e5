// Which frames are observed and predicted. A window is 10 observed frames and 10 or 25 to predict;
// training uses every start. Tests draw theirs by the field's generator, seeded with 1234567890
// anew for every sequence (CMU) or action (H3.6M):
//
//   CMU     s = randint(0, length - 75), window from s + 40 on
//   H3.6M   two trials by turns, s = randint(16, length - 150), window from s + 40 on; those of the
//           first trial come first
//
// The protocol draws 8 windows; drawing on gives more (256 are usual).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fgnn::motion {

inline constexpr std::size_t kObserved = 10, kLongest = 25;
inline constexpr std::size_t kBeforeWindow = 40;  // frames that the protocol skips behind s

// The s above. Throw Error(usage) naming `subject` when a sequence is too short.
std::vector<std::uint32_t> cmu_starts(std::size_t length, std::size_t windows,
                                      const std::string& subject);
struct TwoTrials {
  std::vector<std::uint32_t> first, second;
};
TwoTrials h36m_starts(std::size_t first_length, std::size_t second_length, std::size_t windows,
                      const std::string& subject);

}  // namespace fgnn::motion
