// All potentials.
#pragma once

#include "fgnn/potentials/all_different.h"
#include "fgnn/potentials/count.h"
#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/max_rank_one.h"
#include "fgnn/potentials/parity.h"
#include "fgnn/potentials/robust_potts.h"
#include "fgnn/potentials/sparse.h"
#include "fgnn/potentials/table.h"

namespace fgnn {

template <class... Kinds>
struct KindList {};

// The kinds of the library, in the order in which they are listed.
using LibraryKinds =
    KindList<Table, Sparse, Count, Parity, AllDifferent, LowRank, MaxRankOne, RobustPotts>;

}  // namespace fgnn
