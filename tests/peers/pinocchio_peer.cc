// civita_peer_pinocchio_… SECONDS QUANTITIES MODEL…: times Pinocchio and civita on the mechanisms
// of app/verbs/bench/bench_models.h and prints a line of JSON for each of the QUANTITIES, names
// with commas between, or for all if it is empty (see tests/peers/peer.h).
// civita_peers runs it, once beside each library of pinocchio_calls.h.

#include <Eigen/Geometry>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/peers/peer.h"
#include "tests/peers/pinocchio_calls.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

using Mechanism = std::unique_ptr<PinocchioMechanism, void (*)(PinocchioMechanism*)>;

Mechanism MakeMechanism(const BenchModel& of, const std::vector<int>& feet) {
  std::vector<PinocchioBody> bodies;
  for (const BenchBody& body : of.bodies) {
    PinocchioBody& theirs = bodies.emplace_back();
    theirs.parent = body.parent;
    theirs.free = body.free;
    theirs.mass = body.mass.mass;
    Eigen::Matrix3d::Map(theirs.R_PB.data()) = body.X_PB.R;
    Eigen::Matrix3d::Map(theirs.inertia.data()) = body.mass.inertia;
    Eigen::Vector3d::Map(theirs.p_PB.data()) = body.X_PB.p;
    Eigen::Vector3d::Map(theirs.axis.data()) = body.axis;
    Eigen::Vector3d::Map(theirs.com.data()) = body.mass.com;
  }
  const Eigen::Vector3d point = BenchPoint();
  return {MakePinocchioMechanism(bodies, {point[0], point[1], point[2]}, feet), &Delete};
}

/// One mechanism in both libraries. In Pinocchio both velocities of a free joint are in body axes:
/// our velocities are v = A(q) w.
class Peer {
 public:
  Peer(const BenchModel& of, double seconds)
      : ours_(of, seconds),
        theirs_(MakeMechanism(of, FindFeet(ours_.model()))),
        floating_(of.bodies.front().free),
        own_(ours_.states()) {
    own_.push_back(own_.front());
    own_.back().v.setZero();
    states_ = own_;
    for (State& y : states_) {
      const State x = y;
      if (floating_) {
        const Eigen::Quaterniond base = BaseAt(x);
        y.q.segment<4>(3) = base.coeffs();  // x y z w
        y.v.head<3>() = base.conjugate() * x.v.head<3>();
        y.vdot = FrameAt(x).transpose() * (x.vdot - FrameRateAt(x) * y.v);
      }
      // The force of the state's acceleration.
      const VectorXd tau = FrameAt(x).transpose() * ours_.NumbersAt(x).tau;
      AddState(*theirs_, y.q.data(), y.v.data(), y.vdot.data(), tau.data());
    }
  }

  void Run(std::string_view quantities) {
    for (const PinocchioCall& call : PinocchioCalls()) {
      if (quantities.empty() || IsAmong(call.quantity, quantities)) Time(call);
    }
  }

 private:
  using State = PeerBench::State;
  using Numbers = PeerBench::Numbers;

  static bool IsAmong(std::string_view name, std::string_view names) {
    const std::string all = "," + std::string(names) + ",";
    return all.find("," + std::string(name) + ",") != all.npos;
  }

  static Eigen::Quaterniond BaseAt(const State& x) {
    return Eigen::Quaterniond(x.q[3], x.q[4], x.q[5], x.q[6]).normalized();
  }
  MatrixXd FrameAt(const State& x) const {
    MatrixXd A = MatrixXd::Identity(x.v.size(), x.v.size());
    if (floating_) A.topLeftCorner<3, 3>() = BaseAt(x).toRotationMatrix();
    return A;
  }
  MatrixXd FrameRateAt(const State& x) const {
    MatrixXd Adot = MatrixXd::Zero(x.v.size(), x.v.size());
    if (!floating_) return Adot;
    const Eigen::Matrix3d R = BaseAt(x).toRotationMatrix();
    for (int k = 0; k < 3; ++k) {
      Adot.block<3, 1>(0, k) = R * x.v.segment<3>(3).cross(Eigen::Vector3d::Unit(k));
    }
    return Adot;
  }

  /// Our results at the present state, in Pinocchio's coordinates (except Γ).
  Numbers Expected() {
    const State& x = own_[at_];
    const MatrixXd A = FrameAt(x), Adot = FrameRateAt(x), At = A.transpose();
    const VectorXd& v = states_[at_].v;
    Numbers n = ours_.NumbersAt(x);
    n.C = (At * (n.C * A + n.H * Adot)).eval();
    n.bias = (At * (n.bias + n.H * Adot * v)).eval();
    n.tau = (At * n.tau).eval();
    n.H = (At * n.H * A).eval();
    n.H_inverse = (At * n.H_inverse * A).eval();  // A is a rotation
    n.dtau_dq = (At * n.dtau_dq).eval();
    n.Y_pi = (At * n.Y_pi).eval();
    n.vdot = (At * (n.vdot - Adot * v)).eval();
    n.dvdot_dq = (At * n.dvdot_dq).eval();
    n.Jdot = (n.Jdot * A + n.J * Adot).eval();
    n.J = (n.J * A).eval();
    n.A_Gdot = (n.A_Gdot * A + n.A_G * Adot).eval();
    n.A_G = (n.A_G * A).eval();
    n.J_c = (n.J_c * A).eval();
    for (VectorXd* vdot : {&n.vdot_held, &n.vdot_on_feet}) {
      if (vdot->size() > 0) *vdot = (At * (*vdot - Adot * v)).eval();
    }
    for (VectorXd* after : {&n.v_after, &n.v_on_feet}) {
      if (after->size() > 0) *after = (At * *after).eval();
    }
    return n;
  }

  /// Of the numbers of a call at the present state.
  double Error(std::string_view quantity, const std::vector<double>& numbers) {
    const Numbers ours = Expected();
    const Eigen::Index n = ours.tau.size(), hinges = floating_ ? n - 6 : n;
    const auto theirs = [&numbers](Eigen::Index columns) {
      const auto size = static_cast<Eigen::Index>(numbers.size());
      return MatrixXd(Eigen::Map<const MatrixXd>(numbers.data(), size / columns, columns));
    };
    const auto same = [&](const MatrixXd& own) { return PeerError(own, theirs(own.cols())); };
    // Of derivatives by q only the hinges' columns are compared, since they leave the base's
    // coordinates constant.
    const auto same_by_hinges = [&](const MatrixXd& own, const MatrixXd& other) {
      return PeerError(own.rightCols(hinges), other.rightCols(hinges));
    };
    // Of accelerations, which H⁻¹ gives rounding errors, what H makes of them is compared.
    const auto same_times_H = [&](const VectorXd& own) {
      return PeerError(ours.H * own, ours.H * theirs(1));
    };
    // computeCoriolisMatrix is the Christoffel-consistent C, also for a floating base.
    if (quantity == "C+H") return same(ours.C);
    if (quantity == "H") return same(ours.H);
    if (quantity == "H inverse") {
      return PeerError(ours.H * ours.H_inverse, ours.H * theirs(n));
    }
    if (quantity == "factor and solve") {  // of their v̇, of which ours differs by Ȧ v
      return PeerError(ours.H * ours.H_inverse * states_[at_].vdot, ours.H * theirs(1));
    }
    if (quantity == "Gamma") return ChristoffelError(ours, theirs(n * n));
    if (quantity == "RNEA") return same(ours.tau);
    if (quantity == "bias") return same(ours.bias);
    if (quantity == "regressor") return same(ours.Y_pi);
    if (quantity == "forward dynamics") return same_times_H(ours.vdot);
    if (quantity == "RNEA derivatives") return same_by_hinges(ours.dtau_dq, theirs(n));
    if (quantity == "forward dynamics derivatives") {
      return same_by_hinges(ours.H * ours.dvdot_dq, ours.H * theirs(n));
    }
    if (quantity == "Jacobian") return same(ours.J);
    if (quantity == "Jacobian rate") return same(ours.Jdot);
    if (quantity == "frame acceleration") return same(ours.acceleration);
    if (quantity == "centroidal matrix") return same(ours.A_G);
    if (quantity == "centroidal rate") return same(ours.A_Gdot);
    if (quantity == "center of mass Jacobian") return same(ours.J_c);
    if (quantity == "centroidal derivatives") return same_by_hinges(ours.dhdot_dq, theirs(n));
    if (quantity == "constrained dynamics") return same_times_H(ours.vdot_held);
    if (quantity == "constrained dynamics of feet") return same_times_H(ours.vdot_on_feet);
    if (quantity.starts_with("impulse")) {  // v⁺ alone is zero where the point has three hinges
      const VectorXd &v = states_[at_].v,
                     &after = quantity == "impulse" ? ours.v_after : ours.v_on_feet;
      return PeerError(ours.H * (after - v), ours.H * (theirs(1) - v));
    }
    throw std::logic_error("nothing to compare with: " + std::string(quantity));
  }

  /// ½ ∂²τ/∂v² is Γ for a fixed base, and for a floating one its symmetric part, whose C v is
  /// compared. The call computes three more tensors of that size.
  double ChristoffelError(const Numbers& ours, const MatrixXd& dvdv) {
    const Eigen::Index nv = dvdv.rows();
    if (!floating_) {
      const Eigen::Map<const MatrixXd> Gamma(ours.Gamma.data(), nv, nv * nv);
      return PeerError(2 * Gamma, dvdv);
    }
    const VectorXd& w = states_[at_].v;
    VectorXd Cw = VectorXd::Zero(nv);
    for (Eigen::Index k = 0; k < nv; ++k) Cw += 0.5 * w[k] * dvdv.middleCols(k * nv, nv) * w;
    return PeerError(ours.C * w, Cw);
  }

  void Time(const PinocchioCall& call) {
    const std::string_view quantity = call.quantity;
    const bool on_feet = quantity.ends_with("feet");
    const bool is_held = on_feet || quantity == "constrained dynamics" || quantity == "impulse";
    // Pinocchio divides by zero where rows of the constraint depend on others.
    const Numbers ours = Expected();
    if (is_held && (on_feet ? ours.vdot_on_feet : ours.vdot_held).size() == 0) return;
    // Where axes are held, too, its acceleration of the point is spatial: ours only at rest.
    const std::size_t num_moving = states_.size() - 1;
    at_ = quantity == "constrained dynamics of feet" ? num_moving : 0;
    // Twice, as what a call leaves must not change the next one's numbers.
    for (int twice = 0; twice < 2; ++twice) call.run(*theirs_, at_);
    const double error = Error(quantity, call.numbers(*theirs_));
    if (error > kPeerTolerance && std::string_view(call.name) == "contactABA") {
      std::fprintf(stderr, "contactABA is left out: error %g\n", error);  // it iterates
      return;
    }
    PeerResult result = ours_.Time(call.quantity, "pinocchio", call.name, error, [&] {
      at_ = (at_ + 1) % num_moving;
      call.run(*theirs_, at_);
    });
    result.code = PinocchioCode();
    std::printf("%s\n", ToJsonLine(result).c_str());
    std::fflush(stdout);
  }

  PeerBench ours_;
  Mechanism theirs_;
  bool floating_;
  std::vector<State> own_;     ///< those that our calls take, and at last one at rest
  std::vector<State> states_;  ///< the same in Pinocchio's coordinates
  std::size_t at_ = 0;
};

}  // namespace
}  // namespace civita

int main(int argc, char** argv) {
  try {
    for (int i = 3; i < argc; ++i) {
      civita::Peer(civita::MakeBenchModel(argv[i]).value(), std::atof(argv[1])).Run(argv[2]);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "civita_peer_pinocchio: %s\n", error.what());
    return 1;
  }
  return 0;
}
