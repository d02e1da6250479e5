// Methods made from files that come with the library. The registry of methods asks for them when it
// is first used, so that nobody has to; they are defined where networks are known (learned
// methods), above this room.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fgnn/infer/methods.h"

namespace fgnn {

std::vector<std::pair<std::string, MethodSource>> own_method_sources();

// Whether it is "prefix:FILE" with the prefix of a source.
bool names_a_source(std::string_view name);

}  // namespace fgnn
