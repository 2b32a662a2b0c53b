#pragma once

#include <nanobind/nanobind.h>

// What each file adds to the extension module civita._civita, in the order in which module.cc calls
// them.

namespace civita::python {

class Dynamics;
struct LoadedModel;

void BindErrors();
void BindProgram(nanobind::module_& module);
void BindModel(nanobind::module_& module);
void BindBuilder(nanobind::module_& module);
void BindDynamics(nanobind::module_& module);
void BindConstraints(nanobind::module_& module);
void BindEvaluate(nanobind::module_& module);
void BindFormulas(nanobind::module_& module);
void BindRun(nanobind::module_& module);
void BindLaw(nanobind::module_& module);
void BindCompare(nanobind::module_& module);
void BindAdvise(nanobind::module_& module);
void BindPoe(nanobind::module_& module);
void BindTiming(nanobind::module_& module);
/// Called by BindModel: further methods of Model.
void BindPositions(nanobind::class_<LoadedModel>& model);
/// Called by BindModel: copies with a change.
void BindModelOperations(nanobind::class_<LoadedModel>& model);
/// Called by BindDynamics: further methods of Dynamics.
void BindLoops(nanobind::class_<Dynamics>& dynamics);
void BindFrames(nanobind::class_<Dynamics>& dynamics);
void BindQuantities(nanobind::class_<Dynamics>& dynamics);
void BindDerivatives(nanobind::class_<Dynamics>& dynamics);
void BindGeometry(nanobind::class_<Dynamics>& dynamics);
}  // namespace civita::python
