#include "civita/dual.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "core/dynamics/internal/coordinate_frames.h"

namespace civita::internal {
namespace {

/// A frame that moves with dual numbers.
template <template <typename> class Frame>
struct MovingFrame {
  explicit MovingFrame(const Frame<double>& of)
      : frame(of), workspace(of.model), q(of.model.nq()), v(of.model.nv()) {}

  /// A and Ȧ at q ⊕ ε `direction`, along the velocity of a w without ε.
  Status Update(VectorIn<double> q_at, VectorIn<double> direction, VectorIn<double> w,
                VelocityMap<Dual>& map) {
    IntegratePosition<Dual>(frame.model, q_at.cast<Dual>(), direction.cast<Dual>(), Dual(0, 1), q);
    v.setZero();
    UpdateKinematics<Dual>(frame.model, q, v, workspace);
    if (const Status status = frame.Update(workspace, map); !status) return status;
    v = map.A * w.cast<Dual>();
    UpdateKinematics<Dual>(frame.model, q, v, workspace);
    return frame.Update(workspace, map);
  }

  Frame<Dual> frame;
  Workspace<Dual> workspace;
  VectorX<Dual> q, v;
};

}  // namespace

template <template <typename> class Frame>
Coordinates::Rates DualRates(const Frame<double>& frame) {
  return [frame](VectorIn<double> q, VectorIn<double> w, VectorIn<double> x,
                 MatrixOut<double> rates) -> Status {
    MovingFrame<Frame> moving(frame);
    VelocityMap<Dual> map(frame.model.nv(), static_cast<int>(w.size()));
    Status status = moving.Update(q, Eigen::VectorXd::Zero(frame.model.nv()), w, map);
    const Eigen::MatrixXd A = Values(map.A);
    const VectorX<Dual> x_dual = x.cast<Dual>();
    for (Eigen::Index b = 0; b < A.cols() && status; ++b) {
      status = moving.Update(q, A.col(b), w, map);
      rates.col(b) = Derivatives(map.Adot * x_dual);
    }
    return status;
  };
}

template Coordinates::Rates DualRates(const BodyTwistFrame<double>&);
template Coordinates::Rates DualRates(const ComFrame<double>&);
template Coordinates::Rates DualRates(const TaskFrame<double>&);
template Coordinates::Rates DualRates(const MassOrthonormalFrame<double>&);

}  // namespace civita::internal
