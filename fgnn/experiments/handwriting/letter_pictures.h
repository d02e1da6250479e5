// Words as pictures in the portable formats of Netpbm: PBM (P1, P4) and PGM (P2, P5), 16 pixels
// high, 8 wide for every letter, side by side. Black is ink; greys darker than the middle are too.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "fgnn/experiments/handwriting/letters.h"

namespace fgnn::handwriting {

// Whether the bytes begin as such a picture.
bool is_picture(std::string_view bytes);

// The letters of one word; what they are is not known: text is empty. Throws Error(format) naming
// the file.
HandwrittenWord parse_picture(std::string_view bytes, const std::string& file);

}  // namespace fgnn::handwriting
