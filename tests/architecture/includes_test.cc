// The direction of dependencies: each room includes only rooms before it; none includes torch, and
// one alone knows MPI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/places.h"

namespace fgnn {
namespace {

using Rooms = std::set<std::string>;

// By room: what it may include, with whatever they may include.
const std::map<std::string, Rooms>& rooms() {
  static const std::map<std::string, Rooms> all{
      {"core", {}},
      {"cluster", {"core"}},
      {"graph", {"core"}},
      {"potentials", {"graph"}},
      {"decompose", {"potentials"}},
      {"infer", {"potentials", "cluster"}},
      {"kernels", {"core"}},
      {"codes", {"potentials", "kernels", "cluster"}},
      {"io", {"decompose", "infer", "codes"}},
      {"network", {"kernels", "io"}},
      {"neuralize", {"network"}},
      {"learned", {"neuralize"}},
      {"tasks", {"network"}},
      {"train", {"tasks"}},
      {"report", {"io"}},
      {"experiments", {"train", "report", "learned"}},
      {"cli", {"experiments"}},
  };
  return all;
}

Rooms reachable(const std::string& room) {
  Rooms result{room};
  for (const auto& next : rooms().at(room)) result.merge(reachable(next));
  return result;
}

// What is wrong with the includes of a file of this room, one line each.
std::vector<std::string> violations(const std::string& room, const std::string& text) {
  if (!rooms().contains(room)) return {"no such room: " + room};
  static const std::regex include(R"(^[ \t]*#[ \t]*include[ \t]*["<]([^">]*)[">])",
                                  std::regex::multiline);
  const Rooms allowed = reachable(room);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
    const std::filesystem::path path = (*it)[1].str();
    const std::string top = *path.begin();
    if (top == "torch" || top == "ATen" || top == "c10") {
      found.push_back(room + " includes torch: " + path.string());
    } else if (top == "mpi.h") {
      if (room != "cluster") found.push_back(room + " includes MPI: mpi.h");
    } else if (top == "..") {
      found.push_back(room + " includes by a relative path: " + path.string());
    } else if (top == "fgnn" && path != "fgnn/version.h") {
      const std::string other = *std::next(path.begin());
      if (!allowed.contains(other)) found.push_back(room + " must not know " + path.string());
    }
  }
  return found;
}

TEST(Architecture, RoomsIncludeOnlyWhatTheyMayKnow) {
  const std::filesystem::path root = std::filesystem::path(FGNN_SOURCE_DIR) / "fgnn";
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cc") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto relative = entry.path().lexically_relative(root);
    if (relative == "fgnn.h") continue;  // the front door (public_headers_test.cc)
    for (const auto& line : violations(*relative.begin(), text.str())) {
      ADD_FAILURE() << relative.string() << ": " << line;
    }
    ++files;
  }
  EXPECT_GT(files, 20) << "the sources were not found at " << root;
}

TEST(Architecture, TheCheckSeesWhatIsWrong) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(violations("graph", "#include \"fgnn/core/types.h\"\n#include <vector>\n"),
              IsEmpty());
  EXPECT_THAT(violations("core", "\n  # include <fgnn/graph/names.h>\n"),
              ElementsAre("core must not know fgnn/graph/names.h"));
  EXPECT_THAT(violations("infer", "#include \"fgnn/decompose/cp.h\"\n"),
              ElementsAre("infer must not know fgnn/decompose/cp.h"));
  EXPECT_THAT(violations("kernels", "#include \"fgnn/graph/names.h\"\n#include <torch/torch.h>\n"),
              ElementsAre("kernels must not know fgnn/graph/names.h",
                          "kernels includes torch: torch/torch.h"));
  EXPECT_THAT(violations("io", "#include <ATen/core/Tensor.h>\n"),
              ElementsAre("io includes torch: ATen/core/Tensor.h"));
  EXPECT_THAT(violations("io", "#include \"../core/types.h\"\n"),
              ElementsAre("io includes by a relative path: ../core/types.h"));
  EXPECT_THAT(violations("train", "#include \"fgnn/network/a.h\"\n"), IsEmpty());
  EXPECT_THAT(violations("codes", "#include <mpi.h>\n"), ElementsAre("codes includes MPI: mpi.h"));
  EXPECT_THAT(violations("cluster", "#include <mpi.h>\n"), IsEmpty());
  EXPECT_THAT(violations("attic", ""), ElementsAre("no such room: attic"));
}

}  // namespace
}  // namespace fgnn
