#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/measure.h"

// Other libraries' times against ours, on the same mechanism and states: first the numbers are
// compared, then both are timed in alternation.

namespace civita {

/// Result of one quantity of one model.
struct PeerResult {
  std::string model, quantity;
  std::string peer;         ///< "pinocchio"
  std::string call;         ///< what was called: "computeCoriolisMatrix"
  std::string code = {};    ///< what it was compiled for: "x86-64-v3"; empty: as it is installed
  CallTimes times, civita;  ///< s
  double error = 0;         ///< of the numbers: maximum difference over maximum entry

  double ratio() const { return times.min / civita.min; }
};

/// Maximum error; above it the two do not compute the same quantity and are not timed.
constexpr double kPeerTolerance = 1e-9;
/// @throws std::runtime_error if the error is above it.
void CheckAgreement(const PeerResult& result);

/// max |a − b| / max |b|.
template <typename A, typename B>
double PeerError(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  if (!a.allFinite() || !b.allFinite()) return HUGE_VAL;
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

/// The result as one line of JSON, and its inverse.
std::string ToJsonLine(const PeerResult& result);
PeerResult ParsePeerResult(std::string_view line);

/// Our side of a comparison. Its header does not expose core's algorithms, so that files which
/// call other libraries need not include them.
class PeerBench {
 public:
  PeerBench(const BenchModel& model, double seconds);
  ~PeerBench();

  struct State {
    Eigen::VectorXd q, v, vdot;
  };
  /// The states that our calls take, in order.
  const std::vector<State>& states() const;
  const Model& model() const;

  /// Our numbers at one of the states.
  struct Numbers {
    Eigen::MatrixXd C, H, H_inverse, dtau_dq, dvdot_dq;
    /// 6 × nv, [angular; linear] in world axes
    Eigen::MatrixXd J, Jdot, A_G, A_Gdot, dhdot_dq;
    Eigen::MatrixXd J_c;                      ///< of the centre of mass, 3 × nv
    Eigen::VectorXd bias, tau, vdot, Y_pi;    ///< vdot of tau; Y π is tau by the regressor
    Eigen::VectorXd acceleration;             ///< of BenchPoint, as J; spatial
    Eigen::VectorXd vdot_held, v_after;       ///< empty where J of the point has no full rank
    Eigen::VectorXd vdot_on_feet, v_on_feet;  ///< of the feet, likewise; empty without feet, too
    std::vector<double> Gamma;                ///< dense
  };
  Numbers NumbersAt(const State& state);

  /// Times a peer's `call`, which takes the next state each time, against our BenchQuantity.
  /// `error` is that of the numbers. @throws as CheckAgreement.
  PeerResult Time(const std::string& quantity, const std::string& peer,
                  const std::string& call_name, double error, const std::function<void()>& call);

 private:
  struct Ours;
  std::unique_ptr<Ours> ours_;
  std::string name_;
  double seconds_;
};

}  // namespace civita
