#pragma once

#include <mujoco/mujoco.h>

#include <string>
#include <vector>

#include "civita/model.h"

namespace civita::internal {

/// The inertias of a URDF's links as the file gives them: none from shapes, a link without
/// <inertial> has none. MuJoCo's compiler refuses or changes some of them (a moving link without
/// mass or with a principal moment ≤ 0, moments with A + B < C); these links are compiled with
/// others in their place, and the model gets the file's numbers afterwards.
class UrdfInertias {
 public:
  /// Before compiling, after all other edits. Fixed links stay bodies; settings of the file that
  /// would make MuJoCo choose other inertias do not count, with a notice.
  void TakeFrom(mjSpec* spec, std::vector<std::string>* notices);

  /// The same, of a model for equations that MuJoCo does not compile, of a link that its joint
  /// moves or none.
  void Take(const std::string& link, const MassProperties& mass, bool moves);
  /// PutInto's notices on these links; false, without, where it would look for a singular H.
  bool Tell(std::vector<std::string>* notices) const;

  /// After compiling. What no body can have is taken as it stands, with a notice. `simulated`: a
  /// negative moment becomes 0, and links that a joint moves without mass or inertia get
  /// kLeastMass or kLeastMoment, because there is no acceleration without H⁻¹; with a notice for
  /// each. Otherwise a notice says that H is singular.
  void PutInto(mjModel* m, bool simulated, std::vector<std::string>* notices) const;

  static constexpr double kLeastMass = 1e-4;    ///< kg
  static constexpr double kLeastMoment = 1e-6;  ///< kg·m²

 private:
  struct StandIn {
    std::string link;
    double mass = 0;
    Eigen::Vector3d moments;
  };
  void TellImpossible(bool simulated, std::vector<std::string>* notices) const;

  std::vector<StandIn> stand_ins_;
  bool lacks_inertia_ = false;  ///< a link of Take that moves
};

/// Bodies of an MJCF file whose mass is computed from geometry, of which some may be missing.
class InferredMasses {
 public:
  void TakeFrom(mjSpec* spec);

  /// After compiling: adds a notice that names bodies that lack geometry.
  void Check(const mjModel& m, std::vector<std::string>* notices) const;

 private:
  struct Body {
    std::string name;
    int geoms = 0;
  };
  std::vector<Body> bodies_;
};

}  // namespace civita::internal
