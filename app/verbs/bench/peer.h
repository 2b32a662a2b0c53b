#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/measure.h"

// Other libraries' times beside ours, on the same mechanism and the same states: first the numbers
// are compared, then both are timed in turn.

namespace civita {

/// One quantity of one model.
struct PeerResult {
  std::string model, quantity;
  std::string peer;         ///< "pinocchio"
  std::string call;         ///< what was called: "computeCoriolisMatrix"
  CallTimes times, civita;  ///< s
  double error = 0;         ///< of the numbers: largest difference over largest entry

  double ratio() const { return times.min / civita.min; }
};

/// Above it the two do not compute the same thing, and no times are taken.
constexpr double kPeerTolerance = 1e-9;
/// @throws std::runtime_error if the error is above it.
void CheckAgreement(const PeerResult& result);

/// Largest |a − b| over largest |b|.
template <typename A, typename B>
double PeerError(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  if (!a.allFinite() || !b.allFinite()) return HUGE_VAL;
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

/// One line of JSON, and back.
std::string ToJsonLine(const PeerResult& result);
PeerResult ParsePeerResult(std::string_view line);

/// Our side of a comparison. Shows nothing of core's algorithms, so that files that call other
/// libraries need not see them.
class PeerBench {
 public:
  PeerBench(const BenchModel& model, double seconds);
  ~PeerBench();

  struct State {
    Eigen::VectorXd q, v, vdot;
  };
  /// Those that our calls take, one after the other.
  const std::vector<State>& states() const;

  /// Our numbers at one of them.
  struct Numbers {
    Eigen::MatrixXd C, H, dtau_dq;
    Eigen::VectorXd bias, tau;
    std::vector<double> Gamma;  ///< dense
  };
  Numbers NumbersAt(const State& state);

  /// `call` takes the state after the one before; ours is the one of BenchQuantities(). `error` is
  /// that of the numbers. @throws as CheckAgreement.
  PeerResult Time(const std::string& quantity, const std::string& peer,
                  const std::string& call_name, double error, const std::function<void()>& call);

 private:
  struct Ours;
  std::unique_ptr<Ours> ours_;
  std::string name_;
  double seconds_;
};

}  // namespace civita
