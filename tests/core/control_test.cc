#include "fgnn/core/control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <stdexcept>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/core/timing.h"
#include "tests/reference/expect_error.h"

namespace fgnn {
namespace {

struct Told {
  std::string stage, note;
  double done, total;
  bool over;

  bool operator==(const Told&) const = default;
};

struct Recorder : Observer {
  std::vector<Told> told;
  void on_progress(const Progress& p) override {
    told.push_back({std::string(p.stage), std::string(p.note), p.done, p.total, p.over});
  }
};

TEST(Stage, TellsEveryStepAndTheEnd) {
  Recorder recorder;
  {
    Stage stage({&recorder, {}}, "working", 3);
    stage.advance();
    stage.note("half");
    stage.advance(2);
  }
  EXPECT_THAT(recorder.told, ::testing::ElementsAre(Told{"working", "", 1, 3, false},
                                                    Told{"working", "half", 3, 3, false},
                                                    Told{"working", "half", 3, 3, true}));
}

TEST(Stage, IsSilentWithoutAnObserver) {
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  {
    Stage stage({}, "working", 2);
    EXPECT_FALSE(stage.watched());
    stage.advance();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST(Stage, AnExceptionOfTheObserverReachesTheCaller) {
  struct Refuses : Observer {
    void on_progress(const Progress&) override { throw std::runtime_error("enough"); }
  } refuses;
  EXPECT_THROW(
      {
        Stage stage({&refuses, {}}, "working", 2);
        stage.advance();
      },
      std::runtime_error);
}

TEST(StopToken, IsAskedByItsSource) {
  EXPECT_FALSE(StopToken().stop_requested());
  StopSource source;
  const StopToken token = source.token();
  EXPECT_FALSE(token.stop_requested());
  source.request_stop();
  EXPECT_TRUE(token.stop_requested());
  EXPECT_TRUE(source.token().stop_requested());
}

StopSource from_handler;

TEST(StopToken, MayBeAskedFromAHandlerOfSignals) {
  const auto before = ::signal(SIGUSR1, [](int) { from_handler.request_stop(); });
  ::raise(SIGUSR1);
  ::signal(SIGUSR1, before);
  EXPECT_TRUE(from_handler.token().stop_requested());
}

TEST(Deadline, EndsWhenAStopIsAskedForAndSaysSo) {
  StopSource source;
  const Deadline deadline(kInfinity, {}, source.token());
  EXPECT_FALSE(deadline.expired());
  const Budget budget("work", Budget::kNoLimit, deadline);
  budget.check_time();
  source.request_stop();
  EXPECT_TRUE(deadline.expired());
  EXPECT_TRUE(deadline.interrupted());
  testing::expect_error(ErrorCode::interrupted, "work: interrupted", [&] { budget.check_time(); });
  EXPECT_FALSE(Deadline(1e-9).interrupted());
}

TEST(Control, DoesNotMakeOptionsDiffer) {
  Recorder recorder;
  EXPECT_EQ((Control{&recorder, StopSource().token()}), Control{});
}

}  // namespace
}  // namespace fgnn
