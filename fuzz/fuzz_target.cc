// The body of every fuzzer; FGNN_CHECK names the property of fuzz/properties.h.
#include "fuzz/properties.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  fgnn::fuzzing::FGNN_CHECK({reinterpret_cast<const char*>(data), size});
  return 0;
}
