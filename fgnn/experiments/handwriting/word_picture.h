// Handwritten words as SVG: a contact sheet, each letter's pixels above what it is and what was
// read.
#pragma once

#include <string>

#include "fgnn/experiments/handwriting/letters.h"

namespace fgnn::handwriting {

// A line of letters below the images; letters that differ from the word's are marked.
struct PictureLine {
  std::string label, text;  // text: as many letters as the word, or empty
};

std::string word_picture(const HandwrittenWord& word, const std::vector<PictureLine>& lines);

}  // namespace fgnn::handwriting
