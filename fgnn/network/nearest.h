// The k nearest rows of each row within its graph, by squared distance, itself included.
#pragma once

#include "fgnn/network/structure.h"

namespace fgnn::network {

// Rows are copies * variables; the incidence is over all of them, one copy.
template <class T>
Incidence nearest(const Structure& structure, std::size_t copies, const T* x, std::size_t width,
                  std::size_t neighbours);

}  // namespace fgnn::network
