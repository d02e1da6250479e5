// What the launcher that started this process says of it, without connecting to the others.
#pragma once

#include <cstddef>

namespace fgnn::cluster {

struct Launch {
  std::size_t rank = 0;
  bool several = false;  // other processes of the same run exist

  bool first() const { return rank == 0; }
};

// From the variables of Open MPI (OMPI_COMM_WORLD_RANK), of MPICH, Intel MPI and srun --mpi=pmi2
// (PMI_RANK) and of PMIx, which srun --mpi=pmix speaks (PMIX_RANK). FGNN_MPI_MODULE=none: processes
// that a launcher started for something else stay apart.
const Launch& launch();

}  // namespace fgnn::cluster
