// Trained networks that come with the program: weights/NAME.safetensors of the project, installed
// as share/fgnn/weights.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fgnn::learned {

// Found from the running program, in a build tree and in an installation. Empty: there are none.
std::filesystem::path shipped_weights();

// Their names, such as "d3", in order.
std::vector<std::string> shipped_networks();

// A file, a shipped network by its name, or the best model in the folder of a training. Throws
// Error(io) when it is none of them.
std::filesystem::path find_weights(const std::string& file_or_name);

}  // namespace fgnn::learned
