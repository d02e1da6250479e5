#include "fgnn/experiments/molecules/sdf.h"

#include <fmt/format.h>

#include <cmath>

#include "fgnn/core/token_reader.h"
#include "fgnn/experiments/molecules/text_lines.h"

namespace fgnn::molecules {
namespace {

constexpr double kFarthest = 9999;  // Å: ten columns hold it, with four decimals and a sign

// Columns begin .. begin + length of a line, without blanks; short lines are filled up.
std::string_view columns(std::string_view line, std::size_t begin, std::size_t length) {
  return begin >= line.size() ? std::string_view() : trimmed(line.substr(begin, length));
}

std::int64_t whole(const TextLines& lines, std::string_view text, std::string_view what,
                   std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  if (!read_whole(text, value) || value < low || value > high) {
    lines.fail(fmt::format("{} is not {} from {} to {}", in_quotes(text), what, low, high));
  }
  return value;
}

void read_atom(const TextLines& lines, std::string_view line, Molecule& molecule) {
  Point place;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string_view text = columns(line, 10 * k, 10);
    double x = 0;
    if (!read_number(text, x) || std::abs(x) > kFarthest) {
      lines.fail(fmt::format("{} is not a coordinate", in_quotes(text)),
                 "V2000 has them in columns of ten characters");
    }
    place[k] = static_cast<float>(x);
  }
  const std::string_view element = columns(line, 31, 3);
  const std::uint8_t z = atomic_number(element == "D" || element == "T" ? "H" : element);
  if (z == 0) lines.fail(fmt::format("{} is not an element", in_quotes(element)));
  molecule.elements.push_back(z);
  molecule.places.push_back(place);
}

void read_bond(const TextLines& lines, std::string_view line, Molecule& molecule) {
  const auto atoms = static_cast<std::int64_t>(molecule.atoms());
  auto i = whole(lines, columns(line, 0, 3), "an atom", 1, atoms);
  auto j = whole(lines, columns(line, 3, 3), "an atom", 1, atoms);
  const auto type = whole(lines, columns(line, 6, 3), "a type of bond", 1, 8);
  if (i == j) lines.fail("a bond joins an atom to itself");
  if (i > j) std::swap(i, j);
  molecule.bonds.push_back({static_cast<std::uint16_t>(i - 1), static_cast<std::uint16_t>(j - 1),
                            static_cast<std::uint8_t>(type <= 3 ? type : 1)});
}

Molecule read_record(TextLines& lines) {
  Molecule molecule;
  molecule.name = std::string(trimmed(lines.next("a name")));
  lines.next("the second line of the heading");
  lines.next("the third line of the heading");
  const std::string_view counts = lines.next("the counts of atoms and bonds");
  if (counts.find("V3000") != counts.npos) {
    lines.fail("is of version V3000", "convert it to V2000, or to XYZ");
  }
  const auto atoms = whole(lines, columns(counts, 0, 3), "a number of atoms", 1, 999);
  const auto bonds = whole(lines, columns(counts, 3, 3), "a number of bonds", 0, 999);
  for (std::int64_t a = 0; a < atoms; ++a) read_atom(lines, lines.next("an atom"), molecule);
  for (std::int64_t b = 0; b < bonds; ++b) read_bond(lines, lines.next("a bond"), molecule);
  for (bool end = false; !end && !lines.at_end();) {
    const std::string_view line = lines.peek();
    if (line.starts_with("$$$$")) break;  // some writers leave M  END out
    end = line.starts_with("M  END");
    lines.next("a property");
  }
  return molecule;
}

}  // namespace

std::vector<Molecule> parse_sdf(std::string_view text, const std::string& file) {
  TextLines lines(text, file);
  std::vector<Molecule> molecules;
  const auto more = [&] {  // a name may be empty, a file may not end in blank lines only
    TextLines ahead = lines;
    ahead.skip_blank();
    return !ahead.at_end();
  };
  while (more()) {
    molecules.push_back(read_record(lines));
    while (!lines.at_end() && !lines.next("a data item").starts_with("$$$$")) {
    }
  }
  if (molecules.empty()) {
    throw Error(ErrorCode::format, fmt::format("{}:1", file), "has no molecule");
  }
  return molecules;
}

std::string sdf_text(const std::vector<Molecule>& molecules) {
  std::string text;
  for (const Molecule& m : molecules) {
    text += fmt::format("{}\n  fgnn\n\n{:3}{:3}  0  0  0  0  0  0  0  0999 V2000\n", m.name,
                        m.atoms(), m.bonds.size());
    for (std::size_t a = 0; a < m.atoms(); ++a) {
      text += fmt::format("{:10.4f}{:10.4f}{:10.4f} {:<3} 0  0  0  0  0  0  0  0  0  0  0  0\n",
                          m.places[a][0], m.places[a][1], m.places[a][2], symbol(m.elements[a]));
    }
    for (const Bond& b : m.bonds) {
      text += fmt::format("{:3}{:3}{:3}  0\n", b.first + 1, b.second + 1, b.order);
    }
    text += "M  END\n$$$$\n";
  }
  return text;
}

}  // namespace fgnn::molecules
