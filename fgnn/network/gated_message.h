// An operation beside those of operations.h: messages between the variables of a factor with a
// diagonal matrix, whose numbers are a row of the factor (kernels/gated.h).
#pragma once

#include "fgnn/network/operations.h"

namespace fgnn::network {

struct GatedMessage {
  Way way;
  int relation;
  int target, source, shift, gate, output;  // registers
  Activation activation;
  Aggregate aggregate;  // max, sum or mean
};
OperationPtr make(GatedMessage);

}  // namespace fgnn::network
