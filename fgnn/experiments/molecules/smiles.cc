#include "fgnn/experiments/molecules/smiles.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "fgnn/core/token_reader.h"
#include "fgnn/experiments/molecules/sdf.h"
#include "fgnn/experiments/molecules/text_lines.h"

namespace fgnn::molecules {
namespace {

namespace fs = std::filesystem;
constexpr const char* kModule = "libfgnn_rdkit.so";

SmilesEntry load() {
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure).parent_path();
  std::vector<fs::path> candidates{program / kModule,
                                   program.parent_path() / FGNN_MODULE_FOLDER / kModule,
                                   program.parent_path() / "bin" / kModule, kModule};
  if (const char* given = std::getenv("FGNN_RDKIT_MODULE")) candidates = {given};
  std::string reason;
  for (const fs::path& file : candidates) {
    void* module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module != nullptr) {
      if (void* entry = ::dlsym(module, kSmilesEntry)) return reinterpret_cast<SmilesEntry>(entry);
      reason = fmt::format("{} is not the module of this program", file.string());
    } else if (const char* why = ::dlerror(); reason.empty() || fs::exists(file, failure)) {
      reason = why;
    }
  }
  throw Error(ErrorCode::unsupported, "SMILES",
              fmt::format("need the module for RDKit, which cannot be loaded ({})", reason),
              "install librdkit-dev and libboost-dev and build again, or give XYZ or SDF");
}

}  // namespace

std::vector<Molecule> parse_smiles(std::string_view text, const std::string& file) {
  constexpr std::size_t kMost = 1 << 18;  // of a MOL block
  TextLines lines(text, file);
  std::vector<Molecule> molecules;
  static const SmilesEntry convert = load();
  std::string block(kMost, '\0');
  for (lines.skip_blank(); !lines.at_end(); lines.skip_blank()) {
    const auto fields = words(lines.next("a SMILES"));
    if (fields[0].starts_with('#')) continue;
    const std::string smiles(fields[0]);
    const long length = convert(smiles.c_str(), block.data(), kMost);
    if (length <= 0) {
      lines.fail(fmt::format("{} {}", in_quotes(smiles), block.c_str()),
                 "RDKit is asked for places of all atoms");
    }
    Molecule molecule = parse_sdf(std::string_view(block).substr(0, length), file)[0];
    molecule.name = fields.size() > 1 ? std::string(fields[1]) : smiles;
    molecules.push_back(std::move(molecule));
  }
  if (molecules.empty()) {
    throw Error(ErrorCode::format, fmt::format("{}:1", file), "has no molecule");
  }
  return molecules;
}

}  // namespace fgnn::molecules
