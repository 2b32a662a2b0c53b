#include "civita/factorization.h"

#include <algorithm>
#include <utility>

#include "civita/error.h"

namespace civita {

Factorization Factorization::Torsion(double t) {
  Factorization result;
  result.t = t;
  return result;
}

Factorization Factorization::Inject(const Model& model, std::string_view body, Part part,
                                    Coefficient beta, const Eigen::Vector3d& point) const {
  const Model::NamedFrame& frame = model.FindFrame(body);
  if (frame.body < 0) throw UserError("body '" + frame.name + "' does not move");
  Factorization result = *this;
  const Eigen::Vector3d& origin = frame.X_BF.p;
  result.body_injections.push_back(
      {frame.body, origin + point, part, std::move(beta), frame.name, origin});
  return result;
}

bool Factorization::torsion_free() const {
  if (t != 0 || alpha != 0) return false;
  const auto none = [](const auto& injection) { return injection.beta.is_zero(); };
  return std::ranges::all_of(body_injections, none) &&
         std::ranges::all_of(joint_injections, none) &&
         std::ranges::all_of(three_forms, [](const ThreeForm& form) {
           return std::ranges::all_of(form.components,
                                      [](const auto& c) { return c.omega.is_zero(); });
         });
}

void Factorization::Check(const Model& model) const {
  for (const BodyInjection& injection : body_injections) {
    CIVITA_CHECK(injection.body >= 0 && injection.body < model.num_bodies(),
                 "an injection at body " << injection.body << " ('" << injection.name
                                         << "'), the model has " << model.num_bodies());
  }
  const int nv = model.nv();
  for (const JointInjection& injection : joint_injections) {
    CIVITA_CHECK(injection.S.cols() == nv,
                 "S has " << injection.S.cols() << " columns, the model has nv = " << nv);
  }
  for (const ThreeForm& form : three_forms) {
    for (const auto& [i, j, k, omega] : form.components) {
      const bool fits = std::min({i, j, k}) >= 0 && std::max({i, j, k}) < nv;
      CIVITA_CHECK(fits && i != j && j != k && k != i,
                   "component " << i << ", " << j << ", " << k << " of a three-form, nv = " << nv);
    }
  }
}

}  // namespace civita
