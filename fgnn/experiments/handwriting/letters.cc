#include "fgnn/experiments/handwriting/letters.h"

#include <fmt/format.h>

#include <charconv>
#include <unordered_set>

#include "fgnn/core/error.h"
#include "fgnn/io/gzip.h"
#include "fgnn/io/tab_lines.h"

namespace fgnn::handwriting {
namespace {

constexpr std::size_t kOurFields = 5, kUciFields = 6 + kLetterPixels;

// One line, field by field.
class Line {
 public:
  Line(std::string_view text, const std::string& file, std::size_t number)
      : fields_(without_end(text), file, number) {}

  std::size_t size() const { return fields_.size(); }
  std::string_view text(std::size_t field) const { return fields_[field]; }
  [[noreturn]] void fail(std::size_t field, const std::string& what,
                         const std::string& hint = {}) const {
    fields_.fail(field, what, hint);
  }

  std::uint32_t number(std::size_t field, const std::string& what, std::uint32_t most) const {
    return static_cast<std::uint32_t>(fields_.whole(field, what, most));
  }
  char letter(std::size_t field) const {
    const std::string_view text = fields_[field];
    if (text.size() != 1 || text[0] < 'a' || text[0] > 'z') expected(field, "a letter a to z");
    return text[0];
  }
  LetterImage hexadecimal(std::size_t field) const {
    const std::string_view text = fields_[field];
    if (text.size() != 2 * kLetterHeight) expected(field, "32 hexadecimal digits");
    LetterImage image;
    for (std::size_t y = 0; y < kLetterHeight; ++y) {
      const char* begin = text.data() + 2 * y;
      const auto [rest, error] = std::from_chars(begin, begin + 2, image.rows[y], 16);
      if (error != std::errc() || rest != begin + 2) expected(field, "32 hexadecimal digits");
    }
    return image;
  }
  LetterImage pixels(std::size_t first) const {
    LetterImage image;
    for (std::size_t p = 0; p < kLetterPixels; ++p) {
      const bool on = number(first + p, "a pixel", 1) == 1;
      image.rows[p / kLetterWidth] |= static_cast<std::uint8_t>(on << (7 - p % kLetterWidth));
    }
    return image;
  }

 private:
  // UCI's lines end in a tab.
  static std::string_view without_end(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.ends_with('\t')) text.remove_suffix(1);
    return text;
  }
  [[noreturn]] void expected(std::size_t field, const std::string& what) const {
    fields_.expected(field, fields_[field], what);
  }

  TabLine fields_;
};

constexpr std::uint32_t kMost = 1 << 30, kMostLetters = 1000, kMostFolds = 1000;

// Puts letters together to words.
class Words {
 public:
  // The number of the word is in field `word`, and so on.
  void add(const Line& line, std::size_t word, std::size_t position, std::size_t first_position,
           std::size_t fold, char letter, const LetterImage& image) {
    const std::uint32_t id = line.number(word, "the number of a word", kMost);
    const std::uint32_t at = line.number(position, "a position", kMostLetters);
    const std::uint32_t in_fold = line.number(fold, "a fold", kMostFolds);
    if (words_.empty() || words_.back().id != id) {
      if (!seen_.insert(id).second) {
        line.fail(word, fmt::format("word {} began in an earlier line and has ended", id),
                  "the letters of a word stand together");
      }
      words_.push_back({id, in_fold, {}, {}});
    }
    HandwrittenWord& last = words_.back();
    if (at != last.text.size() + first_position) {
      line.fail(position, fmt::format("expected position {} of word {}, found {}",
                                      last.text.size() + first_position, id, at));
    }
    if (in_fold != last.fold) {
      line.fail(fold, fmt::format("word {} has begun in fold {}", id, last.fold));
    }
    last.text += letter;
    last.images.push_back(image);
  }
  std::vector<HandwrittenWord> take() { return std::move(words_); }

 private:
  std::vector<HandwrittenWord> words_;
  std::unordered_set<std::uint32_t> seen_;
};

}  // namespace

std::vector<HandwrittenWord> parse_letters(std::string_view text, const std::string& file) {
  Words words;
  std::size_t number = 0, fields = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (content.empty() || content == "\r" || content.starts_with('#')) continue;
    const Line line(content, file, number);
    if (fields == 0) fields = line.size();  // the first line tells the layout
    if (line.size() != fields || (fields != kOurFields && fields != kUciFields)) {
      line.fail(0, fmt::format("has {} fields", line.size()),
                fmt::format("{} separated by tabs, or {} as in UCI's letter.data", kOurFields,
                            kUciFields));
    }
    if (fields == kOurFields) {
      words.add(line, 0, 2, 0, 1, line.letter(3), line.hexadecimal(4));
    } else {
      line.number(0, "the number of a letter", kMost);
      if (line.text(2) != "-1") line.number(2, "the next letter or -1", kMost);
      words.add(line, 3, 4, 1, 5, line.letter(1), line.pixels(6));
    }
  }
  return words.take();
}

std::vector<HandwrittenWord> read_letters(const std::filesystem::path& file) {
  return parse_letters(read_packed_text(file), file.string());
}

std::string letters_text(const std::vector<HandwrittenWord>& words) {
  std::string text;
  for (const auto& word : words) {
    for (std::size_t i = 0; i < word.text.size(); ++i) {
      text += fmt::format("{}\t{}\t{}\t{}\t", word.id, word.fold, i, word.text[i]);
      for (const std::uint8_t row : word.images[i].rows) text += fmt::format("{:02x}", row);
      text += '\n';
    }
  }
  return text;
}

}  // namespace fgnn::handwriting
