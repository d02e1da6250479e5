#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "fgnn/core/token_reader.h"
#include "fgnn/experiments/motion/bvh.h"

namespace fgnn::motion {
namespace {

constexpr std::size_t kMostJoints = 1024, kDeepest = 128, kMostNumbers = std::size_t{1} << 28;
constexpr double kLargest = 1e9;
constexpr std::pair<std::string_view, Channel> kChannels[] = {
    {"Xposition", Channel::x_position}, {"Yposition", Channel::y_position},
    {"Zposition", Channel::z_position}, {"Xrotation", Channel::x_rotation},
    {"Yrotation", Channel::y_rotation}, {"Zrotation", Channel::z_rotation}};

class Reader {
 public:
  explicit Reader(TokenReader& in) : in_(in) {}

  Bvh read() {
    in_.expect("HIERARCHY");
    in_.expect("ROOT");
    joint(-1, 0);
    if (in_.peek() == "ROOT") in_.fail_at(in_.next_place(), "a second root", "one body a file");
    motion();
    in_.expect_end("the motion");
    return std::move(bvh_);
  }

 private:
  double number(const char* what) {
    const double value = in_.number(what);
    if (!(std::abs(value) <= kLargest)) in_.fail(fmt::format("{} is too large", what));
    return value;
  }

  std::size_t add(int parent, std::size_t depth) {
    if (bvh_.skeleton.size() == kMostJoints) in_.fail("too many joints");
    if (depth > kDeepest) in_.fail("joints are nested too deeply");
    bvh_.skeleton.joints.push_back({parent, {}, {}});
    bvh_.channels.emplace_back();
    return bvh_.skeleton.size() - 1;
  }

  void offset(std::size_t j) {
    in_.expect("OFFSET");
    for (double& v : bvh_.skeleton.joints[j].offset) v = number("an offset");
  }

  void channels(std::size_t j) {
    in_.expect("CHANNELS");
    const auto count = in_.integer("a number of channels", 0, 6);
    for (std::uint64_t c = 0; c < count; ++c) {
      const std::string name(in_.word("a channel"));
      const auto* known = std::ranges::find(kChannels, std::string_view(name),
                                            &std::pair<std::string_view, Channel>::first);
      if (known == std::end(kChannels)) {
        in_.fail(fmt::format("{} is not a channel", in_quotes(name)),
                 "channels are Xposition … Zrotation");
      }
      const Channel channel = known->second;
      if (std::ranges::find(bvh_.channels[j], channel) != bvh_.channels[j].end()) {
        in_.fail(fmt::format("{} is there twice", name));
      }
      if (channel < Channel::x_rotation && j > 0) {
        in_.fail("only the root may move", "bones keep their lengths");
      }
      bvh_.channels[j].push_back(channel);
    }
  }

  void joint(int parent, std::size_t depth) {
    const std::string name(in_.word("a joint's name"));
    const std::size_t j = add(parent, depth);
    bvh_.skeleton.joints[j].name = name;
    in_.expect("{");
    offset(j);
    channels(j);
    while (!in_.take_if("}")) {
      if (in_.take_if("JOINT")) {
        joint(static_cast<int>(j), depth + 1);
      } else if (in_.take_if("End")) {
        in_.expect("Site");
        const std::size_t end = add(static_cast<int>(j), depth + 1);
        in_.expect("{");
        offset(end);
        in_.expect("}");
      } else {
        in_.expect("}");  // says what was expected and found
      }
    }
  }

  void motion() {
    in_.expect("MOTION");
    in_.expect("Frames:");
    bvh_.frames = in_.integer("a number of frames", 0, kMostNumbers);
    in_.expect("Frame");
    in_.expect("Time:");
    bvh_.frame_seconds = in_.number("seconds");
    if (!(bvh_.frame_seconds > 0 && bvh_.frame_seconds <= 10)) {
      in_.fail("a frame must last more than 0 and at most 10 seconds");
    }
    const std::size_t each = bvh_.channel_count();
    if (each == 0 && bvh_.frames > 0) in_.fail("there are frames, but no joint has channels");
    if (bvh_.frames > kMostNumbers / bvh_.skeleton.columns()) in_.fail("too many frames");
    for (std::size_t i = 0; i < bvh_.frames * each; ++i) {
      bvh_.numbers.push_back(number("a channel's value"));
    }
  }

  TokenReader& in_;
  Bvh bvh_;
};

}  // namespace

std::size_t Bvh::channel_count() const {
  std::size_t n = 0;
  for (const auto& c : channels) n += c.size();
  return n;
}

Bvh parse_bvh(std::string_view text, const std::string& file) {
  std::istringstream stream{std::string(text)};
  TokenReader in(stream, file, Comments::none);
  return Reader(in).read();
}

}  // namespace fgnn::motion
