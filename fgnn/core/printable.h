// Foreign text made fit for one line of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fgnn {

// The same text in valid UTF-8 and without control characters: line ends and tabs become spaces,
// other controls (escape codes, changes of the direction of writing) and bytes that are not UTF-8
// are shown as \x1b.
std::string printable(std::string_view text);

// Of valid UTF-8 longer than `most` characters the beginning and the end, with … between: a message
// ends with what to do about it.
std::string shortened(std::string text, std::size_t most);

}  // namespace fgnn
