// Decoders made from files that come with the library. The registry of decoders asks for them when
// it is first used, so that nobody has to; they are defined where networks are known, above this
// room.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fgnn/codes/decoders.h"

namespace fgnn::codes {

std::vector<std::pair<std::string, DecoderSource>> own_decoder_sources();

}  // namespace fgnn::codes
