#pragma once

#include <nanobind/nanobind.h>

#include <deque>
#include <string>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/controllers/tracking_error.h"
#include "python/src/support/arrays.h"

namespace civita::python {

/// A list of numbers that a law in Python has under an attribute: a signal or a part of its state.
struct LawNumbers {
  static constexpr int kScalar = 0, kCoordinates = -1;

  std::string attribute, unit, doc;
  int width = kScalar;  ///< kScalar, kCoordinates (nv), or a number of numbers

  int size(int nv) const { return width == kCoordinates ? nv : width == kScalar ? 1 : width; }
};

/// A subclass of civita.Controller as a row of the table of laws. Lives as long as the process.
struct PythonLawRow {
  nb::object law_class;
  std::string name;  ///< of the class
  std::deque<std::string> texts;
  std::vector<ParameterInfo> parameters;
  std::deque<std::vector<double>> number_lists;          ///< defaults and
  std::deque<std::vector<std::string_view>> text_lists;  ///< choices of options
  std::vector<OptionInfo> options;
  std::vector<LawNumbers> signals, states;
  LawInfo info;
};

/// Makes the class a law of this type, in the place of an earlier one, from its description: a dict
/// with name, title, law, uses_factorization, knows_loops, and lists of tuples parameters, options,
/// signals and states.
/// @throws UserError for too many laws, the name of a law that is not Python's, or an option with
/// the key of all laws.
void RegisterPythonLaw(const std::string& type, nb::handle law_class, nb::dict description);

class PythonLaw;

/// What a law's `dynamics` computes with; its law may be gone.
struct LawHandle {
  PythonLaw* law = nullptr;
};

/// A law in Python: an instance of a subclass of civita.Controller, called with the GIL. All arrays
/// it sees are made once and filled at each step.
class PythonLaw : public Controller {
 public:
  PythonLaw(const Model& model, const PythonLawRow& row, const ControllerOptions& options);
  ~PythonLaw() override;

  Status CalcControl(const Measurement& measured, const ReferenceState& reference,
                     ControlOutput& output) override;
  StorageState CalcStorage(const PlantState& plant, const ControlOutput& output) override;

  // For `dynamics`, at the step's state.
  nb::object PassivityRnea(nb::handle v_r, nb::handle vdot_r);
  nb::object PassiveForces(nb::handle v_r);
  nb::object DampingForce(nb::handle k, nb::handle s);
  nb::object ErrorForce(nb::handle p);
  nb::object CloseMotion(nb::handle v_r, nb::handle vdot_r);
  nb::object Independent() const;
  double PassiveDissipation(nb::handle v_r, nb::handle s) const;
  std::string FactorizationText() const;

 protected:
  void ResetLaw(const Measurement& start, const ReferenceState& reference,
                Eigen::Ref<Eigen::VectorXd> x) override;
  void CalcLawRate(const Eigen::VectorXd& tau_applied, const ControlOutput& output,
                   Eigen::Ref<Eigen::VectorXd> xdot) override;

 private:
  /// An array of an attribute.
  struct Shown {
    ArrayOut array;
    nb::object name;
    bool is_scalar = false;
  };

  void Make();
  void SetOptions();
  /// Drops all that is Python's. With the GIL.
  void Release();
  Shown Show(nb::handle owner, const char* name, const Shape& shape) const;
  void FillInputs(const Measurement& measured, const ReferenceState& reference);
  void FillState();
  void Call(ControlOutput& output);
  void TakeResults(nb::handle tau, ControlOutput& output);
  void TakeList(const Shown& shown, Eigen::Ref<Eigen::VectorXd> to) const;
  /// Work that calls Python; its exceptions become Error with the traceback as text.
  template <typename Work>
  void Guard(const char* method, Work work);

  const PythonLawRow& row_;
  TrackingError error_;
  Eigen::VectorXd force_;
  // Python's, touched only with the GIL.
  nb::object law_, control_, measured_, reference_, dynamics_, t_name_, handle_;
  bool has_storage_ = false, has_dissipation_ = false;
  std::vector<Shown> gains_, signals_, states_;
  Shown q_, v_, e_, edot_, foot_force_, q_d_, v_d_, vdot_d_, H_shown_, C_shown_, g_shown_, s_,
      sdot_ref_;
};

}  // namespace civita::python
