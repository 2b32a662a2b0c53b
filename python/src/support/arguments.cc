#include "python/src/support/arguments.h"

#include <nanobind/stl/string.h>

#include <string_view>

#include "civita/centroidal.h"
#include "civita/error.h"
#include "civita/scenes/schema/formula.h"
#include "civita/suggest.h"
#include "python/src/support/arrays.h"

namespace civita::python {
namespace {

/// The components ω_ijk with i < j < k of a totally antisymmetric array.
Factorization::ThreeForm ReadThreeForm(nb::handle argument, int nv) {
  const Eigen::MatrixXd flat =
      ReadMatrix(argument.attr("reshape")(nv, nv * nv), "three_form", nv, nv * nv);
  const auto omega = [&](int i, int j, int k) { return flat(i, nv * j + k); };
  Factorization::ThreeForm form;
  for (int i = 0; i < nv; ++i) {
    for (int j = 0; j < nv; ++j) {
      for (int k = 0; k < nv; ++k) {
        if (omega(i, j, k) != -omega(i, k, j) || omega(i, j, k) != -omega(j, i, k)) {
          throw UserError("three_form: not totally antisymmetric at [" + std::to_string(i) + ", " +
                          std::to_string(j) + ", " + std::to_string(k) + "]");
        }
        if (i < j && j < k && omega(i, j, k) != 0) {
          form.components.push_back({i, j, k, omega(i, j, k)});
        }
      }
    }
  }
  return form;
}

}  // namespace

const Model::NamedFrame& FrameOf(const Model& model, std::string_view name) {
  static const Model::NamedFrame kWorld{"world", -1, {}};
  try {
    return model.FindFrame(name);
  } catch (const UserError& error) {
    if (name == kWorld.name) return kWorld;
    throw nb::key_error(error.what());
  }
}

int CoupledJoint(const Model& model, const std::string& name) {
  try {
    const Model::NamedJoint& joint = model.FindJoint(name);
    if (NumVelocities(joint.type) == 1) return static_cast<int>(&joint - model.joints().data());
    throw UserError("joint '" + name + "' is a " + ToString(joint.type) +
                    " joint; hinges, slides and helical joints can be coupled");
  } catch (const UserError& error) {
    const bool is_unknown = std::string_view(error.what()).starts_with("unknown");
    if (!is_unknown) throw;
    throw nb::key_error(error.what());
  }
}

Pose ReadPose(nb::handle position, nb::handle rotation) {
  Pose pose;
  if (!position.is_none()) pose.p = ReadVector(position, "position", 3);
  if (!rotation.is_none()) pose.R = ReadMatrix(rotation, "rotation", 3, 3);
  return pose;
}

std::vector<std::string> ReadNames(nb::handle names, const char* what) {
  if (nb::isinstance<nb::str>(names)) return {nb::cast<std::string>(names)};
  const auto refuse = [what](nb::handle given) {
    const auto text = nb::cast<std::string>(nb::repr(given));
    throw nb::type_error((std::string(what) + ": a name, or several, not " + text).c_str());
  };
  if (!nb::hasattr(names, "__iter__")) refuse(names);
  std::vector<std::string> all;
  for (const nb::handle name : names) {
    if (!nb::isinstance<nb::str>(name)) refuse(name);
    all.push_back(nb::cast<std::string>(name));
  }
  return all;
}

Frames::Frames(const LoadedModel& model, nb::handle names) : all_(model.body_frames) {
  if (names.is_none()) return;
  for (const std::string& name : ReadNames(names, "frames")) {
    named_.push_back(FrameOf(model.model, name));
  }
  all_ = named_;
}

Eigen::Vector3d ReadPoint(nb::handle point) {
  return point.is_none() ? Eigen::Vector3d::Zero() : Eigen::Vector3d(ReadVector(point, "point", 3));
}

ReferenceFrame ReadReference(std::string_view name) {
  if (name == "local_world_aligned") return ReferenceFrame::kLocalWorldAligned;
  if (name == "local") return ReferenceFrame::kLocal;
  if (name == "world") return ReferenceFrame::kWorld;
  throw UserError("reference: " +
                  UnknownName("choice", name, {"local_world_aligned", "local", "world"}));
}

void CheckMass(const Model& model) {
  if (CalcTotalMass(model) <= 0) {
    throw UserError("the model has no mass that moves, and so no centre of mass");
  }
}

FrictionSpeeds::FrictionSpeeds(const Model& model, double friction_speed, nb::handle full_speeds)
    : speed(friction_speed) {
  if (!(speed > 0)) throw UserError("friction_speed: not positive");
  const Index size = model.nv() + static_cast<Index>(model.tendons().size());
  full = full_speeds.is_none() ? Eigen::VectorXd::Zero(size).eval()
                               : ReadVector(full_speeds, "full_speeds", size);
  if (size > 0 && full.minCoeff() < 0) throw UserError("full_speeds: one is negative");
}

MassProperties ReadMass(double mass, nb::handle com, nb::handle inertia) {
  MassProperties properties;
  properties.mass = mass;
  if (!com.is_none()) properties.com = ReadVector(com, "com", 3);
  if (!inertia.is_none()) properties.inertia = ReadMatrix(inertia, "inertia", 3, 3);
  return properties;
}

Factorization ReadFactorization(nb::handle argument, const Model& model) {
  if (nb::isinstance<nb::str>(argument)) {
    return civita::ReadFactorization(nb::cast<std::string>(argument), model);
  }
  if (!nb::hasattr(argument, "text") || !nb::hasattr(argument, "arrays")) {
    throw nb::type_error("factorization: neither a text nor a civita.Factorization");
  }
  Factorization factorization =
      civita::ReadFactorization(nb::cast<std::string>(nb::str(argument)), model);
  for (nb::handle term : nb::borrow<nb::tuple>(argument.attr("arrays"))) {
    const auto kind = nb::cast<std::string>(term[0]);
    if (kind == "joint") {
      factorization.joint_injections.push_back(
          {nb::cast<double>(term[1]), ReadMatrix(term[2], "S", 3, model.nv())});
    } else {
      factorization.three_forms.push_back(ReadThreeForm(term[2], model.nv()));
    }
  }
  return factorization;
}

}  // namespace civita::python
