#pragma once

#include "civita/study/evaluate/eval_quantities.h"

namespace civita {
class Evaluator;
}

namespace civita::rows {

/// What a row of Quantities() computes that is no StateQuantity: the quantity of this name at the
/// evaluator's state.
using Calc = RowMajor(Evaluator& at, const QuantityRequest& request);

// eval_equations.cc
Calc C, Passive, Tau, TauR, CvR, CTv, Vdot, TauExt, DtauDq, DtauDv, Y, Pi, A;

// eval_geometry.cc
Calc Gamma, Gamma2, GammaSym, GammaPacked, Christoffel, Structure, Torsion, Contorsion, ThreeForm,
    GammaPartner, GammaRiemannian, Residuals;

// eval_bodies.cc
Calc J, Jdot, HMax, CMax, JMax, JdotMax, HCom, CCom;

// eval_tasks.cc
Calc Lambda, Lambdadot, N, CXx, CXn, CNx, CNn, HNn;

}  // namespace civita::rows
