#include "fgnn/network/batch.h"

#include <algorithm>

#include "fgnn/core/error.h"

namespace fgnn::network {
namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Written out, where others of the batch have one.
std::vector<std::uint8_t> mask_of(const Batch& b, std::size_t relation) {
  const auto& mask = b.relations[relation].mask;
  if (!mask.empty()) return mask;
  return std::vector<std::uint8_t>(b.copies * b.structure->relations()[relation].edges(), 1);
}

// The numbers of some copies, where every copy has as many.
template <class T>
std::vector<T> part_of(const std::vector<T>& all, std::size_t copies, std::size_t first,
                       std::size_t count) {
  const std::size_t each = all.size() / copies;
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first * each);
  return {begin, begin + static_cast<std::ptrdiff_t>(count * each)};
}

}  // namespace

Batch Batch::some(std::size_t first, std::size_t count) const {
  Batch part;
  part.structure = structure;
  part.copies = count;
  part.variable = part_of(variable, copies, first, count);
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const auto& all = relations[r];
    part.relations.push_back(
        {part_of(all.factor, copies, first, count),
         structure->relations()[r].own_kinds ? part_of(all.edge, copies, first, count) : all.edge,
         part_of(all.mask, copies, first, count)});
  }
  return part;
}

Batch Batch::of(std::span<const Batch> graphs) {
  if (graphs.empty()) throw Error(ErrorCode::usage, "batch", "has no graphs");
  Batch all;
  const bool shared = std::all_of(graphs.begin(), graphs.end(), [&](const Batch& b) {
    return b.structure == graphs[0].structure;
  });
  if (shared) {
    all.structure = graphs[0].structure;
    all.copies = 0;
    for (const auto& b : graphs) all.copies += b.copies;
  } else {
    std::vector<std::shared_ptr<const Structure>> parts;
    for (const auto& b : graphs) parts.insert(parts.end(), b.copies, b.structure);
    all.structure = Structure::join(parts);
  }
  const auto& relations = all.structure->relations();
  all.relations.resize(relations.size());
  std::vector<bool> masked(relations.size());
  for (const auto& b : graphs) {
    if (b.relations.size() != relations.size()) {
      throw Error(ErrorCode::usage, "batch", "has a graph without features of every relation");
    }
    for (std::size_t r = 0; r < relations.size(); ++r) {
      masked[r] = masked[r] || !b.relations[r].mask.empty();
    }
  }
  for (const auto& b : graphs) {
    append(all.variable, b.variable);
    for (std::size_t r = 0; r < relations.size(); ++r) {
      append(all.relations[r].factor, b.relations[r].factor);
      if (masked[r]) append(all.relations[r].mask, mask_of(b, r));
      // Edge features of the model's own kinds are the same in every graph.
      if (relations[r].own_kinds || &b == &graphs[0]) {
        append(all.relations[r].edge, b.relations[r].edge);
      }
    }
  }
  return all;
}

}  // namespace fgnn::network
