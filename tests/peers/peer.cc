#include "tests/peers/peer.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/verbs/bench/bench_quantities.h"
#include "civita/centroidal.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/forward_dynamics.h"
#include "civita/frame_motion.h"
#include "civita/regressor.h"
#include "civita/rnea.h"

namespace civita {

void CheckAgreement(const PeerResult& result) {
  if (result.error <= kPeerTolerance) return;
  throw std::runtime_error(result.model + ", " + result.quantity + ": " + result.peer + "'s " +
                           result.call + " gives other numbers, relative error " +
                           std::to_string(result.error));
}

std::string ToJsonLine(const PeerResult& result) {
  const auto times = [](const CallTimes& t) {
    return nlohmann::ordered_json{{"min", t.min}, {"median", t.median}, {"p99", t.p99}};
  };
  return nlohmann::ordered_json{{"model", result.model},        {"quantity", result.quantity},
                                {"peer", result.peer},          {"call", result.call},
                                {"code", result.code},          {"error", result.error},
                                {"times", times(result.times)}, {"civita", times(result.civita)}}
      .dump();
}

PeerResult ParsePeerResult(std::string_view line) {
  const nlohmann::json json = nlohmann::json::parse(line);
  const auto times = [&](const char* key) {
    const nlohmann::json& t = json.at(key);
    return CallTimes{t.at("min"), t.at("median"), t.at("p99")};
  };
  return {.model = json.at("model"),
          .quantity = json.at("quantity"),
          .peer = json.at("peer"),
          .call = json.at("call"),
          .code = json.at("code"),
          .times = times("times"),
          .civita = times("civita"),
          .error = json.at("error")};
}

struct PeerBench::Ours {
  explicit Ours(const BenchModel& of) : model(Build(of)), task(model) {
    for (const BenchState<double>& x : task.ring) states.push_back({x.q, x.v, x.vdot});
  }

  Model model;
  BenchTask<double> task;
  std::vector<State> states;
};

PeerBench::PeerBench(const BenchModel& model, double seconds)
    : ours_(std::make_unique<Ours>(model)), name_(model.name), seconds_(seconds) {}
PeerBench::~PeerBench() = default;

const std::vector<PeerBench::State>& PeerBench::states() const { return ours_->states; }

PeerBench::Numbers PeerBench::NumbersAt(const State& state) {
  const Model& model = ours_->model;
  Workspace<double>& workspace = ours_->task.workspace;
  const int nv = model.nv();
  Eigen::MatrixXd square(nv, nv), six_rows(6, nv);
  Numbers numbers;
  for (Eigen::MatrixXd* each : {&numbers.C, &numbers.H, &numbers.dtau_dq, &numbers.dvdot_dq}) {
    *each = square;
  }
  for (Eigen::MatrixXd* each :
       {&numbers.J, &numbers.Jdot, &numbers.A_G, &numbers.A_Gdot, &numbers.dhdot_dq}) {
    *each = six_rows;
  }
  for (Eigen::VectorXd* each : {&numbers.bias, &numbers.tau, &numbers.vdot, &numbers.Y_pi}) {
    each->resize(nv);
  }
  numbers.Gamma.resize(ChristoffelIndex(nv, 0, 0, nv));
  Eigen::MatrixXd by_v = square, dhdot_dv = six_rows;
  UpdateKinematics(model, state.q, state.v, workspace);
  CalcCoriolisMatrix(model, {}, workspace, {.C = numbers.C, .H = numbers.H});
  CalcBiasForces(model, workspace, numbers.bias);
  CalcInverseDynamics(model, state.vdot, workspace, numbers.tau);
  CalcChristoffelSymbols(model, workspace, numbers.Gamma);
  CalcInverseDynamicsDerivatives(model, state.vdot, workspace, numbers.dtau_dq, by_v, square);
  CalcForwardDynamics(model, numbers.tau, workspace, numbers.vdot);
  (void)CalcForwardDynamicsDerivatives(model, numbers.vdot, workspace, ours_->task.factor,
                                       numbers.dvdot_dq, by_v, square);
  numbers.H_inverse = square;
  ours_->task.factor.CalcInverse(numbers.H_inverse);
  const std::vector<Model::NamedFrame>& frames = ours_->task.frames;
  const Eigen::VectorXd pi = CalcModelParameters(model, frames);
  Eigen::MatrixXd Y(nv, pi.size());
  CalcRegressor(model, {}, frames, state.v, state.vdot, workspace, Y, numbers.Y_pi);
  numbers.Y_pi += Y * pi;
  const Model::NamedFrame& frame = ours_->task.last;
  const Eigen::Vector3d point = BenchPoint();
  CalcFrameJacobian(model, {frame, point}, workspace, numbers.J);
  CalcFrameJacobianDerivative(model, {frame, point}, workspace, numbers.Jdot);
  numbers.acceleration = CalcFrameAcceleration(
      model, {frame, point}, ReferenceFrame::kLocalWorldAligned, state.vdot, workspace);
  CalcCentroidalMomentumRateDerivatives(model, state.vdot, workspace, numbers.dhdot_dq, dhdot_dv,
                                        numbers.A_G);
  CalcCentroidalMomentumMatrixDerivative<double>(model, workspace, numbers.A_Gdot);
  numbers.J_c.resize(3, nv);
  CalcCenterOfMassJacobian<double>(model, workspace, numbers.J_c);
  const auto hold = [&](ConstrainedDynamics& held, Eigen::VectorXd& vdot, Eigen::VectorXd& after) {
    if (held.Update(workspace) != Status::kOk || held.rank() != held.num_rows()) return;
    vdot.resize(nv);
    after.resize(nv);
    Eigen::VectorXd lambda(held.num_rows());
    (void)held.CalcForwardDynamics(numbers.tau, workspace, vdot, lambda);
    (void)held.CalcImpulse(state.v, 0, after, lambda);
  };
  hold(*ours_->task.Point().dynamics, numbers.vdot_held, numbers.v_after);
  if (!FindFeet(model).empty()) {
    hold(*ours_->task.Feet().dynamics, numbers.vdot_on_feet, numbers.v_on_feet);
  }
  return numbers;
}

const Model& PeerBench::model() const { return ours_->model; }

PeerResult PeerBench::Time(const std::string& quantity, const std::string& peer,
                           const std::string& call_name, double error,
                           const std::function<void()>& call) {
  PeerResult result;
  result.model = name_;
  result.quantity = quantity;
  result.peer = peer;
  result.call = call_name;
  result.error = error;
  CheckAgreement(result);
  const BenchQuantity<double>& what = FindBenchQuantity(quantity);
  const auto times = TimeInTurn(
      seconds_, [&] { what.Run(ours_->task); }, call);
  result.civita = times[0];
  result.times = times[1];
  return result;
}

}  // namespace civita
