// Options and beginnings that the items SumProduct and MaxProduct share.
#pragma once

#include <string>
#include <vector>

#include "fgnn/network/description.h"
#include "fgnn/network/writer.h"

namespace fgnn::network {

// Lists have a number for each relation.
struct PropagationOptions {
  std::size_t iterations = 0, states = 0, latents = 0, channels = 0;
  bool tied = false, fixed = false;
  std::vector<std::size_t> ranks, terms, positions, slots;

  // Those of the item, of which it may have the ones in `known`. Fails naming the item.
  static PropagationOptions read(const Writer& w, const Item& item,
                                 const std::vector<std::string>& known);
};

// The numbers, if there is one for each relation; fails otherwise.
const std::vector<std::size_t>& one_each(const Writer& w, const Schema& schema, const char* name,
                                         const std::vector<std::size_t>& numbers);

// Fails once there are so many operations that repeats of iterations would never end.
void check_operations(const Writer& w);

// A register of zeros.
int zero(Writer& w, Place place, std::size_t width);

}  // namespace fgnn::network
