// civita_peer_pinocchio SECONDS MODEL…: times Pinocchio and civita on the mechanisms of
// app/verbs/bench/bench_models.h and prints a line of JSON for each quantity (see
// app/verbs/bench/peer.h). `civita bench --peer` runs it.

#include <Eigen/Geometry>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <string>
#include <vector>

#include "app/verbs/bench/peer.h"

namespace civita {
namespace {

namespace pin = pinocchio;

/// The mechanism with every hinge about the z axis of its body's frame, Pinocchio's fastest joint.
pin::Model BuildPinocchio(const BenchModel& of) {
  pin::Model model;
  std::vector<Eigen::Matrix3d> turned;  // R_BZ
  for (std::size_t b = 0; b < of.bodies.size(); ++b) {
    const BenchBody& body = of.bodies[b];
    Eigen::Matrix3d R_BZ = Eigen::Matrix3d::Identity();
    if (!body.free) {
      R_BZ = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), body.axis);
    }
    Eigen::Matrix3d R_PB = body.X_PB.R * R_BZ;
    Eigen::Vector3d p_PB = body.X_PB.p;
    if (body.parent >= 0) {
      const Eigen::Matrix3d& R_PZ = turned[static_cast<std::size_t>(body.parent)];
      R_PB = R_PZ.transpose() * R_PB;
      p_PB = R_PZ.transpose() * p_PB;
    }
    const std::string name = "joint" + std::to_string(b);
    const auto parent = static_cast<pin::JointIndex>(body.parent + 1);
    // A free joint's q is the pose itself.
    const pin::JointIndex joint =
        body.free ? model.addJoint(parent, pin::JointModelFreeFlyer(), pin::SE3::Identity(), name)
                  : model.addJoint(parent, pin::JointModelRZ(), pin::SE3(R_PB, p_PB), name);
    const Eigen::Matrix3d inertia = R_BZ.transpose() * body.mass.inertia * R_BZ;
    model.appendBodyToJoint(joint,
                            pin::Inertia(body.mass.mass, R_BZ.transpose() * body.mass.com, inertia),
                            pin::SE3::Identity());
    turned.push_back(R_BZ);
  }
  return model;
}

/// One mechanism in both libraries. In Pinocchio both velocities of a free joint are in body axes:
/// our velocities are v = A(q) w.
class Peer {
 public:
  Peer(const BenchModel& of, double seconds)
      : ours_(of, seconds),
        model_(BuildPinocchio(of)),
        data_(model_),
        floating_(of.bodies.front().free),
        states_(ours_.states()) {
    for (State& y : states_) {
      if (!floating_) continue;
      const State x = y;
      const Eigen::Quaterniond base = BaseAt(x);
      y.q.segment<4>(3) = base.coeffs();  // x y z w
      y.v.head<3>() = base.conjugate() * x.v.head<3>();
      y.vdot = FrameAt(x).transpose() * (x.vdot - FrameRateAt(x) * y.v);
    }
    for (Tensor* each : {&dqdq_, &dvdv_, &dqdv_, &dadq_}) {
      *each = Tensor(model_.nv, model_.nv, model_.nv);
      each->setZero();
    }
  }

  void Run() {
    CompareCoriolis();
    CompareChristoffel();
    CompareInverseDynamics();
    CompareMassMatrix();
    CompareForwardDynamics();
    CompareDerivatives();
  }

 private:
  using State = PeerBench::State;
  using Tensor = pin::Data::Tensor3x;

  static Eigen::Quaterniond BaseAt(const State& x) {
    return Eigen::Quaterniond(x.q[3], x.q[4], x.q[5], x.q[6]).normalized();
  }
  Eigen::MatrixXd FrameAt(const State& x) const {
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(x.v.size(), x.v.size());
    if (floating_) A.topLeftCorner<3, 3>() = BaseAt(x).toRotationMatrix();
    return A;
  }
  Eigen::MatrixXd FrameRateAt(const State& x) const {
    Eigen::MatrixXd Adot = Eigen::MatrixXd::Zero(x.v.size(), x.v.size());
    if (!floating_) return Adot;
    const Eigen::Matrix3d R = BaseAt(x).toRotationMatrix();
    for (int k = 0; k < 3; ++k) {
      Adot.block<3, 1>(0, k) = R * x.v.segment<3>(3).cross(Eigen::Vector3d::Unit(k));
    }
    return Adot;
  }

  /// Our results at the present state, in Pinocchio's coordinates (except Γ).
  PeerBench::Numbers Expected() {
    const State& x = ours_.states()[at_];
    const Eigen::MatrixXd A = FrameAt(x), Adot = FrameRateAt(x), At = A.transpose();
    PeerBench::Numbers n = ours_.NumbersAt(x);
    n.C = (At * (n.C * A + n.H * Adot)).eval();
    n.bias = (At * (n.bias + n.H * Adot * Now().v)).eval();
    n.tau = (At * n.tau).eval();
    n.H = (At * n.H * A).eval();
    n.dtau_dq = (At * n.dtau_dq).eval();
    return n;
  }

  const State& Now() const { return states_[at_]; }
  void Time(const char* quantity, const char* call, double error,
            const std::function<void(const State&)>& run) {
    const PeerResult result = ours_.Time(quantity, "pinocchio", call, error, [&] {
      at_ = (at_ + 1) % states_.size();
      run(Now());
    });
    std::printf("%s\n", ToJsonLine(result).c_str());
    std::fflush(stdout);
  }

  /// computeCoriolisMatrix is the Christoffel-consistent C, also for a floating base. It is timed
  /// without H.
  void CompareCoriolis() {
    const auto call = [&](const State& y) { pin::computeCoriolisMatrix(model_, data_, y.q, y.v); };
    call(Now());
    Time("C+H", "computeCoriolisMatrix (C alone)", PeerError(Expected().C, data_.C), call);
  }

  /// ½ ∂²τ/∂v² is Γ for a fixed base, and for a floating one its symmetric part, whose C v is
  /// compared. The call computes three more tensors of that size.
  void CompareChristoffel() {
    const auto call = [&](const State& y) {
      pin::ComputeRNEASecondOrderDerivatives(model_, data_, y.q, y.v, y.vdot, dqdq_, dvdv_, dqdv_,
                                             dadq_);
    };
    for (int twice = 0; twice < 2; ++twice) call(Now());  // it needs zeros only the first time
    const Eigen::Index nv = model_.nv;
    const Eigen::Map<const Eigen::MatrixXd> dvdv(dvdv_.data(), nv, nv * nv);
    const PeerBench::Numbers expected = Expected();
    double error = 0;
    if (floating_) {
      const Eigen::VectorXd& w = Now().v;
      Eigen::VectorXd Cw = Eigen::VectorXd::Zero(nv);
      for (Eigen::Index k = 0; k < nv; ++k) Cw += 0.5 * w[k] * dvdv.middleCols(k * nv, nv) * w;
      error = PeerError(expected.C * w, Cw);
    } else {
      const Eigen::Map<const Eigen::MatrixXd> Gamma(expected.Gamma.data(), nv, nv * nv);
      error = PeerError(2 * Gamma, dvdv);
    }
    Time("Gamma", "ComputeRNEASecondOrderDerivatives (four tensors)", error, call);
  }

  void CompareInverseDynamics() {
    const auto rnea = [&](const State& y) { pin::rnea(model_, data_, y.q, y.v, y.vdot); };
    rnea(Now());
    Time("RNEA", "rnea", PeerError(Expected().tau, data_.tau), rnea);
    const auto bias = [&](const State& y) { pin::nonLinearEffects(model_, data_, y.q, y.v); };
    bias(Now());
    Time("bias", "nonLinearEffects", PeerError(Expected().bias, data_.nle), bias);
  }

  /// crba writes only the upper half.
  void CompareMassMatrix() {
    const auto call = [&](const State& y) {
      pin::crba(model_, data_, y.q, pin::Convention::WORLD);
    };
    call(Now());
    const Eigen::MatrixXd H = data_.M.selfadjointView<Eigen::Upper>();
    Time("H", "crba", PeerError(Expected().H, H), call);
  }

  /// The state's vdot serves as τ in the coordinates of both: any force will do.
  void CompareForwardDynamics() {
    const auto call = [&](const State& y) {
      pin::aba(model_, data_, y.q, y.v, y.vdot, pin::Convention::WORLD);
    };
    call(Now());
    const PeerBench::Numbers n = Expected();
    Time("forward dynamics", "aba", PeerError(n.H * data_.ddq + n.bias, Now().vdot), call);
  }

  /// Only the hinges' columns are compared, since they leave the base's coordinates constant.
  void CompareDerivatives() {
    const auto call = [&](const State& y) {
      pin::computeRNEADerivatives(model_, data_, y.q, y.v, y.vdot);
    };
    call(Now());
    const int hinges = floating_ ? model_.nv - 6 : model_.nv;
    const double error =
        PeerError(Expected().dtau_dq.rightCols(hinges), data_.dtau_dq.rightCols(hinges));
    Time("RNEA derivatives", "computeRNEADerivatives", error, call);
  }

  PeerBench ours_;
  pin::Model model_;
  pin::Data data_;
  bool floating_;
  std::vector<State> states_;  ///< ours, in Pinocchio's coordinates
  std::size_t at_ = 0;
  Tensor dqdq_, dvdv_, dqdv_, dadq_;
};

}  // namespace
}  // namespace civita

int main(int argc, char** argv) {
  try {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 0.1;
    for (int i = 2; i < argc; ++i) {
      civita::Peer(civita::MakeBenchModel(argv[i]).value(), seconds).Run();
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "civita_peer_pinocchio: %s\n", error.what());
    return 1;
  }
  return 0;
}
