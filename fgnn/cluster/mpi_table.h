// What the program asks of libfgnn_mpi.so: a table of plain functions, so that only that module is
// built with MPI and only runs on several processes load it.
//
// Functions return 0, or an error of MPI that `explain` puts into words.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fgnn::cluster {

struct MpiTable {
  int version;  // kMpiVersion of the module

  int (*start)();
  std::size_t (*rank)();
  std::size_t (*size)();
  int (*sum_doubles)(double* values, std::size_t count);
  int (*sum_counts)(std::uint64_t* values, std::size_t count);
  int (*start_sum)(float* values, std::size_t count);
  int (*progress)();
  int (*finish_sums)();
  int (*broadcast)(void* bytes, std::size_t count);
  // `sizes` are the bytes of every rank; `all` is filled on rank 0.
  int (*gather)(const void* mine, void* all, const std::uint64_t* sizes);
  int (*barrier)();
  int (*finish)();
  void (*end_all)(int exit_code);
  void (*explain)(int error, char* text, std::size_t size);
};

inline constexpr int kMpiVersion = 1;

// The only symbol of the module, with C linkage.
using MpiEntry = const MpiTable* (*)();
inline constexpr const char* kMpiEntry = "fgnn_mpi_table";

}  // namespace fgnn::cluster
