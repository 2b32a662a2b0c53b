#pragma once

#include "civita/study/evaluate/eval_quantities.h"

namespace civita {
class Evaluator;
}

// What the rows of Quantities() compute: the quantity of this name at the evaluator's state.
namespace civita::rows {

// eval_equations.cc
RowMajor H(Evaluator& at, const QuantityRequest& request);
RowMajor C(Evaluator& at, const QuantityRequest& request);
RowMajor Hdot(Evaluator& at, const QuantityRequest& request);
RowMajor g(Evaluator& at, const QuantityRequest& request);
RowMajor Bias(Evaluator& at, const QuantityRequest& request);
RowMajor Passive(Evaluator& at, const QuantityRequest& request);
RowMajor Tau(Evaluator& at, const QuantityRequest& request);
RowMajor TauR(Evaluator& at, const QuantityRequest& request);
RowMajor CvR(Evaluator& at, const QuantityRequest& request);
RowMajor CTv(Evaluator& at, const QuantityRequest& request);
RowMajor Vdot(Evaluator& at, const QuantityRequest& request);
RowMajor TauExt(Evaluator& at, const QuantityRequest& request);
RowMajor DtauDq(Evaluator& at, const QuantityRequest& request);
RowMajor DtauDv(Evaluator& at, const QuantityRequest& request);
RowMajor Kinetic(Evaluator& at, const QuantityRequest& request);
RowMajor Potential(Evaluator& at, const QuantityRequest& request);
RowMajor Y(Evaluator& at, const QuantityRequest& request);
RowMajor Pi(Evaluator& at, const QuantityRequest& request);
RowMajor A(Evaluator& at, const QuantityRequest& request);

// eval_geometry.cc
RowMajor Gamma(Evaluator& at, const QuantityRequest& request);
RowMajor Gamma2(Evaluator& at, const QuantityRequest& request);
RowMajor GammaSym(Evaluator& at, const QuantityRequest& request);
RowMajor GammaPacked(Evaluator& at, const QuantityRequest& request);
RowMajor Christoffel(Evaluator& at, const QuantityRequest& request);
RowMajor Structure(Evaluator& at, const QuantityRequest& request);
RowMajor Torsion(Evaluator& at, const QuantityRequest& request);
RowMajor Contorsion(Evaluator& at, const QuantityRequest& request);
RowMajor ThreeForm(Evaluator& at, const QuantityRequest& request);
RowMajor GammaPartner(Evaluator& at, const QuantityRequest& request);
RowMajor GammaRiemannian(Evaluator& at, const QuantityRequest& request);
RowMajor Residuals(Evaluator& at, const QuantityRequest& request);

// eval_bodies.cc
RowMajor J(Evaluator& at, const QuantityRequest& request);
RowMajor Jdot(Evaluator& at, const QuantityRequest& request);
RowMajor Com(Evaluator& at, const QuantityRequest& request);
RowMajor Jcom(Evaluator& at, const QuantityRequest& request);
RowMajor HG(Evaluator& at, const QuantityRequest& request);
RowMajor AG(Evaluator& at, const QuantityRequest& request);
RowMajor HMax(Evaluator& at, const QuantityRequest& request);
RowMajor CMax(Evaluator& at, const QuantityRequest& request);
RowMajor JMax(Evaluator& at, const QuantityRequest& request);
RowMajor JdotMax(Evaluator& at, const QuantityRequest& request);
RowMajor HCom(Evaluator& at, const QuantityRequest& request);
RowMajor CCom(Evaluator& at, const QuantityRequest& request);

// eval_tasks.cc
RowMajor Lambda(Evaluator& at, const QuantityRequest& request);
RowMajor Lambdadot(Evaluator& at, const QuantityRequest& request);
RowMajor N(Evaluator& at, const QuantityRequest& request);
RowMajor CXx(Evaluator& at, const QuantityRequest& request);
RowMajor CXn(Evaluator& at, const QuantityRequest& request);
RowMajor CNx(Evaluator& at, const QuantityRequest& request);
RowMajor CNn(Evaluator& at, const QuantityRequest& request);
RowMajor HNn(Evaluator& at, const QuantityRequest& request);

}  // namespace civita::rows
