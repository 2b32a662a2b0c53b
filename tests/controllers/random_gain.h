#pragma once

#include <Eigen/Core>
#include <random>

#include "civita/controllers/law_info.h"
#include "tests/oracles/random_model.h"

namespace civita {

/// A positive number, nv of them, or the nv² of a skew matrix, by the gain's shape.
inline Eigen::VectorXd RandomGain(const ParameterInfo& parameter, int nv, std::mt19937* random) {
  if (parameter.shape == GainShape::kSkew) {
    std::mt19937 own(static_cast<unsigned>(nv));  // what is drawn next is as without this gain
    const Eigen::MatrixXd any = RandomVector(nv * nv, &own).reshaped(nv, nv);
    return (any - any.transpose()).reshaped();
  }
  const int size = parameter.shape == GainShape::kScalar ? 1 : nv;
  return (5 * RandomVector(size, random).array().exp()).matrix();
}

}  // namespace civita
