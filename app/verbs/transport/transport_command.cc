#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "app/interrupt.h"
#include "app/verbs/geodesic/carry.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"
#include "base/decompositions.h"
#include "civita/error.h"
#include "civita/geometry/transport.h"
#include "civita/manifold.h"
#include "civita/scenes/motion/motion_file.h"
#include "civita/scenes/motion/spline.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Options of `civita transport`: the curve is a motion in a file, or goes through waypoints.
struct TransportOptions {
  CarryOptions carry;
  std::string along;                   ///< a run's folder, or a CSV file as of ReadMotionFile
  std::vector<std::string> waypoints;  ///< nq numbers each
  bool loop = false;                   ///< back to the first waypoint
};

/// The motion and its knots' times.
struct KnownMotion {
  std::vector<double> t;
  std::unique_ptr<Reference> reference;
};

KnownMotion ReadMotion(const TransportOptions& options, const Model& model) {
  Knots knots;
  if (!options.along.empty()) {
    std::filesystem::path file = options.along;
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) file /= "signals.csv";
    knots = ReadMotionFile(file, model);
    // Transport depends on the path alone. Recorded velocities are those of an integrator, which q
    // follows to the order of its step only: a curve through both would wind.
    knots.v.resize(0, 0);
    knots.vdot.resize(0, 0);
  } else {
    std::vector<std::string> waypoints = options.waypoints;
    if (waypoints.size() < 2) {
      throw UserError("needs a motion: --along DIR|FILE, or --waypoint twice or more");
    }
    if (options.loop) waypoints.push_back(waypoints.front());
    knots.q.resize(model.nq(), static_cast<Eigen::Index>(waypoints.size()));
    for (std::size_t k = 0; k < waypoints.size(); ++k) {
      knots.t.push_back(static_cast<double>(k));
      knots.q.col(static_cast<Eigen::Index>(k)) =
          ReadConfiguration("--waypoint " + waypoints[k], waypoints[k], model);
    }
  }
  KnownMotion motion{knots.t, nullptr};
  motion.reference = MakeSpline(model, std::move(knots));
  return motion;
}

/// Times of all steps, the knots among them, with a few steps between any two for the start and the
/// end, where the spline speeds up from rest and slows down.
std::vector<double> StepTimes(const std::vector<double>& knots, double step_s) {
  CountSteps(knots.back() - knots.front(), step_s);
  std::vector<double> times;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const double span = knots[k + 1] - knots[k];
    const long steps = std::max(4L, CountSteps(span, step_s));
    for (long i = 0; i < steps; ++i) {
      times.push_back(knots[k] + span * static_cast<double>(i) / static_cast<double>(steps));
    }
  }
  times.push_back(knots.back());
  return times;
}

/// Whether both are one configuration: the same but for whole turns of hinges.
bool SameConfiguration(const Model& model, const VectorXd& q, const VectorXd& q_start) {
  constexpr double kClosed = 1e-6;  // rad, m
  VectorXd gap(model.nv());
  DifferencePosition(model, q, q_start, gap);
  for (const Model::Body& body : model.bodies()) {
    if (body.joint != JointType::kHinge) continue;
    gap[body.iv] = std::remainder(gap[body.iv], 2 * std::numbers::pi);
  }
  return gap.norm() <= kClosed;
}

void CloseLoop(const Model& model, CarriedCurves* carried) {
  const CarriedCurve& first = carried->curves.front();
  if (carried->interrupted || !carried->stopped.empty()) return;
  if (!SameConfiguration(model, first.q.back(), first.q.front())) return;
  for (const CarriedCurve& curve : carried->curves) {
    carried->holonomy.push_back(internal::SolveSquare(curve.frame.front(), curve.frame.back()));
  }
}

/// Takes all steps, and keeps rows.
void Carry(const Model& model, const KnownMotion& motion, const std::vector<CarryForm>& forms,
           const MatrixXd& start, double step_s, CarriedCurves* carried) {
  ReferenceState state{VectorXd(model.nq()), VectorXd(model.nv()), VectorXd(model.nv())};
  const CurveFunction curve = [&](double t, VectorXd& q, VectorXd& v) {
    motion.reference->Sample(t, state);
    q = state.q;
    v = state.v;
  };
  std::vector<ConnectionFunction> connections;
  std::vector<MatrixXd> frames(forms.size(), start);
  for (const CarryForm& form : forms) {
    connections.push_back(ConnectionOf(model, form.factorization));
    carried->curves.push_back({.name = form.name, .admissible = form.factorization.admissible()});
  }
  const std::vector<double> times = StepTimes(motion.t, step_s);
  const auto time = [&](long step) { return times[static_cast<std::size_t>(step)]; };
  const auto take = [&](long step) {
    const double t = time(step - 1);
    for (std::size_t i = 0; i < forms.size(); ++i) {
      StepTransport(connections[i], curve, t, time(step) - t, frames[i]);
    }
  };
  const auto keep = [&](long step) {
    carried->t.push_back(time(step));
    motion.reference->Sample(time(step), state);
    for (std::size_t i = 0; i < forms.size(); ++i) {
      carried->curves[i].q.push_back(state.q);
      carried->curves[i].v.push_back(state.v);
      carried->curves[i].frame.push_back(frames[i]);
    }
  };
  TakeSteps(static_cast<long>(times.size()) - 1, take, keep, carried);
}

/// Integrates and reports. @returns an ExitCode. @throws UserError.
int RunTransport(const TransportOptions& options) {
  const Model model = LoadCarryModel(options.carry);
  const std::vector<CarryForm> forms = ReadForms(options.carry, model);
  const KnownMotion motion = ReadMotion(options, model);
  ReferenceState start{VectorXd(model.nq()), VectorXd(model.nv()), VectorXd(model.nv())};
  motion.reference->Sample(motion.t.front(), start);
  const MatrixXd H = MetricAt(model, start.q, "the motion's start");
  const MatrixXd frame = OrthonormalFrame(H, VectorXd::Zero(model.nv()));
  CarriedCurves carried{
      .verb = "transport", .model_name = options.carry.model, .step_s = options.carry.step_s};
  SetVectors(options.carry, model, H, frame, &carried);
  const InterruptGuard guard;  // until the files are written
  Carry(model, motion, forms, frame, options.carry.step_s, &carried);
  AddFigures(model, &carried);
  CloseLoop(model, &carried);
  return ReportCarried(options.carry, model, carried);
}

constexpr const char* kTransportAbout =
    "Carries vectors along a motion of a robot, H dw/dt + C(q,v) w = 0, by the connections of "
    "factorizations, and around a loop: the holonomy.";

constexpr const char* kTransportFooter = R"(
The motion is that of a run (--along DIR of civita run --out DIR), of a CSV file with columns t and
q, as the reference type file reads it, or it goes through waypoints; smoothly between rows and
waypoints. Times do not matter, only the path. q and w are lists of numbers in MuJoCo's order and conventions, as for
civita eval. If the motion ends where it began, whole turns of hinges aside, the frame comes back
turned: W(end) = W(0) R. R is told by its angle in each of its planes.

Examples:
  civita run arm7 --headless --out figure8 && civita transport arm7 --along figure8
  civita transport planar_2r --waypoint 0,0.5 --waypoint 1,0.5 --waypoint 1,1.5 --loop
  civita transport ball_arm --along run --factorization christoffel,t:1,t:-1 --out turned

The folder (--out) gets transport.json, curves.csv (or .json, .npz), plots.svg, and report.html that
holds figures and plots; files of the same names are replaced.
Exit codes: 0 done, 1 an inner product drifted by more than 1e-6, 2 bad input, 130 interrupted (what
was done is kept).
)";

}  // namespace

std::function<int()> AddTransport(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<TransportOptions>();
  command->description(kTransportAbout);
  command->footer(kTransportFooter);
  AddCarryOptions(command, &options->carry);
  CLI::Option* along =
      command->add_option("--along", options->along, "a run's folder, or a CSV file of a motion")
          ->type_name("DIR|FILE");
  CLI::Option* waypoints = AddRepeatable(command, "--waypoint", "Q",
                                         "a configuration to go through", &options->waypoints)
                               ->excludes(along);
  command->add_flag("--loop", options->loop, "go back to the first waypoint")->needs(waypoints);
  return [options] { return RunTransport(*options); };
}

}  // namespace civita
