// Handwritten words, letter by letter: Taskar's set (Kassel 1995; Taskar et al. 2004) in two
// layouts, told apart by the number of fields in a line. Both have one letter per line, fields with
// a tab between, the letters of a word one after another, and images of 16 rows by 8 binary pixels.
//
//   ours                word, fold, position from 0, letter a-z, 32 hexadecimal digits: two per row
//                       of pixels, the leftmost pixel first; lines that begin with # are comments
//   UCI's letter.data   line id, letter, id of the next letter or -1, word, position from 1, fold,
//                       128 pixels 0 or 1, row by row
//
// Files may be packed by gzip.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fgnn::handwriting {

inline constexpr std::size_t kLetterHeight = 16, kLetterWidth = 8;
inline constexpr std::size_t kLetterPixels = kLetterHeight * kLetterWidth;
inline constexpr std::size_t kLetterClasses = 26;

struct LetterImage {
  std::array<std::uint8_t, kLetterHeight> rows{};  // the highest bit is the leftmost pixel

  bool pixel(std::size_t y, std::size_t x) const { return (rows[y] >> (7 - x)) & 1; }
  bool operator==(const LetterImage&) const = default;
};

struct HandwrittenWord {
  std::uint32_t id = 0, fold = 0;
  std::string text;                 // a-z
  std::vector<LetterImage> images;  // as many

  bool operator==(const HandwrittenWord&) const = default;
};

// Throws Error(format) naming file:line:column. An empty file has no words.
std::vector<HandwrittenWord> parse_letters(std::string_view text, const std::string& file);
std::vector<HandwrittenWord> read_letters(const std::filesystem::path& file);

// In our layout.
std::string letters_text(const std::vector<HandwrittenWord>& words);

}  // namespace fgnn::handwriting
