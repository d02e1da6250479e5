# LibTorch without its own CMake package, which asks for CUDA, protobuf and more: a header folder and
# two libraries are all that fgnn::learn needs.
find_path(TORCH_INCLUDE_DIR torch/csrc/autograd/function.h)
find_library(TORCH_LIBRARY torch)
find_library(TORCH_CPU_LIBRARY torch_cpu)
find_library(C10_LIBRARY c10)
if(NOT TORCH_INCLUDE_DIR OR NOT TORCH_CPU_LIBRARY OR NOT C10_LIBRARY)
  message(FATAL_ERROR "LibTorch was not found: install libtorch-dev, or configure with "
                      "-DFGNN_LEARN=OFF for the half of fgnn that does not need it")
endif()
find_path(GLOO_INCLUDE_DIR gloo/algorithm.h)
if(NOT GLOO_INCLUDE_DIR)
  message(FATAL_ERROR "Gloo was not found: install libgloo-dev, or configure with -DFGNN_LEARN=OFF")
endif()
add_library(fgnn_torch INTERFACE)
target_compile_definitions(fgnn_torch INTERFACE USE_C10D_GLOO)
target_include_directories(fgnn_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIR})
target_link_libraries(fgnn_torch INTERFACE ${TORCH_CPU_LIBRARY} ${C10_LIBRARY} ${TORCH_LIBRARY})
