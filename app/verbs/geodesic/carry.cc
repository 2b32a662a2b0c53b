#include "app/verbs/geodesic/carry.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <filesystem>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>

#include "app/flags.h"
#include "app/interrupt.h"
#include "app/terminal.h"
#include "base/decompositions.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/geometry/transport.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix.h"
#include "civita/scenes/motion/motion_file.h"
#include "civita/scenes/motion/spline.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/formula.h"
#include "civita/sim/metric_table.h"
#include "civita/study/compare/compare_variants.h"
#include "civita/study/model/load_model.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Model LoadCarryModel(const CarryOptions& options) {
  if (!(std::isfinite(options.step_s) && options.step_s > 0)) {
    throw UserError("--step: not a positive number of seconds");
  }
  const LoadedModel loaded = LoadModel(
      options.model, {.free_base = options.base == "free", .loops = false, .called = kFlags});
  for (const std::string& notice : loaded.notices) PrintNote(notice);
  return loaded.model;
}

std::vector<double> ReadNumbers(const std::string& flag, const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& item : SplitOutsideBrackets(text, ',')) {
    double number = 0;
    const auto [stop, error] = std::from_chars(item.data(), item.data() + item.size(), number);
    if (error != std::errc() || stop != item.data() + item.size() || !std::isfinite(number)) {
      std::string message = flag;
      message.append(": '").append(item);
      throw UserError(message + "' is not a finite number; valid: numbers separated by commas");
    }
    numbers.push_back(number);
  }
  return numbers;
}

/// nv numbers separated by commas. @throws UserError that names the flag.
VectorXd ReadVelocity(const std::string& flag, const std::string& text, const Model& model) {
  const std::vector<double> numbers = ReadNumbers(flag, text);
  const auto nv = static_cast<std::size_t>(model.nv());
  if (numbers.size() != nv) {
    throw UserError(flag + " has " + internal::Count(numbers.size(), "number") +
                    ", the model has nv = " + std::to_string(nv));
  }
  return Eigen::Map<const VectorXd>(numbers.data(), model.nv());
}

/// A configuration, nq numbers separated by commas; quaternions are normalized. @throws UserError
/// that names the flag.
VectorXd ReadConfiguration(const std::string& flag, const std::string& text, const Model& model) {
  return internal::CheckedPosition(model, flag, ReadNumbers(flag, text));
}

/// Number of equal steps of at most `step_s` in a time. @throws UserError if there are more than
/// ten million.
std::size_t CountSteps(double time_s, double step_s) {
  constexpr double kMost = 1e7;
  const double steps = std::ceil(time_s / step_s * (1 - 1e-12));
  if (!(steps <= kMost)) throw UserError("--step: more than ten million steps; take longer ones");
  return std::max<std::size_t>(1, static_cast<std::size_t>(steps));
}

/// A curve on its way with what it carries.
struct Traveller {
  ConnectionFunction connection;
  CarriedRow now = {};
};

/// A curve's start and its steps.
struct Walk {
  VectorXd q, v;
  std::string q_name;  ///< in errors
  VectorXd first;      ///< of the frame, if not zero
  std::size_t steps;
  std::function<double(std::size_t step)> time;
  std::function<void(std::size_t step, Traveller* at)> advance;  ///< to the end of a step
};

Walk AlongGeodesic(const CarryOptions& options, const Model& model) {
  if (!(std::isfinite(options.duration_s) && options.duration_s > 0)) {
    throw UserError("--duration: not a positive number of seconds");
  }
  const std::size_t steps = CountSteps(options.duration_s, options.step_s);
  const double dt = options.duration_s / static_cast<double>(steps);
  const VectorXd q =
      options.q.empty() ? model.DefaultPosition() : ReadConfiguration("--q", options.q, model);
  const VectorXd v = options.v.empty() ? VectorXd(VectorXd::Ones(model.nv()))
                                       : ReadVelocity("--v", options.v, model);
  if (v.isZero(0)) throw UserError("--v: all zero, the geodesic stays where it is");
  return {q,
          v,
          options.q.empty() ? "the model's own q" : "--q",
          v,
          steps,
          [dt](std::size_t step) { return dt * static_cast<double>(step); },
          [&model, dt](std::size_t /*step*/, Traveller* at) {
            MatrixXd W(model.nv(), 1 + model.nv());
            W << at->now.v, at->now.frame;
            (void)StepGeodesic(model, at->connection, dt, at->now.q, W);
            at->now.v = W.col(0);
            at->now.frame = W.rightCols(model.nv());
          }};
}

Knots ReadMotion(const CarryOptions& options, const Model& model) {
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
    return knots;
  }
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
  return knots;
}

/// Times of all steps, the knots among them, with a few steps between any two for the start and the
/// end, where the spline speeds up from rest and slows down.
std::vector<double> StepTimes(const std::vector<double>& knots, double step_s) {
  CountSteps(knots.back() - knots.front(), step_s);
  std::vector<double> times;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const double span = knots[k + 1] - knots[k];
    const std::size_t steps = std::max<std::size_t>(4, CountSteps(span, step_s));
    for (std::size_t i = 0; i < steps; ++i) {
      times.push_back(knots[k] + span * static_cast<double>(i) / static_cast<double>(steps));
    }
  }
  times.push_back(knots.back());
  return times;
}

Walk AlongMotion(const CarryOptions& options, const Model& model) {
  Knots knots = ReadMotion(options, model);
  const std::vector<double> times = StepTimes(knots.t, options.step_s);
  const std::shared_ptr<Reference> motion = MakeSpline(model, std::move(knots));
  const VectorXd zero = VectorXd::Zero(model.nv());
  ReferenceState state{model.DefaultPosition(), zero, zero};
  motion->Sample(times.front(), state);
  const CurveFunction curve = [motion, state](double t, VectorXd& q, VectorXd& v) mutable {
    motion->Sample(t, state);
    q = state.q;
    v = state.v;
  };
  return {state.q,
          state.v,
          "the motion's start",
          zero,
          times.size() - 1,
          [times](std::size_t step) { return times[step]; },
          [times, curve](std::size_t step, Traveller* at) {
            const double t = times[step], t_next = times[step + 1];
            (void)StepTransport(at->connection, curve, {.t = t, .dt = t_next - t}, at->now.frame);
            curve(t_next, at->now.q, at->now.v);
          }};
}

/// A frame that is orthonormal in the metric H, by Gram and Schmidt from `first` (if not zero) and
/// the unit vectors in their order.
MatrixXd OrthonormalFrame(const MatrixXd& H, const VectorXd& first) {
  const Eigen::Index n = H.rows();
  MatrixXd frame(n, n);
  Eigen::Index done = 0;
  const auto add = [&](VectorXd x) {
    const double before = std::sqrt(x.dot(H * x));
    for (int twice = 0; twice < 2; ++twice) {  // the second time for what rounding left
      const auto so_far = frame.leftCols(done);
      x -= so_far * (so_far.transpose() * (H * x));
    }
    const double length = std::sqrt(x.dot(H * x));
    if (!(length > 1e-6 * before)) return;  // among the vectors before
    frame.col(done++) = x / length;
  };
  if (!first.isZero(0)) add(first);
  for (Eigen::Index k = 0; k < n && done < n; ++k) add(VectorXd::Unit(n, k));
  CIVITA_CHECK(done == n, done << " of " << n << " vectors");
  return frame;
}

/// The vectors of --carry, or the frame itself, in the frame. H is the metric at the start.
MatrixXd ReadCoefficients(const CarriedCurves& carried, const MatrixXd& H, const MatrixXd& frame) {
  const std::vector<std::string>& texts = carried.options.carry;
  if (texts.empty()) return MatrixXd::Identity(frame.rows(), frame.rows());
  MatrixXd coefficients(frame.rows(), static_cast<Eigen::Index>(texts.size()));
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const VectorXd w = ReadVelocity("--carry " + texts[k], texts[k], carried.model);
    if (w.isZero(0)) throw UserError("--carry " + texts[k] + ": the vector is zero");
    coefficients.col(static_cast<Eigen::Index>(k)) = frame.transpose() * (H * w);
  }
  return coefficients;
}

/// Takes all steps, and keeps a thousand rows or two.
void Follow(const Walk& walk, std::vector<Traveller> travellers, CarriedCurves* carried) {
  const std::size_t stride = std::max<std::size_t>(1, walk.steps / 1000);
  ProgressLine progress;
  for (std::size_t step = 0;; ++step) {
    const bool is_last = step == walk.steps;
    if (step % stride == 0 || is_last) {
      carried->t.push_back(walk.time(step));
      for (std::size_t i = 0; i < travellers.size(); ++i) {
        carried->curves[i].rows.push_back(travellers[i].now);
      }
    }
    if (progress.Due()) {
      progress.Show(std::to_string(step) + " of " + std::to_string(walk.steps) + " steps",
                    static_cast<double>(step) / static_cast<double>(walk.steps));
    }
    carried->interrupted = InterruptGuard::raised();
    if (is_last || carried->interrupted) return;
    for (Traveller& at : travellers) walk.advance(step, &at);
  }
}

/// H(q) at rows of curves.
class MassMetric {
 public:
  explicit MassMetric(const Model& model) : model_(model), workspace_(model) {}

  /// Whether H is finite at q, and positive definite to working precision.
  bool Update(const VectorXd& q) {
    constexpr double kSingular = 1e-12;  // reciprocal condition
    UpdateKinematics(model_, q, workspace_);
    CalcMassMatrix(model_, workspace_, H_);
    return H_.allFinite() && internal::CalcReciprocalCondition(H_) > kSingular;
  }
  const MatrixXd& H() const { return H_; }
  double Length(const VectorXd& x) const { return std::sqrt(x.dot(H_ * x)); }

 private:
  Model model_;
  Workspace<double> workspace_;
  MatrixXd H_ = MatrixXd(model_.nv(), model_.nv());
};

/// Sets the figures of a row beside that of the first curve. @returns false if H or a number is
/// unusable there.
bool SetFigures(const Model& model, const CarriedRow& first, MassMetric* metric, CarriedRow* row) {
  const MatrixXd& frame = row->frame;
  if (!row->q.allFinite() || !row->v.allFinite() || !frame.allFinite()) return false;
  if (!metric->Update(row->q)) return false;
  row->speed = metric->Length(row->v);
  const MatrixXd gram = frame.transpose() * metric->H() * frame;
  row->gram = (gram - MatrixXd::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff();
  VectorXd gap(model.nv());
  DifferencePosition(model, row->q, first.q, gap);
  row->gap = metric->Length(gap);
  const std::vector<double> angles = RotationAngles(internal::SolveSquare(first.frame, frame));
  row->turn = angles.empty() ? 0 : angles.front();
  return true;
}

/// Sets the figures of all rows. Where H is not positive definite or a number not finite, the
/// curves end and `stopped` says so.
void AddFigures(CarriedCurves* carried) {
  MassMetric metric(carried->model);
  const std::vector<CarriedRow>& first = carried->curves.front().rows;
  for (std::size_t row = 0; row < carried->t.size(); ++row) {
    for (CarriedCurve& curve : carried->curves) {
      if (SetFigures(carried->model, first[row], &metric, &curve.rows[row])) continue;
      carried->stopped =
          "at t = " + FormatValue(carried->t[row]) + " s H is singular or a number not finite";
      carried->t.resize(row);
      for (CarriedCurve& each : carried->curves) each.rows.resize(row);
      return;
    }
    if (row == 0) continue;
    const double dt = carried->t[row] - carried->t[row - 1];
    carried->length += dt / 2 * (first[row].speed + first[row - 1].speed);
  }
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

/// Adds the holonomy of curves that close.
void CloseLoop(CarriedCurves* carried) {
  if (carried->is_geodesic() || carried->interrupted || !carried->stopped.empty()) return;
  const std::vector<CarriedRow>& first = carried->curves.front().rows;
  if (!SameConfiguration(carried->model, first.back().q, first.front().q)) return;
  for (const CarriedCurve& curve : carried->curves) {
    const MatrixXd &start = curve.rows.front().frame, &end = curve.rows.back().frame;
    carried->holonomy.push_back(internal::SolveSquare(start, end));
  }
}

}  // namespace

MatrixXd MetricAt(const Model& model, const VectorXd& q, const std::string& where) {
  MassMetric metric(model);
  if (!metric.Update(q)) {
    throw UserError(where + ": the mass matrix H is singular there, it is no metric");
  }
  return metric.H();
}

std::vector<double> RotationAngles(const MatrixXd& R) {
  const auto [U, V] = internal::FindSingularVectors(R);
  const MatrixXd rotation = U * V.transpose();
  const std::optional<Eigen::VectorXcd> eigenvalues = internal::CalcEigenvalues(rotation);
  if (!eigenvalues) return {};
  std::vector<double> angles;
  for (const std::complex<double>& value : *eigenvalues) {
    angles.push_back(std::abs(std::arg(value)));
  }
  std::sort(angles.begin(), angles.end(), std::greater<>());
  std::vector<double> planes;  // eigenvalues come in pairs e^±iθ, and one is 1 if n is odd
  for (std::size_t k = 0; k + 1 < angles.size(); k += 2) planes.push_back(angles[k]);
  return planes;
}

int RunCarry(const CarryOptions& options) {
  CarriedCurves carried{.options = options, .model = LoadCarryModel(options)};
  const Model& model = carried.model;
  std::vector<Traveller> travellers;
  for (const std::string& form : SplitOutsideBrackets(options.factorizations, ',')) {
    const Factorization factorization =
        ReadFlag("--", [&] { return ReadFactorization(form, model); });
    carried.curves.push_back({.name = form, .admissible = factorization.admissible()});
    travellers.push_back({ConnectionOf(model, factorization)});
  }
  const Walk walk =
      carried.is_geodesic() ? AlongGeodesic(options, model) : AlongMotion(options, model);
  const MatrixXd H = MetricAt(model, walk.q, walk.q_name);
  const MatrixXd frame = OrthonormalFrame(H, walk.first);
  carried.coefficients = ReadCoefficients(carried, H, frame);
  carried.step_s = carried.is_geodesic() ? walk.time(1) : options.step_s;
  for (Traveller& at : travellers) at.now = {walk.q, walk.v, frame};
  const InterruptGuard guard;  // until the files are written
  Follow(walk, std::move(travellers), &carried);
  AddFigures(&carried);
  CloseLoop(&carried);
  return ReportCarried(carried);
}

}  // namespace civita
