// FGNN_DISPATCH(Name) makes Name<T>(), which returns NameFloat or NameDouble for this processor.
// For sources that Highway compiles once per instruction set, after HWY_ONCE.
#pragma once

#define FGNN_DISPATCH(Name)                      \
  HWY_EXPORT(Name##Float);                       \
  HWY_EXPORT(Name##Double);                      \
  template <class T>                             \
  auto Name() {                                  \
    if constexpr (sizeof(T) == 4) {              \
      return HWY_DYNAMIC_DISPATCH(Name##Float);  \
    } else {                                     \
      return HWY_DYNAMIC_DISPATCH(Name##Double); \
    }                                            \
  }
