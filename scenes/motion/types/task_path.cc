#include "civita/scenes/motion/task_path.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "civita/scenes/motion/types/types.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/key_error.h"

namespace civita {
namespace {

using internal::CheckedPoint;
using internal::ShortNumber;

/// Keys of all shapes; the rows of a shape say which of them it has.
struct TaskPathKeys : MovedFrame {
  std::vector<double> by = {0, 0, 0}, size = {0.3, 0.15}, normal = {1, 0, 0}, turn = {0, 0, 0};
  double radius = 0.1;
  double start_s = 0, duration_s = 2, fade_s = 1;
  bool repeat = true;
};

using Row = KeyRow<TaskPathKeys>;
constexpr Row kFrame = {"frame", &TaskPathKeys::frame, "", "the site or body that moves"};
constexpr Row kOffset = {"offset_m", &TaskPathKeys::offset, "m",
                         "from the frame's origin, in its axes"};
constexpr Row kNormal = {"normal", &TaskPathKeys::normal, "", "of the plane, world axes"};
constexpr Row kTurn = {"turn", &TaskPathKeys::turn, "rad",
                       "rotation back and forth, a rotation vector"};
constexpr Row kStart = {"start_s", &TaskPathKeys::start_s, "s", "when the motion starts",
                        NumberRange::kNotNegative};
constexpr Row kRound = {"duration_s", &TaskPathKeys::duration_s, "s", "one revolution",
                        NumberRange::kPositive};
constexpr Row kRepeat = {"repeat", &TaskPathKeys::repeat, "", "round forever"};
constexpr Row kFade = {"fade_s", &TaskPathKeys::fade_s, "s", "time to reach full speed",
                       NumberRange::kNotNegative};

constexpr Row kLineRows[] = {
    kFrame,
    kOffset,
    {"by_m", &TaskPathKeys::by, "m", "displacement, world axes"},
    kTurn,
    kStart,
    {"duration_s", &TaskPathKeys::duration_s, "s", "from end to end", NumberRange::kPositive},
    {"repeat", &TaskPathKeys::repeat, "", "back and forth forever"},
};

// Of a closed shape of this size.
constexpr std::array<Row, 9> ClosedRows(const Row& size) {
  return {kFrame, kOffset, size, kNormal, kTurn, kStart, kRound, kRepeat, kFade};
}
constexpr std::array<Row, 9> kCircleRows =
    ClosedRows({"radius_m", &TaskPathKeys::radius, "m", "of the circle", NumberRange::kPositive});
constexpr std::array<Row, 9> kEightRows =
    ClosedRows({"size_m", &TaskPathKeys::size, "m", "width and height", NumberRange::kPositive});

TaskPath ReadTaskPath(const TaskPathKeys& r, TaskPath::Shape shape) {
  TaskPath path;
  path.shape = shape;
  path.start_s = r.start_s;
  path.duration_s = r.duration_s;
  path.repeat = r.repeat;
  path.fade_s = r.fade_s;
  path.turn = CheckedPoint("reference.turn", r.turn);
  if (shape == TaskPath::Shape::kLine) {
    path.by = CheckedPoint("reference.by_m", r.by);
    return path;
  }
  path.normal = CheckedPoint("reference.normal", r.normal);
  if (path.normal.norm() < 1e-9) RefuseValue("reference.normal", " is zero");
  if (shape == TaskPath::Shape::kCircle) {
    path.size[0] = r.radius;
  } else {
    if (r.size.size() != 2) RefuseValue("reference.size_m", " must be 2 numbers, width and height");
    std::copy(r.size.begin(), r.size.end(), path.size);
  }
  return path;
}

template <TaskPath::Shape kShape>
std::unique_ptr<Reference> TaskPathOf(TaskPathKeys& r, const MotionContext& context) {
  const Eigen::VectorXd& center = context.center;
  const Model::NamedFrame frame = FindFrameOf(
      context.plant, r.frame, CheckedPoint("reference.offset_m", r.offset), "reference.frame");
  std::unique_ptr<Reference> reference =
      MakeTaskPath(context.plant, center, frame, ReadTaskPath(r, kShape));
  // A repeated path has reached all its points after one period.
  const double whole = r.start_s + r.fade_s + 2 * r.duration_s;
  const Miss miss =
      FindWorstMiss(context.plant, center, frame, *reference, std::min(whole, context.duration_s));
  if (miss.distance > 1e-3) {
    throw KeyError("reference.type", "the path is out of reach: at " + ShortNumber(miss.t) + " s " +
                                         r.frame + " stays " + ShortNumber(miss.distance) +
                                         " m away from it");
  }
  return reference;
}

}  // namespace

constinit const ReferenceType kTaskLineReference =
    ReferenceTypeOf<kLineRows, TaskPathOf<TaskPath::Shape::kLine>>("task_line",
                                                                   "a frame along a line");
constinit const ReferenceType kTaskCircleReference =
    ReferenceTypeOf<kCircleRows, TaskPathOf<TaskPath::Shape::kCircle>>("task_circle",
                                                                       "a frame round a circle");
constinit const ReferenceType kTaskEightReference =
    ReferenceTypeOf<kEightRows, TaskPathOf<TaskPath::Shape::kEight>>(
        "task_eight", "a frame along a figure of eight");

}  // namespace civita
