#include "tests/oracles/mujoco/closed_chain.h"

#include <map>
#include <stdexcept>

#include "civita/manifold.h"
#include "civita/mujoco/constraints.h"
#include "civita/mujoco/convert.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/random_model.h"

namespace civita {
namespace {

/// Crank, rod on ball joints, slider: a spatial loop with quasi-velocities. Two degrees of
/// freedom, as the rod may spin.
constexpr char kSpatialSlider[] = R"(
<mujoco><worldbody>
  <body name="base"><joint name="yaw" axis="0 0.2 1"/>
    <inertial mass="1" pos="0.1 0 0" diaginertia="0.1 0.1 0.1"/>
    <body name="crank" pos="0 0 0.2"><joint name="crank" axis="0 1 0.1"/>
      <inertial mass="0.5" pos="0.1 0.01 0" diaginertia="0.001 0.003 0.002"/>
      <body name="rod" pos="0.2 0 0"><joint name="ball" type="ball" armature="0.002"/>
        <inertial mass="0.4" pos="0.2 0.02 0.01" fullinertia="0.002 0.004 0.003 2e-4 1e-4 3e-4"/>
        <body name="tip" pos="0.5 0.1 0.1"><joint name="extra" axis="0.3 1 0"/>
          <inertial mass="0.1" pos="0.05 0 0" diaginertia="0.0002 0.0003 0.0004"/></body>
      </body>
    </body>
    <body name="slider" pos="0.7 0.1 0.3"><joint name="slide" type="slide" axis="1 0.2 -0.1"/>
      <inertial mass="0.3" pos="0 0 0.02" diaginertia="0.001 0.001 0.001"/></body>
  </body>
</worldbody>
<equality><connect name="pin" body1="rod" body2="slider" anchor="0.5 0.1 0.1"/></equality></mujoco>)";

/// A chain of seven hinges whose end is welded to the floor: one degree of freedom.
constexpr char kWeldedRing[] = R"(
<mujoco><worldbody>
  <body name="l1" pos="0 0 0.1"><joint name="j1" axis="0 0 1"/>
   <inertial mass="1" pos="0.05 0 0.1" diaginertia="0.01 0.02 0.015"/>
   <body name="l2" pos="0.1 0 0.2"><joint name="j2" axis="0 1 0"/>
    <inertial mass="0.9" pos="0.1 0.02 0" diaginertia="0.01 0.012 0.011"/>
    <body name="l3" pos="0.3 0.05 0"><joint name="j3" axis="1 0.2 0"/>
     <inertial mass="0.8" pos="0.1 0 0.03" diaginertia="0.008 0.007 0.009"/>
     <body name="l4" pos="0.2 0 0.1"><joint name="j4" axis="0.1 1 0.3"/>
      <inertial mass="0.7" pos="0 0.1 0.02" diaginertia="0.006 0.005 0.004"/>
      <body name="l5" pos="0 0.25 0"><joint name="j5" axis="0 0.2 1"/>
       <inertial mass="0.6" pos="-0.1 0 0" diaginertia="0.004 0.003 0.005"/>
       <body name="l6" pos="-0.2 0.1 0"><joint name="j6" axis="1 0 0.4"/>
        <inertial mass="0.5" pos="0 0.05 0" diaginertia="0.003 0.004 0.002"/>
        <body name="l7" pos="-0.2 0 0.1"><joint name="j7" axis="0.3 0.5 1"/>
         <inertial mass="0.4" pos="0 0 0.05" diaginertia="0.002 0.003 0.001"/>
        </body></body></body></body></body></body></body>
</worldbody>
<equality><weld name="foot" body1="l7"/></equality></mujoco>)";

/// A planar four-bar whose coupler is a free body on two pins, and a planar loop attached to it:
/// two disjoint clusters, one below the other.
constexpr char kFreeCoupler[] = R"(
<mujoco><worldbody>
  <body name="crank" pos="0 0 1"><joint name="crank" axis="0 1 0" armature="0.01"/>
    <inertial mass="0.5" pos="0.1 0 0" diaginertia="0.001 0.003 0.002"/></body>
  <body name="rocker" pos="0.5 0 1"><joint name="rocker" axis="0 1 0"/>
    <inertial mass="0.6" pos="0 0 0.15" diaginertia="0.004 0.003 0.002"/></body>
  <body name="coupler" pos="0.2 0 1"><freejoint name="coupler"/>
    <inertial mass="0.7" pos="0.15 0.01 0.2" diaginertia="0.005 0.007 0.004"/>
    <body name="a" pos="0.1 0 0.2"><joint name="a" axis="0 1 0.5"/>
      <inertial mass="0.2" pos="0.1 0 0" diaginertia="0.001 0.002 0.002"/>
      <body name="b" pos="0.2 0 0"><joint name="b" axis="0 1 0.5"/>
        <inertial mass="0.2" pos="0.05 0 0.1" diaginertia="0.001 0.001 0.002"/></body></body>
    <body name="c" pos="0.35 0 0.3"><joint name="c" axis="0 1 0.5"/>
      <inertial mass="0.1" pos="0 0 0.1" diaginertia="0.0004 0.0003 0.0005"/></body>
  </body>
</worldbody>
<equality><connect name="pin1" body1="crank" body2="coupler" anchor="0.2 0 0"/>
  <connect name="pin2" body1="rocker" body2="coupler" anchor="0.1 0 0.3"/>
  <connect name="upper" body1="b" body2="c" anchor="0.15 -0.04 0.08"/></equality></mujoco>)";

/// Bennett's linkage: four hinges whose welded loop moves only because lengths and twists match.
/// Six rows of rank three, but six where the loop is open.
constexpr char kBennett[] = R"(
<mujoco><compiler angle="degree"/><worldbody>
  <body name="l1" euler="0 0 70"><joint name="j1" axis="0 0 1"/>
   <inertial mass="1" pos="0.1 0 0.01" diaginertia="0.004 0.01 0.011"/>
   <body name="l2" pos="0.3 0 0" euler="30 0 150"><joint name="j2" axis="0 0 1"/>
    <inertial mass="0.8" pos="0.1 0.02 0" diaginertia="0.003 0.008 0.009"/>
    <body name="l3" pos="0.519615242270663 0 0" euler="60 0 -71"><joint name="j3" axis="0 0 1"/>
     <inertial mass="0.6" pos="0.1 0 0.03" diaginertia="0.002 0.006 0.006"/>
     <body name="l4" pos="0.3 0 0" euler="30 0 -152"><joint name="j4" axis="0 0 1"/>
      <inertial mass="0.4" pos="0.2 0 0" diaginertia="0.001 0.005 0.005"/>
      <site name="end" pos="0.519615242270663 0 0" euler="60 0 0"/>
     </body></body></body></body>
  <site name="ground"/>
</worldbody>
<equality><weld name="ring" site1="end" site2="ground"/></equality></mujoco>)";

/// Polynomial gears in a chain (a follows b, b follows c), a rack and pinion, a fixed joint, and
/// joints outside the loops.
constexpr char kCams[] = R"(
<mujoco><compiler angle="radian"/><worldbody>
  <body name="root"><freejoint name="root"/>
   <inertial mass="3" pos="0.01 0 0" diaginertia="0.05 0.06 0.04"/>
   <body name="a" pos="0.1 0 0"><joint name="a" axis="1 0 0.2" ref="0.3"/>
    <inertial mass="0.9" pos="0.1 0.02 0" diaginertia="0.01 0.012 0.011"/>
    <body name="free1" pos="0 0.1 0"><joint name="free1" axis="0 1 1"/>
     <inertial mass="0.5" pos="0.1 0.02 0" diaginertia="0.01 0.012 0.011"/>
     <body name="c" pos="0.3 0.05 0"><joint name="c" axis="0 0.2 1" ref="-0.2"/>
      <inertial mass="0.8" pos="0.1 0 0.03" diaginertia="0.008 0.007 0.009"/>
      <body name="held" pos="0 0 0.1"><joint name="held" axis="0 1 0"/>
       <inertial mass="0.3" pos="0.1 0 0.03" diaginertia="0.002 0.002 0.002"/></body></body></body></body>
   <body name="b" pos="-0.1 0 0"><joint name="b" axis="0 1 0"/>
    <inertial mass="0.4" pos="0.1 0 0.1" diaginertia="0.003 0.004 0.005"/>
    <body name="rack" pos="0 0 0.2"><joint name="rack" type="slide" axis="1 1 0"/>
     <inertial mass="0.2" pos="0 0.1 0" diaginertia="0.001 0.001 0.001"/></body></body>
  </body>
</worldbody>
<equality>
  <joint name="cam1" joint1="a" joint2="b" polycoef="0.05 0.7 0.3 -0.2 0.1"/>
  <joint name="cam2" joint1="b" joint2="c" polycoef="0 1.2 -0.4 0.1 0.02"/>
  <joint name="pinion" joint1="rack" joint2="b" polycoef="0.01 0.05 0 0 0"/>
  <joint name="lock" joint1="held" polycoef="0.4 0 0 0 0"/>
</equality></mujoco>)";

const std::map<std::string, std::string>& Texts() {
  static const std::map<std::string, std::string> texts = {{"spatial_slider", kSpatialSlider},
                                                           {"welded_ring", kWeldedRing},
                                                           {"free_coupler", kFreeCoupler},
                                                           {"bennett", kBennett},
                                                           {"cams", kCams}};
  return texts;
}

ClosedChain MakeChain(mjModel* compiled, const char* error, const LoopOptions& options) {
  if (compiled == nullptr) throw std::runtime_error(error);
  ClosedChain chain;
  chain.mj.reset(compiled);
  chain.mj->opt.jacobian = mjJAC_DENSE;
  chain.data.reset(mj_makeData(compiled));
  const Model tree = BuildModel(*compiled);
  chain.model = std::make_unique<VelocitySpace>(tree, ReadConstraints(*compiled, tree), options);
  return chain;
}

}  // namespace

const std::vector<std::string>& ClosedChainNames() {
  static const std::vector<std::string> names = {"four_bar",     "geared_arm",     "differential",
                                                 "leg_linkage",  "spatial_slider", "welded_ring",
                                                 "free_coupler", "bennett",        "cams"};
  return names;
}

ClosedChain LoadClosedChainText(const std::string& mjcf, const LoopOptions& options) {
  char error[1000] = "";
  const std::unique_ptr<mjSpec, MujocoDeleter> spec(
      mj_parseXMLString(mjcf.c_str(), nullptr, error, sizeof error));
  if (spec == nullptr) throw std::runtime_error(error);
  mjModel* compiled = mj_compile(spec.get(), nullptr);
  return MakeChain(compiled, mjs_getError(spec.get()), options);
}

ClosedChain LoadClosedChain(const std::string& directory, const std::string& name,
                            const LoopOptions& options) {
  const auto text = Texts().find(name);
  if (text != Texts().end()) return LoadClosedChainText(text->second, options);
  char error[1000] = "";
  const std::string path = directory + "/" + name + ".xml";
  return MakeChain(mj_loadXML(path.c_str(), nullptr, error, sizeof error), error, options);
}

Eigen::VectorXd SlideAlong(const VelocitySpace& model, const Eigen::VectorXd& q,
                           const Eigen::VectorXd& v, double time) {
  SpaceWorkspace<double> workspace(model);
  Eigen::VectorXd moved = q;
  IntegratePosition(model.tree(), q, v, time, moved);
  const Status status = CloseLoops(model, workspace, moved);
  if (!status.ok()) throw std::runtime_error(Describe(model, status));
  return moved;
}

Eigen::VectorXd RandomClosedPosition(const VelocitySpace& model, std::mt19937* random,
                                     double distance) {
  constexpr int kSteps = 5;
  SpaceWorkspace<double> workspace(model);
  Eigen::VectorXd q = model.closed_start();
  const Eigen::VectorXd w = RandomVector(model.nw(), random);
  for (int i = 0; i < kSteps; ++i) {
    const Status status = UpdateKinematics(model, q, w, workspace);
    if (!status.ok()) throw std::runtime_error(Describe(model, status));
    q = SlideAlong(model, q, Eigen::VectorXd(workspace.tree().v()), distance / kSteps);
  }
  return q;
}

MujocoRows CalcMujocoRows(const ClosedChain& chain, const Eigen::VectorXd& q) {
  const mjModel* m = chain.mj.get();
  mjData* d = chain.data.get();
  mj_resetData(m, d);
  Eigen::Map<Eigen::VectorXd>(d->qpos, m->nq) = q;
  mj_forward(m, d);
  MujocoRows rows{Eigen::MatrixXd(d->ne, m->nv), Eigen::VectorXd(d->ne)};
  int row = 0;
  for (int i = 0; i < d->nefc; ++i) {
    if (d->efc_type[i] != mjCNSTR_EQUALITY) continue;
    rows.K.row(row) = Eigen::Map<Eigen::RowVectorXd>(d->efc_J + i * m->nv, m->nv);
    rows.gap[row++] = d->efc_pos[i];
  }
  return rows;
}

Eigen::VectorXd MujocoConstrainedAcceleration(const ClosedChain& chain, const Eigen::VectorXd& q,
                                              const Eigen::VectorXd& v,
                                              const Eigen::VectorXd& tau) {
  const mjModel* m = chain.mj.get();
  mjData* d = chain.data.get();
  const auto K_at = [&](double t) {
    Eigen::VectorXd moved(q.size());
    moved = q;
    mj_integratePos(m, moved.data(), v.data(), t);
    return CalcMujocoRows(chain, moved).K;
  };
  constexpr double h = 1e-3;
  const Eigen::MatrixXd Kdot = (8 * (K_at(h) - K_at(-h)) - (K_at(2 * h) - K_at(-2 * h))) / (12 * h);
  const Eigen::MatrixXd K = K_at(0);
  mj_resetData(m, d);
  Eigen::Map<Eigen::VectorXd>(d->qpos, m->nq) = q;
  Eigen::Map<Eigen::VectorXd>(d->qvel, m->nv) = v;
  mj_forward(m, d);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> H(m->nv, m->nv);
  mj_fullM(m, d, H.data());
  const Eigen::Map<Eigen::VectorXd> bias(d->qfrc_bias, m->nv);
  const Eigen::Index nv = m->nv, rows = K.rows();
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(nv + rows, nv + rows);
  system.topLeftCorner(nv, nv) = H;
  system.topRightCorner(nv, rows) = K.transpose();
  system.bottomLeftCorner(rows, nv) = K;
  Eigen::VectorXd right(nv + rows);
  right << tau - bias, -Kdot * v;
  return linear::LeastSquares(system, right, 1e-8).topRows(nv);
}

}  // namespace civita
