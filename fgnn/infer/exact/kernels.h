// The inner loops of elimination, over blocks of consecutive joint states. SIMD with run-time
// dispatch; each is one line of algebra, stated here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fgnn::exact {

struct Kernels {
  // out[i] = in[i] + value
  void (*shift)(const double* in, double value, double* out, std::size_t n);
  // out[i] += in[i]
  void (*add)(const double* in, double* out, std::size_t n);
  // out[i] += in[index[i]]
  void (*add_gathered)(const double* in, const std::int32_t* index, double* out, std::size_t n);
  // out[i + j] += in[start[i] + j] for j < run, i in steps of `run`
  void (*add_runs)(const double* in, const std::int32_t* start, std::size_t run, double* out,
                   std::size_t n);
  // out[i + j] += in[start[i]] for j < run, i in steps of `run`
  void (*add_repeats)(const double* in, const std::int32_t* start, std::size_t run, double* out,
                      std::size_t n);
  // out[i] = max(out[i], in[i])
  void (*maximum)(const double* in, double* out, std::size_t n);
  // where in[i] > out[i]: out[i] = in[i] and choice[i] = x
  void (*maximum_choice)(const double* in, double* out, std::uint8_t* choice, std::uint8_t x,
                         std::size_t n);
  // sum[i] += exp(in[i] - high[i]), 0 where high[i] is forbidden
  void (*add_exp)(const double* in, const double* high, double* sum, std::size_t n);
  // high[i] += log(sum[i]), forbidden where sum[i] is 0
  void (*add_log)(const double* sum, double* high, std::size_t n);
  // in[i] = weight[i] * exp(in[i] - total[i]), 0 where weight[i] is 0; returns their sum
  double (*posterior)(double* in, const double* total, const double* weight, std::size_t n);
};

// The best set for this processor.
const Kernels& kernels();

}  // namespace fgnn::exact
