// "Did you mean …?": the known word nearest to what was typed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fgnn {

// The word at the smallest edit distance (insert, delete, replace), the first among equals. Empty
// when none is near enough to be a slip of the fingers: a third of the word typed, at least one.
std::string nearest_word(std::string_view typed, std::span<const std::string> known);

// "did you mean 'a'? known are a, b, c", or only the second half when none is near;
// nothing when nothing is known.
std::string suggestion(std::string_view typed, std::span<const std::string> known);

}  // namespace fgnn
