// Trained networks that come with the program: weights/NAME.safetensors of the project, installed
// as share/fgnn/weights.
#pragma once

#include <filesystem>
#include <string>

namespace fgnn::tasks {

// Found from the running program, in a build tree and in an installation. Empty: there are none.
std::filesystem::path shipped_weights();

// A file, or the name of a shipped network such as "d3". What is neither is returned as it is, for
// an error that names it.
std::filesystem::path find_weights(const std::string& file_or_name);

}  // namespace fgnn::tasks
