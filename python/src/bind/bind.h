#pragma once

#include <nanobind/nanobind.h>

#include <vector>

// What each file adds to the extension module civita._civita, in the order in which module.cc calls
// them.

namespace civita {
struct Signal;
}
namespace civita::python {

class Dynamics;
struct LoadedModel;

using BindPart = void(nanobind::module_& module);
BindPart BindErrors, BindProgram, BindModel, BindBuilder, BindDynamics, BindConstraints,
    BindEvaluate, BindFormulas, BindRun, BindLaw, BindCompare, BindAdvise, BindIdentify, BindPoe,
    BindRigidMotions, BindTiming;
/// Called by BindRun.
BindPart BindSimulation;
/// Name, unit, definition, the first column behind t, and width of each.
nanobind::list ListSignals(const std::vector<Signal>& signals);
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
