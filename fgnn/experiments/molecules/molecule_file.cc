#include "fgnn/experiments/molecules/molecule_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fgnn/core/error.h"
#include "fgnn/experiments/molecules/qm9_file.h"
#include "fgnn/experiments/molecules/sdf.h"
#include "fgnn/experiments/molecules/smiles.h"
#include "fgnn/experiments/molecules/target_table.h"
#include "fgnn/experiments/molecules/text_lines.h"
#include "fgnn/experiments/molecules/xyz.h"
#include "fgnn/io/gzip.h"
#include "fgnn/io/input_file.h"
#include "fgnn/io/outside_program.h"
#include "fgnn/io/read_text.h"

namespace fgnn::molecules {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // gdb9.sdf has 240 million

std::string read_unpacked(const fs::path& file) {
  std::string bytes = read_text(file, kMostBytes);
  if (!bytes.starts_with("\xfd"
                         "7zXZ"))
    return unpacked(std::move(bytes), file.string(), kMostBytes);
  if (!have_program("xz")) {
    throw Error(ErrorCode::unsupported, file.string(), "is packed by xz, which is not installed",
                "install xz-utils, or unpack it elsewhere");
  }
  const std::string command = fmt::format("xz -dc {} | head -c {}", shell_word(file), kMostBytes);
  const auto whole = output_of(fmt::format("xz -t {}", shell_word(file)));
  auto text = output_of(command);
  if (!whole || !text)
    throw Error(ErrorCode::format, file.string(), "is damaged: xz cannot unpack it");
  return std::move(*text);
}

// The ending, without that of a packed file.
std::string kind_of(const fs::path& file) {
  const fs::path inner =
      file.extension() == ".gz" || file.extension() == ".xz" ? file.stem() : file;
  return inner.extension().string();
}

MoleculeSet set_of(const std::vector<Molecule>& molecules, bool bonds_of_file, int threads) {
  MoleculeSet set;
  const bool labelled =
      std::ranges::all_of(molecules, [](const Molecule& m) { return !m.targets.empty(); });
  for (const Molecule& m : molecules) {
    if (bonds_of_file) {
      set.add(m, true);
    } else {
      set.add_unbonded(m.name, m.elements, m.places, labelled ? m.targets : std::vector<double>());
    }
  }
  set.complete(threads);
  return set;
}

TargetTable read_table(const fs::path& file) {
  return parse_target_table(read_unpacked(file), file.string());
}

// By name, or by place where the molecules have no names of the table's.
void add_targets(std::vector<Molecule>& molecules, const TargetTable& table,
                 const std::string& file) {
  std::size_t named = 0;
  const auto id_of = [](const Molecule& m) {
    return m.name.starts_with("gdb_") ? m.name.substr(4) : m.name;
  };
  for (const Molecule& m : molecules) named += table.row_of.contains(id_of(m));
  if (named != molecules.size() && molecules.size() != table.rows.size()) {
    throw Error(ErrorCode::format, file,
                fmt::format("has {} molecules, of which the table of targets with {} rows knows {}",
                            molecules.size(), table.rows.size(), named));
  }
  const bool by_name = named == molecules.size();
  for (std::size_t m = 0; m < molecules.size(); ++m) {
    const std::size_t row = by_name ? table.row_of.at(id_of(molecules[m])) : m;
    molecules[m].targets = table.rows[row];
    molecules[m].name = table.ids[row];
  }
}

// Numbers at the beginning of lines; other lines are remarks.
std::set<std::string> listed(const fs::path& file) {
  std::set<std::string> ids;
  const std::string text = read_text(file);
  TextLines lines(text, file.string());
  while (!lines.at_end()) {
    const auto fields = words(lines.next("a line"));
    std::int64_t id = 0;
    if (!fields.empty() && read_whole(fields[0], id)) ids.insert(std::to_string(id));
  }
  return ids;
}

std::vector<Molecule> authors_folder(const fs::path& folder) {
  const fs::path file = folder / "gdb9.sdf";
  auto molecules = parse_sdf(read_unpacked(file), file.string());
  add_targets(molecules, read_table(folder / "gdb9.sdf.csv"), file.string());
  if (file_exists(folder / "uncharacterized.txt")) {
    const auto out = listed(folder / "uncharacterized.txt");
    std::erase_if(molecules, [&](const Molecule& m) { return out.contains(m.name); });
  }
  return molecules;
}

std::vector<Molecule> alchemy_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  fs::path table;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".sdf") files.push_back(entry.path());
    if (entry.path().extension() != ".csv") continue;
    if (!table.empty()) {
      throw Error(ErrorCode::format, folder.string(), "has several tables of targets (.csv)",
                  "keep the one that is meant");
    }
    table = entry.path();
  }
  if (files.empty() || table.empty()) {
    throw Error(ErrorCode::format, folder.string(), "has no SDF files beside a table of targets",
                "QM9's and Alchemy's folders are known");
  }
  std::ranges::sort(files);
  const TargetTable targets = read_table(table);
  std::vector<Molecule> molecules;
  for (const auto& file : files) {
    const auto row = targets.row_of.find(file.stem().string());
    if (row == targets.row_of.end()) continue;  // of another part of the set
    auto one = parse_sdf(read_text(file), file.string());
    one[0].name = row->first;
    one[0].targets = targets.rows[row->second];
    molecules.push_back(std::move(one[0]));
  }
  if (molecules.empty()) {
    throw Error(ErrorCode::format, folder.string(), "has no SDF file that the table names");
  }
  return molecules;
}

std::vector<Molecule> parse(const fs::path& file) {
  const std::string kind = kind_of(file);
  if (kind == ".xyz") return parse_xyz(read_unpacked(file), file.string());
  if (kind == ".sdf" || kind == ".mol") return parse_sdf(read_unpacked(file), file.string());
  if (kind == ".smi" || kind == ".smiles") return parse_smiles(read_unpacked(file), file.string());
  throw Error(ErrorCode::usage, file.string(), "is not known by its ending",
              "molecules come as .xyz, .sdf, .mol, .smi or .safetensors");
}

}  // namespace

MoleculeSet read_molecules(const fs::path& file, const ReadOptions& options, int threads) {
  std::error_code failure;
  if (fs::is_directory(file, failure)) {
    const bool authors = file_exists(file / "gdb9.sdf");
    return set_of(authors ? authors_folder(file) : alchemy_folder(file), options.bonds_of_file,
                  threads);
  }
  if (file.extension() == ".safetensors") return read_qm9(file, threads);
  auto molecules = parse(file);
  if (!options.targets.empty()) {
    add_targets(molecules, read_table(options.targets), file.string());
  }
  return set_of(molecules, options.bonds_of_file, threads);
}

}  // namespace fgnn::molecules
