#include "fgnn/infer/exact/buckets.h"

#include <algorithm>

#include "fgnn/infer/exact/offset_pool.h"

namespace fgnn::exact {
namespace {

constexpr std::size_t kLongRun = 8;   // shorter ones are gathered
constexpr std::size_t kBlock = 1024;  // 8 KiB per buffer: several stay in the first-level cache

class Maker {
 public:
  Maker(Problem& problem, const std::vector<Id>& order, const Tree& tree, Hold& hold,
        const Budget& budget)
      : problem_(problem),
        tree_(tree),
        hold_(hold),
        budget_(budget),
        time_(budget.deadline()),
        position_(problem.variables.size()),
        pool_(result_.offsets),
        maps_(result_.maps) {
    result_.offsets = std::move(problem.offsets);
    for (std::uint32_t b = 0; b < order.size(); ++b) position_[order[b]] = b;
    result_.buckets.resize(order.size());
    for (std::uint32_t b = 0; b < order.size(); ++b) result_.buckets[b].variable = order[b];
  }

  Buckets run() {
    result_.variables = problem_.variables.size();
    result_.schedule = tree_.schedule;
    result_.roots = tree_.roots;
    result_.loose_sources = tree_.loose_sources;
    result_.live_entries = static_cast<std::size_t>(tree_.live_entries);
    for (std::uint32_t b = 0; b < result_.buckets.size(); ++b) {
      fill(result_.buckets[b], tree_.nodes[b]);
    }
    return std::move(result_);
  }

 private:
  // The memory of a bucket that is wider than those that the plan has counted.
  void account(const Bucket& bucket, std::size_t inputs) {
    constexpr std::size_t kCounted = 7;
    const std::size_t wide = bucket.separator.size();
    if (wide > kCounted) {
      hold_.take(4 * (wide - kCounted) * (inputs + 2));
    }
    const std::size_t known = 16 * result_.offsets.size() + 8 * result_.maps.size();
    if (known > accounted_) {
      hold_.take(known - accounted_);
      accounted_ = known;
    }
    if (time_.late(inputs * (16 + bucket.block))) budget_.check_time();
  }

  void fill(Bucket& bucket, const Tree::Node& node) {
    set_separator(bucket, node);
    account(bucket, node.sources.size() + node.children.size());
    for (std::uint32_t s : node.sources) {
      const Source& source = problem_.sources[s];
      Input input{.message = false, .index = s, .base = source.base};
      input.offsets.assign(1 + bucket.separator.size(), Input::kAbsent);
      for (const auto& axis : source.axes) {
        input.offsets[axis_of(bucket, axis.variable)] = axis.offsets;
      }
      set_access(bucket, input);
      bucket.inputs.push_back(std::move(input));
    }
    for (std::uint32_t b : node.children) {
      const Bucket& child = result_.buckets[b];
      Input input{.message = true, .index = b};
      input.offsets.assign(1 + bucket.separator.size(), Input::kAbsent);
      std::size_t stride = child.entries;
      for (std::size_t i = 0; i < child.separator.size(); ++i) {
        stride /= child.sizes[i];
        input.offsets[axis_of(bucket, child.separator[i])] = pool_stride(child.sizes[i], stride);
      }
      set_access(bucket, input);
      bucket.inputs.push_back(std::move(input));
    }
    std::stable_sort(bucket.inputs.begin(), bucket.inputs.end(),
                     [](const Input& a, const Input& b) { return a.access < b.access; });
    set_places(bucket, node);
  }

  void set_places(Bucket& bucket, const Tree::Node& node) {
    bucket.kept = result_.kept_entries;
    result_.kept_entries += bucket.entries;
    const auto top = static_cast<std::size_t>(node.top);
    bucket.live = node.odd ? result_.live_entries - top - bucket.entries : top;
    const std::size_t width = choice_width(bucket.states);
    result_.choice_bytes = (result_.choice_bytes + width - 1) / width * width;
    bucket.choices = result_.choice_bytes;
    result_.choice_bytes += width * bucket.entries;
  }

  void set_separator(Bucket& bucket, const Tree::Node& node) {
    bucket.states = problem_.variables[bucket.variable].states;
    for (std::uint32_t p : node.separator) {
      const Id id = result_.buckets[p].variable;
      bucket.separator.push_back(id);
      bucket.sizes.push_back(problem_.variables[id].states);
      bucket.entries *= bucket.sizes.back();
    }
    bucket.outer = bucket.separator.size();
    while (bucket.outer > 0) {
      const std::size_t grown = bucket.block * bucket.sizes[bucket.outer - 1];
      if (bucket.block > 1 && grown > kBlock) break;
      bucket.block = grown;
      --bucket.outer;
    }
  }

  std::size_t axis_of(const Bucket& bucket, Id id) const {
    if (id == bucket.variable) return 0;
    const auto place = std::lower_bound(
        bucket.separator.begin(), bucket.separator.end(), position_[id],
        [this](Id other, std::uint32_t position) { return position_[other] < position; });
    return 1 + static_cast<std::size_t>(place - bucket.separator.begin());
  }

  std::uint32_t pool_stride(State states, std::size_t stride) {
    std::vector<std::size_t> offsets;
    for (State x = 0; x < states; ++x) offsets.push_back(x * stride);
    return pool_.add(offsets);
  }

  // The longest divisor of the map's length so that all parts of this length go by `step`.
  static std::size_t prefix(const std::vector<std::int32_t>& map, std::int32_t step) {
    std::size_t length = 1;
    while (length < map.size() && map[length] == map[length - 1] + step) ++length;
    for (; length > 1; --length) {
      if (map.size() % length != 0) continue;
      bool all = true;
      for (std::size_t i = 0; all && i < map.size(); ++i) {
        all = i % length == 0 || map[i] == map[i - 1] + step;
      }
      if (all) break;
    }
    return length;
  }

  void set_access(const Bucket& bucket, Input& input) {
    std::vector<std::int32_t> map{0};
    map.reserve(bucket.block);
    bool touched = false;
    std::vector<std::int32_t> longer;
    for (std::size_t axis = bucket.outer; axis < bucket.separator.size(); ++axis) {
      const std::uint32_t at = input.offsets[1 + axis];
      touched |= at != Input::kAbsent;
      longer.clear();
      for (std::int32_t start : map) {
        for (State x = 0; x < bucket.sizes[axis]; ++x) {
          const auto step = at == Input::kAbsent ? 0 : result_.offsets[at + x];
          longer.push_back(start + static_cast<std::int32_t>(step));
        }
      }
      map.swap(longer);
    }
    if (!touched) return;
    const std::size_t run = prefix(map, 1), repeat = prefix(map, 0);
    const bool whole = run == map.size() && map[0] == 0;
    input.access = whole                ? Input::Access::contiguous
                   : run >= kLongRun    ? Input::Access::runs
                   : repeat >= kLongRun ? Input::Access::repeats
                                        : Input::Access::gathered;
    if (input.access == Input::Access::contiguous) return;
    input.run = static_cast<std::uint32_t>(std::max(run, repeat));
    input.map = maps_.add(map);
  }

  const Problem& problem_;
  const Tree& tree_;
  Hold& hold_;
  const Budget& budget_;
  TimeCheck time_;
  std::vector<std::uint32_t> position_;
  Buckets result_;
  OffsetPool<std::size_t> pool_;
  OffsetPool<std::int32_t> maps_;
  std::size_t accounted_ = 0;  // bytes of offsets and maps
};

}  // namespace

Buckets make_buckets(Problem& problem, const std::vector<Id>& order, const Tree& tree, Hold& hold,
                     const Budget& budget) {
  return Maker(problem, order, tree, hold, budget).run();
}

}  // namespace fgnn::exact
