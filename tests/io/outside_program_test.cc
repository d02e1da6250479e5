#include "fgnn/io/outside_program.h"

#include <gtest/gtest.h>

#include "fgnn/io/gnuplot.h"

namespace fgnn {
namespace {

TEST(OutsideProgram, GivesItsOutputUnlessItFails) {
  EXPECT_TRUE(have_program("sh"));
  EXPECT_FALSE(have_program("no-such-program-anywhere"));
  EXPECT_EQ(output_of("echo here; echo there >&2"), "here\n");
  EXPECT_EQ(output_of("echo here; exit 3"), std::nullopt);
}

TEST(OutsideProgram, APathIsOneWord) {
  const std::string odd = "a b'c$d\"e";
  EXPECT_EQ(output_of("printf %s " + shell_word(odd)), odd);
}

TEST(OutsideProgram, ScratchFoldersVanish) {
  std::filesystem::path path;
  {
    const ScratchFolder folder;
    path = folder.path();
    EXPECT_TRUE(std::filesystem::is_directory(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Gnuplot, DrawsOrSaysThatItCannot) {
  if (!have_program("gnuplot")) GTEST_SKIP() << "there is no gnuplot";
  const auto svg = gnuplot("set terminal svg\nplot '-' with lines\n1 1\n2 4\ne\n");
  ASSERT_TRUE(svg);
  EXPECT_NE(svg->find("<svg"), std::string::npos);
  EXPECT_EQ(gnuplot("plot nonsense(x)\n"), std::nullopt);
}

}  // namespace
}  // namespace fgnn
