// Trained networks by name: files NAME.safetensors in folders of weights, which are
//
//   1. the folder named by the environment variable FGNN_WEIGHTS,
//   2. share/fgnn/weights beside the installed program or shared library,
//   3. weights/ of the project, for what runs in its build tree,
//   4. share/fgnn/weights of the prefix that the library was configured for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fgnn/network/model.h"

namespace fgnn::learned {

// Those that exist, in this order.
std::vector<std::filesystem::path> weight_folders();

// The folder of those that came with the library, not one of your own; empty: there is none.
std::filesystem::path shipped_weights();

// The names in all of them, such as "d3", in order.
std::vector<std::string> shipped_networks();

// A file, a network by its name, or the best model in the folder of a training. Throws Error(io)
// when it is not one of them.
std::filesystem::path find_weights(const std::string& file_or_name);

// What every command that takes a model calls.
network::Model load_network(const std::string& file_or_name);

}  // namespace fgnn::learned
