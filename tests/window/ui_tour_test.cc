// What the texts of the tour promise, in the numbers of a run that follows it.
#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "app/window/model/tour.h"
#include "app/window/panels/panels.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_tour_test {

using testing::ContainsRegex;
using testing::HasSubstr;

constexpr double kTransient = 0.5;  // s after a throw
constexpr double kPatience = 60;    // s

class TourOfTheWindow : public WindowFrames {
 protected:
  bool Until(const std::function<bool()>& done) { return FramesUntil(done, kPatience); }
  double At(const char* signal, int64_t row, Slot slot = Slot::kA) const {
    const Traces& traces = state_.scene->traces;
    return static_cast<double>(traces.buffer().value(row, traces.channel(slot, signal)));
  }
  const TraceBuffer& rows() const { return state_.scene->traces.buffer(); }
  /// Goes on to this step of the tour and does what it offers.
  void Act(int step) {
    state_.tour.Go(step);
    Frame();
    Click(Find({"tour", "act"}, layout().view));
  }
  /// The row of the first throw after t, once its transient is over.
  int64_t AwaitThrow(double t) {
    const auto find = [&]() -> int64_t {
      for (int64_t row = rows().LowerBound(t); row < rows().end_index(); ++row) {
        if (At("/thrown", row) == 1) return row;
      }
      return -1;
    };
    EXPECT_TRUE(Until([&] {
      const int64_t row = find();
      return row >= 0 && rows().last_time() > rows().time(row) + kTransient;
    }));
    return find();
  }
  /// How far s has turned since the throw at a row; by torsion alone: "/ideal_turning".
  double Turned(int64_t row, Slot slot = Slot::kA, const char* signal = "/twist") const {
    return At(signal, rows().LowerBound(rows().time(row) + kTransient), slot) -
           At(signal, row, slot);
  }
  /// The greatest distance of ln V from a straight line from the throw at a row on, while V falls
  /// to a thousandth.
  double Bend(int64_t row) const {
    const double V0 = At("/V", row);
    int64_t end = row;
    while (end < rows().end_index() && At("/V", end) > 1e-3 * V0) ++end;
    const double slope =
        std::log(At("/V", end - 1) / V0) / (rows().time(end - 1) - rows().time(row));
    EXPECT_LT(slope, -5);
    double bend = 0;
    for (int64_t k = row; k < end; ++k) {
      const double line = slope * (rows().time(k) - rows().time(row));
      bend = std::max(bend, std::abs(std::log(At("/V", k) / V0) - line));
      EXPECT_LE(At("/V", k), At("/V", std::max(row, k - 1))) << "V grows";
    }
    return bend;
  }
};

TEST_F(TourOfTheWindow, ShowsWhatItSays) {
  Open("arm7", {"pushes=[]"});
  SetSpeed(&state_, 2);
  state_.tour.Start();
  ASSERT_TRUE(Until([&] { return snapshot().t > 3; }));
  const int64_t quiet = rows().end_index() - 1;

  // "A robot on its reference shows nothing. A throw adds a velocity error"
  Act(2);
  const int64_t first = AwaitThrow(rows().time(quiet));
  ASSERT_GE(first, 0);
  EXPECT_LT(At("/V", quiet), 1e-5 * At("/V", first));
  // "V goes down in a straight line on its logarithmic axis."
  EXPECT_LT(Bend(first), 0.3);

  // "The forces C v stay the same, and V falls as before. But s turns on its way to zero."
  Act(3);
  ASSERT_TRUE(Until([&] { return snapshot().factorization == "t:3"; }));
  const int64_t second = AwaitThrow(rows().time(first) + kTransient);
  ASSERT_GE(second, 0);
  EXPECT_LT(Bend(second), 0.3);
  const auto after = [&](int64_t row) { return At("/V", row + 200) / At("/V", row); };
  EXPECT_NEAR(after(second) / after(first), 1, 0.25);
  // Damping turns s, too: by 0.2 rad, torsion by 0.4 to 1, depending on when the throw is.
  EXPECT_EQ(Turned(first, Slot::kA, "/ideal_turning"), 0);
  EXPECT_GT(Turned(second, Slot::kA, "/ideal_turning"), 0.3);
  EXPECT_GT(Turned(second), 1.8 * Turned(first));
  EXPECT_GT(Turned(second), 0.5);
  EXPECT_LT(snapshot().measured.residuals.bias, 1e-10);
  EXPECT_GT(snapshot().measured.residuals.contorsion, 1e-3);
  // "always the same one"
  const int s = state_.scene->traces.channel(Slot::kA, "/s");
  for (int i = 0; i < state_.scene->traces.nv(); ++i) {
    const auto jump = [&](int64_t row) {
      return rows().value(row, s + i) - rows().value(row - 1, s + i);
    };
    EXPECT_NEAR(jump(first), jump(second), 1e-4);
  }

  // "Two runs in step, thrown alike: the table measures from the throw on"
  Act(4);
  ASSERT_TRUE(Until([&] { return state_.scene->is_comparing(); }));
  ASSERT_TRUE(Until([&] { return snapshot().figures.since_throw; }));
  const int64_t both = AwaitThrow(0);
  EXPECT_EQ(At("/thrown", both, Slot::kB), 1);
  const double t3 = Turned(both, Slot::kA), other = Turned(both, Slot::kB);
  EXPECT_GT(std::max(t3, other), 1.8 * std::min(t3, other));
  // "the sentence below it says what differs, by how much, and why."
  const std::string sentence = DescribeDifference(*state_.scene);
  EXPECT_THAT(sentence, HasSubstr("torsion"));
  EXPECT_THAT(sentence, HasSubstr("t:3"));
  EXPECT_THAT(sentence, ContainsRegex("[0-9]"));
}

}  // namespace ui_tour_test
}  // namespace civita
