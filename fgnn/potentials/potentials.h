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
