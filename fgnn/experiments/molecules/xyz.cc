#include "fgnn/experiments/molecules/xyz.h"

#include <fmt/format.h>

#include <cmath>

#include "fgnn/core/token_reader.h"
#include "fgnn/experiments/molecules/text_lines.h"

namespace fgnn::molecules {
namespace {

constexpr double kFarthest = 1e6;  // Å: nothing is there
constexpr std::size_t kRotations = 3;

// Name and targets from the comment; other comments are names. True for the authors' own layout.
bool read_comment(const TextLines& lines, std::string_view comment, Molecule& molecule) {
  const auto fields = words(comment);
  if (fields.size() < 2 + kTargets || fields[0] != "gdb") {
    molecule.name = std::string(trimmed(comment));
    return false;
  }
  molecule.name = std::string(fields[1]);
  // A number behind the twelve tells that there are three more before them; SMILES is not a number.
  double ignored = 0;
  bool rotations = fields.size() >= 2 + kRotations + kTargets;
  for (std::size_t k = 2 + kTargets; rotations && k < 2 + kTargets + kRotations; ++k) {
    rotations = read_number(fields[k], ignored);
  }
  for (std::size_t t = 0; t < kTargets; ++t) {
    const std::string_view text = fields[2 + t + (rotations ? kRotations : 0)];
    double value = 0;
    if (!read_number(text, value)) {
      lines.fail(fmt::format("target {} is {}, not a number", targets()[t].name, in_quotes(text)));
    }
    molecule.targets.push_back(value);
  }
  return rotations;
}

void read_atom(const TextLines& lines, std::string_view line, Molecule& molecule) {
  const auto fields = words(line);
  if (fields.size() < 4) lines.fail("expected an element and three coordinates");
  std::int64_t number = 0;
  std::uint8_t z = atomic_number(fields[0]);
  if (z == 0 && read_whole(fields[0], number) && number > 0 && number < 255 &&
      symbol(static_cast<std::uint8_t>(number)) != "?") {
    z = static_cast<std::uint8_t>(number);
  }
  if (z == 0) lines.fail(fmt::format("{} is not an element", in_quotes(fields[0])));
  Point place;
  for (std::size_t k = 0; k < 3; ++k) {
    double x = 0;
    if (!read_number(fields[1 + k], x) || std::abs(x) > kFarthest) {
      lines.fail(fmt::format("{} is not a coordinate in Ångström", in_quotes(fields[1 + k])));
    }
    place[k] = static_cast<float>(x);
  }
  molecule.elements.push_back(z);
  molecule.places.push_back(place);
}

bool is_count(std::string_view line) {
  std::int64_t ignored = 0;
  const auto fields = words(line);
  return fields.size() == 1 && read_whole(fields[0], ignored);
}

}  // namespace

std::vector<Molecule> parse_xyz(std::string_view text, const std::string& file) {
  TextLines lines(text, file);
  std::vector<Molecule> molecules;
  for (lines.skip_blank(); !lines.at_end(); lines.skip_blank()) {
    const std::string_view count = trimmed(lines.next("the number of atoms"));
    std::int64_t atoms = 0;
    if (!read_whole(count, atoms) || atoms < 1 || atoms > std::int64_t(kMostAtoms)) {
      lines.fail(
          fmt::format("{} is not a number of atoms from 1 to {}", in_quotes(count), kMostAtoms),
          "XYZ begins with the number of atoms and a comment");
    }
    Molecule& molecule = molecules.emplace_back();
    const bool authors = read_comment(lines, lines.next("the comment"), molecule);
    for (std::int64_t a = 0; a < atoms; ++a) read_atom(lines, lines.next("an atom"), molecule);
    // Frequencies, SMILES and InChI. A molecule of one atom has an empty line of frequencies.
    for (int k = 0; authors && k < 3 && !lines.at_end() && !is_count(lines.peek()); ++k) {
      lines.next("a line");
    }
  }
  if (molecules.empty()) {
    throw Error(ErrorCode::format, fmt::format("{}:1", file), "has no molecule");
  }
  return molecules;
}

std::string xyz_text(const std::vector<Molecule>& molecules) {
  std::string text;
  for (const Molecule& m : molecules) {
    text += fmt::format("{}\n", m.atoms());
    if (m.targets.empty()) {
      text += m.name;
    } else {
      text += fmt::format("gdb {}", m.name);
      for (const double t : m.targets) text += fmt::format(" {}", t);
    }
    text += '\n';
    for (std::size_t a = 0; a < m.atoms(); ++a) {
      text += fmt::format("{} {} {} {}\n", symbol(m.elements[a]), m.places[a][0], m.places[a][1],
                          m.places[a][2]);
    }
  }
  return text;
}

}  // namespace fgnn::molecules
