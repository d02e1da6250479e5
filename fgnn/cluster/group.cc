#include "fgnn/cluster/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "fgnn/core/error.h"
#include "fgnn/core/fingerprint.h"

namespace fgnn::cluster {
namespace {

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// The first lines that are not the same; the texts differ.
std::pair<std::string, std::string> first_difference(std::string_view a, std::string_view b) {
  while (true) {
    const std::string_view mine = next_line(a), other = next_line(b);
    if (mine != other || (a.empty() && b.empty())) return {std::string(mine), std::string(other)};
  }
}

std::vector<std::string> split(std::string_view all, std::span<const std::uint64_t> sizes) {
  std::vector<std::string> parts;
  for (const std::uint64_t size : sizes) {
    parts.emplace_back(all.substr(0, size));
    all.remove_prefix(size);
  }
  return parts;
}

}  // namespace

bool Group::any(bool mine) {
  if (size() == 1) return mine;
  std::uint64_t ranks = mine;
  sum(std::span(&ranks, 1));
  return ranks > 0;
}

void Group::broadcast(std::string& text) {
  std::uint64_t length = text.size();
  broadcast(std::span(&length, 1));
  text.resize(length);
  broadcast(std::span(text));
}

std::string Group::concatenate(std::string mine, std::vector<std::uint64_t>& sizes) {
  sizes = {mine.size()};
  return mine;
}

std::string Group::concatenate_on_all(std::string mine, std::vector<std::uint64_t>& sizes) {
  std::string all = concatenate(std::move(mine), sizes);
  all.resize(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}));
  broadcast(std::span(all));
  return all;
}

std::vector<std::string> Group::gather(std::string mine) {
  std::vector<std::uint64_t> sizes;
  const std::string all = concatenate(std::move(mine), sizes);
  return first() ? split(all, sizes) : std::vector<std::string>();
}

std::vector<std::string> Group::gather_all(std::string mine) {
  std::vector<std::uint64_t> sizes;
  const std::string all = concatenate_on_all(std::move(mine), sizes);
  return split(all, sizes);
}

void Group::check_same(std::string_view what, const std::string& text) {
  if (size() == 1) return;
  // Texts may be long and are nearly always equal, so that numbers made of them go first.
  Fingerprint mine;
  mine.add(text);
  std::vector<std::uint64_t> all(size());
  all[rank()] = mine.value();
  sum(std::span(all));
  if (std::all_of(all.begin(), all.end(), [&](std::uint64_t v) { return v == all[0]; })) return;
  const auto other = std::find_if(all.begin(), all.end(), [&](auto v) { return v != all[0]; });
  const auto texts = gather_all(text);
  const auto differs = static_cast<std::size_t>(other - all.begin());
  const auto [first, second] = first_difference(texts[0], texts[differs]);
  throw Error(ErrorCode::usage, fmt::format("rank {}", differs),
              fmt::format("has other {}: '{}' where rank 0 has '{}'", what, second, first),
              "start all ranks alike, or apart with FGNN_MPI_MODULE=none");
}

Share share(std::uint64_t count, const Group& group) {
  const std::uint64_t each = count / group.size(), more = count % group.size();
  const auto begin_of = [&](std::uint64_t rank) { return rank * each + std::min(rank, more); };
  return {begin_of(group.rank()), begin_of(group.rank() + 1)};
}

Group& alone() {
  static Group one;
  return one;
}

}  // namespace fgnn::cluster
