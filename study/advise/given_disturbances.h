#pragma once

#include <memory>
#include <string>
#include <vector>

#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/scene.h"
#include "civita/study/advise/error_equations.h"

namespace civita {

/// The disturbances that a scene's config gives, as forces on the error equations of an open tree.

/// Where a push at a body acts, in the frame of its name: its own centre of mass, without bodies
/// that are welded to it.
Eigen::Vector3d FindPushPoint(const SceneData& scene, const std::string& body);

/// The forces of a config's pushes on the velocities of the law's model.
class PushForces {
 public:
  /// Pushes at bodies and joints that the model does not have are left out, a line each in
  /// `left_out`, if any. The scene must outlive it.
  PushForces(const SceneData& scene, std::vector<std::string>* left_out);

  std::size_t size() const { return pushes_.size(); }
  const Push& push(std::size_t i) const { return *pushes_[i].push; }
  /// Jᵀf of one with its full force at q, nv.
  Eigen::VectorXd Calc(std::size_t i, const Eigen::VectorXd& q);

 private:
  struct Pushed {
    const Push* push;
    const Model::NamedFrame* frame = nullptr;  ///< or coordinates of a joint:
    int iv = -1, size = 0;
  };
  Eigen::Vector3d FindPoint(const Pushed& pushed, const Eigen::VectorXd& q);

  const SceneData& scene_;
  std::vector<Pushed> pushes_;
  Workspace<double> workspace_;
  std::unique_ptr<mjData, MjDataDeleter> data_;  ///< of pushes at the centre of a tree
};

/// Equal parts of the time in which a push acts, none if that is after the end.
struct PushSlices {
  int number = 0;
  double length_s = 0;
};
/// Slices of 5 ms and of a 20th of a sine's period at most, until the run's end at end_s (s).
PushSlices SlicePush(const Push& push, double end_s);

/// The pushes of the config as impulses Jᵀp, one a slice of SlicePush, with J at the reference q_d.
/// Pushes at bodies and joints that the control model does not have are left out, a line each in
/// `left_out`; those before from_s (s) without a word.
std::vector<ErrorForcing::Impulse> MakePushImpulses(const SceneData& scene,
                                                    std::vector<std::string>* left_out,
                                                    double from_s = 0);

/// How the plant is integrated.
struct PlantSteps {
  double euler_s = 0;                ///< semi-implicit Euler's, s; 0: none
  bool damping_is_implicit = false;  ///< that of the step's end
};
PlantSteps FindPlantSteps(const SceneData& scene);

/// Adds what a held and late torque lacks along the reference: −T dτ_d/dt with τ_d the law's torque
/// at q_d, v_d, v̇_d (by differences of the samples) and T = T_d + dt/2, without the lag of a
/// filter, which FollowIdealMotion follows. A plant of semi-implicit Euler steps h evaluates H and
/// its bias forces ½h before the acceleration that they make, ½h (dτ_d/dt − H d(v̇_d)/dt), and moves
/// q by h v of the step's end, a drift of ½h v̇_d, of which the law's v̇_r knows nothing: HΛ times it
/// is a force. Damping that is implicit is evaluated ½h after the acceleration, not before it: −h D
/// v̇_d.
void AddLateForces(const TorsionAlongReference& along, const SceneData& scene,
                   const std::vector<ReferenceSample>& reference, ErrorForcing* forcing);

/// The start s(0) that noise ν of the measured velocity makes in a period, as one impulse by unit
/// ν: H⁻¹(K_D + factor K − C_LC) + Λ of the first sample, n × n. Of τ = H v̇_r + C(v)v_r + g − K_D s
/// the noise moves −Λ ė, K_D s and C(v)v_r, where C_LC(ν)v_d = C_LC(v_d)ν and K(ν)v_d = −K(v_d)ν.
Eigen::MatrixXd CalcNoiseStart(const TorsionAlongReference& along, double factor);

/// The root over time of the mean of ‖e‖² that the config's noise of measured velocities makes:
/// with W the covariance of CalcNoiseStart ν, √(dt tr Q W), over the stretches of FindDecayStarts.
/// rad, m.
double CalcNoiseError(const SceneData& scene, const ErrorGains& gains,
                      const Factorization& factorization, double from_s, double decay_s);

}  // namespace civita
