// What the program asks of libfgnn_mpi.so: a table of plain C functions, so that only that module
// is built with MPI and only runs on several processes load it.
//
// Functions return 0, or an error of MPI that `explain` puts into words.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {

struct FgnnMpiTable {
  int version;  // kFgnnMpiVersion of the module

  int (*start)(void);
  size_t (*rank)(void);
  size_t (*size)(void);
  int (*sum_doubles)(double* values, size_t count);
  int (*sum_counts)(uint64_t* values, size_t count);
  int (*start_sum)(float* values, size_t count);
  int (*progress)(void);
  int (*finish_sums)(void);
  int (*broadcast)(void* bytes, size_t count);
  // `sizes` are the bytes of every rank; `all` is filled on rank 0.
  int (*gather)(const void* mine, void* all, const uint64_t* sizes);
  int (*barrier)(void);
  int (*finish)(void);
  void (*end_all)(int exit_code);
  void (*explain)(int error, char* text, size_t size);
};

// The only symbol of the module.
typedef const struct FgnnMpiTable* (*FgnnMpiEntry)(void);
}

constexpr int kFgnnMpiVersion = 1;
constexpr const char* kFgnnMpiEntry = "fgnn_mpi_table";
