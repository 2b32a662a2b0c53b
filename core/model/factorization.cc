#include "civita/factorization.h"

#include "civita/error.h"

namespace civita {

Factorization Factorization::Torsion(double t) {
  Factorization result;
  result.t = t;
  return result;
}

Factorization Factorization::Inject(const Model& model, std::string_view body, Part part,
                                    double beta) const {
  const Model::NamedFrame& frame = model.FindFrame(body);
  if (frame.body < 0) throw UserError("body '" + frame.name + "' does not move");
  Factorization result = *this;
  result.body_injections.push_back({frame.body, frame.X_BF.p, part, beta, frame.name});
  return result;
}

bool Factorization::torsion_free() const {
  if (t != 0 || alpha != 0) return false;
  if (joint_injection && joint_injection->beta != 0) return false;
  for (const BodyInjection& injection : body_injections) {
    if (injection.beta != 0) return false;
  }
  return true;
}

void Factorization::Check(const Model& model) const {
  for (const BodyInjection& injection : body_injections) {
    CIVITA_CHECK(injection.body >= 0 && injection.body < model.num_bodies(),
                 "an injection at body " << injection.body << " ('" << injection.name
                                         << "'), the model has " << model.num_bodies());
  }
  CIVITA_CHECK(
      !joint_injection || joint_injection->S.cols() == model.nv(),
      "S has " << joint_injection->S.cols() << " columns, the model has nv = " << model.nv());
}

}  // namespace civita
