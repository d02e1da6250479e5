// The edges of one factor type, seen from the end that receives messages, laid out for blocked
// processing.
//
// A batch is `copies` copies of one template: row r of copy b is row b * rows + r of a feature
// matrix. Graphs that share their structure are a template with many copies; graphs of any sizes
// are one template, their union, with one copy.
//
// Every edge has a kind: the row of the table of matrices (or of edge features) that it uses. Edges
// are cut into blocks of whole targets that fit the cache (between graphs, where graphs are small
// enough), and ordered by kind within a block, so that each kind is one matrix product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fgnn::kernels {

using Index = std::uint32_t;

class Incidence {
 public:
  // Edge e runs from source[e] to target[e] and has kind[e] (empty: all 0). Slots of one target
  // keep the order of the edges. Throws Error(usage) when an index is out of range.
  Incidence(std::size_t targets, std::size_t sources, std::size_t kinds,
            std::span<const Index> target, std::span<const Index> source,
            std::span<const Index> kind, std::size_t block_edges = 512);

  std::size_t targets() const { return offset_.size() - 1; }
  std::size_t sources() const { return sources_; }
  std::size_t kinds() const { return kinds_; }
  std::size_t edges() const { return source_.size(); }
  std::size_t largest_degree() const { return largest_degree_; }

  // Positions offset(t) .. offset(t + 1) are the slots of target t.
  Index offset(std::size_t t) const { return offset_[t]; }
  Index target(std::size_t position) const { return target_[position]; }
  Index source(std::size_t position) const { return source_[position]; }
  Index kind(std::size_t position) const { return kind_[position]; }
  // The edge's number as given.
  Index edge(std::size_t position) const { return edge_[position]; }

  struct Run {  // edges of one kind within a block: ordered positions begin .. end
    Index kind, begin, end;
  };
  struct Block {
    Index first_target, last_target;      // [first, last)
    Index first_position, last_position;  // its slots
    Index first_run, last_run;
  };
  const std::vector<Block>& blocks() const { return blocks_; }
  std::span<const Run> runs(const Block& block) const {
    return std::span(runs_).subspan(block.first_run, block.last_run - block.first_run);
  }
  // The slots of a block by kind: entry i of its range is a position.
  Index ordered(std::size_t i) const { return ordered_[i]; }

  // Where position p lies in a buffer of `copies` copies of its block, ordered by kind and within a
  // kind by copy: row(p, copies, b).
  std::size_t row(std::size_t p, std::size_t copies, std::size_t copy) const {
    const Place& place = place_[p];
    return place.run_begin * copies + copy * place.run_length + place.rank;
  }

  // Whether no source is shared by two blocks: then blocks may add to their sources at any time.
  bool closed() const { return closed_; }
  // Slots by source, for the backward pass: positions of edges that leave source s.
  std::span<const Index> leaving(std::size_t s) const {
    return std::span(leaving_).subspan(leaving_offset_[s],
                                       leaving_offset_[s + 1] - leaving_offset_[s]);
  }

 private:
  struct Place {
    Index run_begin, run_length, rank;  // relative to the block
  };
  std::vector<bool> closing_targets() const;
  void make_blocks(std::size_t block_edges);
  void order_by_kind(Block& block);
  void find_closed();

  std::size_t sources_, kinds_, largest_degree_ = 0;
  std::vector<Index> offset_, target_, source_, kind_, edge_;
  std::vector<Block> blocks_;
  std::vector<Run> runs_;
  std::vector<Index> ordered_;
  std::vector<Place> place_;
  std::vector<Index> leaving_offset_, leaving_;
  bool closed_ = true;
};

}  // namespace fgnn::kernels
