#include "fgnn/kernels/incidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "fgnn/core/error.h"

namespace fgnn::kernels {
namespace {

void check(std::span<const Index> index, std::size_t limit, const char* what) {
  for (std::size_t e = 0; e < index.size(); ++e) {
    if (index[e] < limit) continue;
    throw Error(ErrorCode::usage, fmt::format("edge {}", e),
                fmt::format("has {} {} of {}", what, index[e], limit));
  }
}

// Offsets and members of a counting sort by key.
void group(std::span<const Index> key, std::size_t groups, std::vector<Index>& offset,
           std::vector<Index>& members) {
  offset.assign(groups + 1, 0);
  for (const Index k : key) ++offset[k + 1];
  std::partial_sum(offset.begin(), offset.end(), offset.begin());
  std::vector<Index> next(offset.begin(), offset.end() - 1);
  members.resize(key.size());
  for (Index e = 0; e < key.size(); ++e) members[next[key[e]]++] = e;
}

}  // namespace

Incidence::Incidence(std::size_t targets, std::size_t sources, std::size_t kinds,
                     std::span<const Index> target, std::span<const Index> source,
                     std::span<const Index> kind, std::size_t block_edges)
    : sources_(sources), kinds_(kinds) {
  if (source.size() != target.size() || (!kind.empty() && kind.size() != target.size())) {
    throw Error(ErrorCode::usage, "edges", "need as many targets as sources and kinds");
  }
  check(target, targets, "target");
  check(source, sources, "source");
  check(kind, kinds, "kind");
  const Index zero[] = {0};  // the kind of all edges, if none is given
  if (kind.empty() && !target.empty()) check(zero, kinds, "kind");
  group(target, targets, offset_, edge_);
  source_.resize(edge_.size());
  target_.resize(edge_.size());
  kind_.assign(edge_.size(), 0);
  for (std::size_t p = 0; p < edge_.size(); ++p) {
    source_[p] = source[edge_[p]];
    target_[p] = target[edge_[p]];
    if (!kind.empty()) kind_[p] = kind[edge_[p]];
  }
  for (std::size_t t = 0; t < targets; ++t) {
    largest_degree_ = std::max<std::size_t>(largest_degree_, offset_[t + 1] - offset_[t]);
  }
  group(source_, sources, leaving_offset_, leaving_);
  make_blocks(block_edges);
  find_closed();
}

// Targets behind which no source is needed again: the ends of graphs, in a union of graphs.
std::vector<bool> Incidence::closing_targets() const {
  std::vector<Index> last(sources_, 0);
  for (std::size_t p = 0; p < edges(); ++p) last[source_[p]] = target_[p];
  std::vector<bool> closing(targets());
  Index open_until = 0;
  for (Index t = 0; t < targets(); ++t) {
    for (Index p = offset_[t]; p < offset_[t + 1]; ++p) {
      open_until = std::max(open_until, last[source_[p]]);
    }
    closing[t] = open_until <= t;
  }
  return closing;
}

void Incidence::make_blocks(std::size_t block_edges) {
  ordered_.resize(edges());
  place_.resize(edges());
  std::iota(ordered_.begin(), ordered_.end(), Index{0});
  const std::vector<bool> closing = closing_targets();
  for (Index first = 0; first < targets();) {
    Index end = first + 1, closed_end = closing[first] ? end : first;
    while (end < targets() && offset_[end + 1] - offset_[first] <= block_edges) {
      if (closing[end++]) closed_end = end;
    }
    if (end < targets() && closed_end > first) end = closed_end;
    Block block{first, end, offset_[first], offset_[end], 0, 0};
    order_by_kind(block);
    blocks_.push_back(block);
    first = end;
  }
}

void Incidence::order_by_kind(Block& block) {
  const auto begin = ordered_.begin();
  std::stable_sort(begin + block.first_position, begin + block.last_position,
                   [&](Index a, Index b) { return kind_[a] < kind_[b]; });
  block.first_run = static_cast<Index>(runs_.size());
  for (Index i = block.first_position; i < block.last_position;) {
    Run run{kind_[ordered_[i]], i, i};
    while (run.end < block.last_position && kind_[ordered_[run.end]] == run.kind) ++run.end;
    for (Index j = run.begin; j < run.end; ++j) {
      place_[ordered_[j]] = {run.begin - block.first_position, run.end - run.begin, j - run.begin};
    }
    i = run.end;
    runs_.push_back(run);
  }
  block.last_run = static_cast<Index>(runs_.size());
}

void Incidence::find_closed() {
  std::vector<Index> owner(sources_, ~Index{0});
  for (Index b = 0; b < blocks_.size(); ++b) {
    for (Index p = blocks_[b].first_position; p < blocks_[b].last_position; ++p) {
      Index& of = owner[source_[p]];
      if (of != ~Index{0} && of != b) closed_ = false;
      of = b;
    }
  }
}

}  // namespace fgnn::kernels
