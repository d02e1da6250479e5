// libfgnn_mpi.so: the table of mpi_table.h by MPI 3. The only file that knows mpi.h.
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <vector>

#include "fgnn/cluster/mpi_table.h"

namespace {

std::vector<MPI_Request> pending;

// MPI counts with an int: what is longer goes in pieces.
template <class T, class Call>
int in_pieces(T* values, std::size_t count, Call call) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  for (std::size_t at = 0; at < count; at += kMost) {
    const int error = call(values + at, static_cast<int>(std::min(kMost, count - at)));
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

template <class T>
int sum(T* values, std::size_t count, MPI_Datatype type) {
  return in_pieces(values, count, [&](T* piece, int size) {
    return MPI_Allreduce(MPI_IN_PLACE, piece, size, type, MPI_SUM, MPI_COMM_WORLD);
  });
}

int start() {
  int level = 0;
  const int error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  if (error != MPI_SUCCESS) return error;
  // The program puts errors into words of its own.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return level < MPI_THREAD_SERIALIZED ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_SUCCESS;
}

std::size_t rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return static_cast<std::size_t>(rank);
}

std::size_t size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return static_cast<std::size_t>(size);
}

int start_sum(float* values, std::size_t count) {
  return in_pieces(values, count, [](float* piece, int size) {
    return MPI_Iallreduce(MPI_IN_PLACE, piece, size, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                          &pending.emplace_back(MPI_REQUEST_NULL));
  });
}

int progress() {
  int done = 0;
  return MPI_Testall(static_cast<int>(pending.size()), pending.data(), &done, MPI_STATUSES_IGNORE);
}

int finish_sums() {
  const int error =
      MPI_Waitall(static_cast<int>(pending.size()), pending.data(), MPI_STATUSES_IGNORE);
  pending.clear();
  return error;
}

int broadcast(void* bytes, std::size_t count) {
  return in_pieces(static_cast<char*>(bytes), count, [](char* piece, int length) {
    return MPI_Bcast(piece, length, MPI_BYTE, 0, MPI_COMM_WORLD);
  });
}

int gather(const void* mine, void* all, const std::uint64_t* sizes) {
  std::vector<int> counts, offsets;
  std::uint64_t total = 0;
  for (std::size_t r = 0; r < size(); ++r) {
    counts.push_back(static_cast<int>(std::min<std::uint64_t>(sizes[r], INT_MAX)));
    offsets.push_back(static_cast<int>(std::min<std::uint64_t>(total, INT_MAX)));
    total += sizes[r];
  }
  if (total > INT_MAX) return MPI_ERR_COUNT;  // on all ranks alike
  return MPI_Gatherv(mine, counts[rank()], MPI_BYTE, all, counts.data(), offsets.data(), MPI_BYTE,
                     0, MPI_COMM_WORLD);
}

void explain(int error, char* text, std::size_t size) {
  char words[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(error, words, &length);
  std::snprintf(text, size, "%s", words);
}

}  // namespace

extern "C" const fgnn::cluster::MpiTable* fgnn_mpi_table() {
  static const fgnn::cluster::MpiTable table{
      fgnn::cluster::kMpiVersion,
      start,
      rank,
      size,
      [](double* values, std::size_t count) { return sum(values, count, MPI_DOUBLE); },
      [](std::uint64_t* values, std::size_t count) { return sum(values, count, MPI_UINT64_T); },
      start_sum,
      progress,
      finish_sums,
      broadcast,
      gather,
      [] { return MPI_Barrier(MPI_COMM_WORLD); },
      [] { return MPI_Finalize(); },
      [](int exit_code) { MPI_Abort(MPI_COMM_WORLD, exit_code); },
      explain};
  return &table;
}
