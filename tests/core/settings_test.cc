#include "fgnn/core/settings.h"

#include <gtest/gtest.h>

#include <optional>

#include "fgnn/core/error.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

using testing::expect_error;

enum class Colour { red, green };
const Words<Colour>& words_of(Colour) {
  static const Words<Colour> kWords{"a colour", {{"red", Colour::red}, {"green", Colour::green}}};
  return kWords;
}

struct Inner {
  std::uint32_t depth = 3;
};
struct Paint {
  double share = 0.5;
  std::optional<std::size_t> coats;
  Colour colour = Colour::red;
  std::string name = "wall";
  bool shiny = false, thick = false;
  std::vector<std::size_t> widths;
  Inner inner;
};

SettingList<Paint> paint() {
  SettingList<Paint> all("paint");
  all.add("share", &Paint::share, "S", "of the wall", in(0, 1));
  all.add("coats", &Paint::coats, "N", "one above the other", above(0));
  all.add("colour", &Paint::colour, "C", "red or green");
  all.add("name", &Paint::name, "NAME", "of what is painted", one_of({"wall", "door", "floor"}));
  all.add("shiny", &Paint::shiny, "", "or not");
  all.add_words("layer", &Paint::thick, Words<bool>{"a layer", {{"thin", false}, {"thick", true}}},
                "L", "of paint");
  all.add("widths", &Paint::widths, "N+N", "of brushes", in(1, 9));
  all.add(
      "depth", [](auto& o) -> auto& { return o.inner.depth; }, "N", "of the wall");
  return all;
}

TEST(Settings, AreReadFromTextAndPrintedBack) {
  const auto all = paint();
  Paint o;
  all.set(o, {{"share", "0.25"},
              {"coats", "2"},
              {"colour", "green"},
              {"name", "door"},
              {"shiny", "yes"},
              {"layer", "thick"},
              {"widths", "3+5"},
              {"depth", "7"}});
  EXPECT_EQ(o.share, 0.25);
  EXPECT_EQ(o.coats, std::size_t{2});
  EXPECT_EQ(o.colour, Colour::green);
  EXPECT_EQ(o.name, "door");
  EXPECT_TRUE(o.shiny);
  EXPECT_TRUE(o.thick);
  EXPECT_EQ(o.widths, (std::vector<std::size_t>{3, 5}));
  EXPECT_EQ(o.inner.depth, 7u);
  Paint again;
  for (const auto& [name, text] : all.texts(o)) all.set(again, name, text);
  EXPECT_EQ(all.texts(again), all.texts(o));
  EXPECT_EQ(all.given(o),
            "share=0.25,coats=2,colour=green,name=door,shiny=yes,layer=thick,widths=3+5,depth=7");
}

TEST(Settings, ThoseOfTheDefaultsAreNotGiven) {
  const auto all = paint();
  Paint o;
  EXPECT_EQ(all.given(o), "");
  all.set_piece(o, "coats=4", "coats=2");
  EXPECT_EQ(all.given(o), "coats=4");
  EXPECT_TRUE(all.find("coats").given(o));
  all.find("coats").clear(o);
  EXPECT_FALSE(o.coats.has_value());
}

TEST(Settings, ErrorsNameTheSettingAndSuggest) {
  const auto all = paint();
  const auto refused = [&](const std::string& message, const std::string& piece) {
    expect_error(ErrorCode::usage, message, [&] {
      Paint o;
      all.set_piece(o, piece, "share=0.5");
    });
  };
  refused("'shar' is not a setting of paint; did you mean 'share'? known are share, coats",
          "shar=1");
  refused("'share' is not SETTING=VALUE; write for example share=0.5", "share");
  refused("'=1' is not SETTING=VALUE", "=1");
  refused("share: 'half' is not a number", "share=half");
  refused("share: 'nan' is not a finite number", "share=nan");
  refused("share: must be 0 to 1, not 2", "share=2");
  refused("coats: '-1' is not a whole number from 0 on", "coats=-1");
  refused("coats: must be above 0, not 0", "coats=0");
  refused("colour: 'gren' is not a colour; did you mean 'green'? known are red, green",
          "colour=gren");
  refused("name: must be wall, door or floor, not 'dor'; did you mean 'door'?", "name=dor");
  refused("shiny: 'maybe' is not a choice; known are yes, no", "shiny=maybe");
  refused("shiny: 'true' is not a choice", "shiny=true");
  refused("layer: 'tick' is not a layer; did you mean 'thick'? known are thin, thick",
          "layer=tick");
  refused("widths: '' is not a whole number", "widths=3+");
  refused("widths: must be 1 to 9, not 10", "widths=3+10");
  refused("depth: '4294967296' is not a whole number from 0 to 4294967295", "depth=4294967296");
}

TEST(Settings, SomeOfThemBelongToAnotherOwner) {
  const auto some = paint().some("the door", {"colour"});
  EXPECT_EQ(some.names(), std::vector<std::string>{"colour"});
  expect_error(ErrorCode::usage, "'share' is not a setting of the door; known are colour",
               [&] { some.find("share"); });
  expect_error(ErrorCode::usage, "'share' is not a setting of nothing; it has none",
               [] { paint().some("nothing", {}).find("share"); });
}

TEST(Settings, AStructIsCheckedWhole) {
  Paint o;
  EXPECT_NO_THROW(paint().check(o));
  o.share = -1;
  expect_error(ErrorCode::usage, "share: must be 0 to 1, not -1", [&] { paint().check(o); });
}

}  // namespace
}  // namespace fgnn
