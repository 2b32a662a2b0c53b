#include "app/window/model/geometry_views.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "app/verbs/geodesic/carry.h"
#include "base/decompositions.h"
#include "base/max_abs.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/geometry/metric.h"
#include "civita/geometry/transport.h"
#include "study/typeset_number.h"

namespace civita {
namespace {

// Half a step of the integration, s; longer for large robots, which move slowly and take longer.
constexpr double kHalfStep = 0.002, kLongHalfStep = 0.005;
constexpr int kSmall = 12;             // velocities
constexpr double kAnglePeriod = 0.02;  // s

// C and H of a factorization at velocities of `geometry`; H is NaN where loops are singular.
ConnectionFunction ConnectionIn(PlantGeometry* geometry, const Factorization& factorization) {
  return [geometry, &factorization](const Eigen::VectorXd& q, const Eigen::VectorXd& w,
                                    CoriolisOut<double> out) {
    if (geometry->UpdateSelected(q, w)) {
      geometry->CalcCoriolisMatrix(factorization, out);
    } else {
      out.C.setZero();
      out.H.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  };
}

}  // namespace

ConnectionView::ConnectionView(const SceneData& scene)
    : geometry_(scene.control_model, scene.closed.get()),
      names_(scene.closed ? scene.closed->Names() : scene.velocity_names),
      torsion_(geometry_.size()) {}

bool ConnectionView::Update(const Eigen::Ref<const Eigen::VectorXd>& q,
                            const Factorization& factorization) {
  const int n = size();
  if (n == 0) return true;  // the loops leave no velocity, and no torsion
  Tensor3 Gamma(n), rates(n);
  Eigen::MatrixXd C(n, n), H(n, n), Hdot(n, n);
  for (int j = 0; j < n; ++j) {
    if (!geometry_.UpdateSelected(q, Eigen::VectorXd::Unit(n, j))) return false;
    geometry_.CalcCoriolisMatrix(factorization, {.C = C, .H = H});
    geometry_.CalcMassMatrixDerivative(Hdot);
    Gamma.Direction(j) = C;
    rates.Direction(j) = Hdot;
  }
  const Tensor3 s = LowerFirstIndex(H, geometry_.CalcStructureConstants());
  // Coordinates are of the order of 1 rad or 1 m.
  constexpr double kRounding = 1e-10;
  floor_ = kRounding * (internal::MaxAbs(H) + Gamma.MaxAbs() + rates.MaxAbs());
  residuals_ = CalcConnectionResiduals(Gamma, rates, s);
  torsion_ = IsZero(residuals_.torsion) ? Tensor3(n) : Torsion(Gamma, s);
  return true;
}

TensorIndex FindLargest(const Tensor3& T) {
  TensorIndex at;
  for (int i = 0; i < T.n(); ++i) {
    for (int j = 0; j < T.n(); ++j) {
      for (int k = 0; k < T.n(); ++k) {
        // Entries that are equal but for rounding must not take turns.
        if (std::abs(T(i, j, k)) > (1 + 1e-9) * std::abs(T(at.i, at.j, at.k))) at = {i, j, k};
      }
    }
  }
  return at;
}

FrameTransport::FrameTransport(const SceneData& scene)
    : model_(scene.control_model),
      geometry_(scene.control_model, scene.closed.get()),
      mj_(*scene.mj),
      data_(mj_makeData(&mj_)),
      tracked_(FindTrackedPoint(mj_)) {
  CIVITA_CHECK(data_ != nullptr, "MuJoCo could not make data");
}

void FrameTransport::Follow(const Traces& traces, const Factorization& factorization,
                            double budget_s, Slot slot) {
  const auto start = std::chrono::steady_clock::now();
  const TraceBuffer& buffer = traces.buffer();
  std::string form = ToString(factorization);
  if (form != form_ || slot != slot_ || traces.epoch() != epoch_ || row_ < buffer.begin_index()) {
    form_ = std::move(form);
    factorization_ = factorization;
    slot_ = slot;
    epoch_ = traces.epoch();
    Begin(traces);
  }
  is_behind_ = false;
  const double half_step = geometry_.size() <= kSmall ? kHalfStep : kLongHalfStep;
  while (row_ >= 0 && stopped_.empty() && row_ + 1 < buffer.end_index()) {
    const double spacing = buffer.time(row_ + 1) - buffer.time(row_);
    const std::int64_t half = std::max(1L, std::lround(half_step / spacing));
    if (row_ + 2 * half >= buffer.end_index()) return;
    Carry({PointAt(traces, row_), PointAt(traces, row_ + half), PointAt(traces, row_ + 2 * half)});
    row_ += 2 * half;
    is_behind_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > budget_s;
    if (is_behind_) return;
  }
}

double FrameTransport::newest_angle() const {
  if (angle_.empty()) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(angle_.value(angle_.end_index() - 1, 0));
}

void FrameTransport::Begin(const Traces& traces) {
  angle_.Clear();
  marks_.clear();
  stopped_.clear();
  row_ = -1;
  if (traces.buffer().empty()) return;
  row_ = traces.buffer().begin_index();
  const Point first = PointAt(traces, row_);
  start_t_ = t_ = first.t;
  const int n = geometry_.size();
  Eigen::MatrixXd H = Eigen::MatrixXd::Constant(n, n, std::numeric_limits<double>::quiet_NaN());
  if (geometry_.UpdateSelected(first.q, first.v)) geometry_.CalcMassMatrix(H);
  carried_ = internal::OrthonormalFrame(H);
  torsion_free_ = carried_;
  AppendAngle();
  AppendMark(first);
}

FrameTransport::Point FrameTransport::PointAt(const Traces& traces, std::int64_t row) const {
  Point point{traces.buffer().time(row), traces.Read(row, slot_, "/q", model_.nq()),
              Eigen::VectorXd(geometry_.size())};
  geometry_.Select(traces.Read(row, slot_, "/v", model_.nv()), point.v);
  return point;
}

void FrameTransport::Carry(const std::array<Point, 3>& points) {
  const double t = points[0].t, dt = points[2].t - t;
  if (std::abs(points[1].t - t - dt / 2) > 0.01 * dt) {
    stopped_ = "At " + Fixed(t, 2) + " s rows of the record are missing";
    return;
  }
  if (!points[2].q.allFinite()) {
    stopped_ = "The run stopped at " + Fixed(t, 2) + " s";
    return;
  }
  // Runge and Kutta's steps need the beginning, the middle and the end, which are rows.
  const CurveFunction curve = [&](double at, Eigen::VectorXd& q, Eigen::VectorXd& v) {
    const Point& point = points[static_cast<std::size_t>(std::lround(2 * (at - t) / dt))];
    q = point.q;
    v = point.v;
  };
  const Factorization torsion_free;
  const TimeStep step = {.t = t, .dt = dt};
  // AppendAngle tells where H is singular.
  (void)StepTransport(ConnectionIn(&geometry_, torsion_free), curve, step, torsion_free_);
  (void)StepTransport(ConnectionIn(&geometry_, factorization_), curve, step, carried_);
  t_ = points[2].t;
  if (t_ > angle_.last_time() + kAnglePeriod - dt / 2) AppendAngle();
  AppendMark(points[2]);
}

void FrameTransport::AppendAngle() {
  if (!carried_.allFinite() || !torsion_free_.allFinite()) {
    stopped_ = "At " + Fixed(t_, 2) + " s H is singular or not finite";
    return;
  }
  const std::vector<double> angles = RotationAngles(internal::SolveSquare(torsion_free_, carried_));
  const float angle = angles.empty() ? 0.0f : static_cast<float>(angles.front());
  angle_.Append(t_, {&angle, 1});
}

void FrameTransport::AppendMark(const Point& point) {
  if (!stopped_.empty() || !geometry_.UpdateSelected(point.q, point.v)) return;
  std::copy(point.q.begin(), point.q.end(), data_->qpos);
  mj_kinematics(&mj_, data_.get());
  mj_comPos(&mj_, data_.get());
  const mjtNum* at =
      tracked_.site >= 0 ? data_->site_xpos + 3 * tracked_.site : data_->xpos + 3 * tracked_.body;
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> J(3, mj_.nv);
  mj_jac(&mj_, data_.get(), J.data(), nullptr, at, tracked_.body);
  Eigen::MatrixXd v(mj_.nv, geometry_.size());
  FrameMark mark{point.t, {at[0], at[1], at[2]}, {}, {}};
  geometry_.CalcTreeVelocities(torsion_free_, v);
  mark.torsion_free = J * v;
  geometry_.CalcTreeVelocities(carried_, v);
  mark.carried = J * v;
  // The newest one moves with the robot until it is a period away from the one before.
  const std::size_t n = marks_.size();
  if (n >= 2 && marks_[n - 1].t - marks_[n - 2].t < kMarkPeriod * (1 - 1e-6)) marks_.pop_back();
  marks_.push_back(std::move(mark));
  if (marks_.size() > kMostMarks) marks_.pop_front();
}

}  // namespace civita
