// Sliding-mode control as a plug-in: a law of one's own, in a project of one's own.
//   τ = H v̇_r + C v_r + g − K_D s − K_s tanh(s/φ),   s = v − v_r,   v_r = v_d − Λ e
// Proof. V = ½ sᵀH s has V̇ = −sᵀK_D s − sᵀK_s tanh(s/φ) = −P, as Ḣ = C + Cᵀ. A joint force d that
// the model does not know of adds sᵀd, which K_s > |d| overcomes wherever |s| is well above φ.
#include "civita/controllers/controller.h"
#include "civita/controllers/damping_force.h"
#include "civita/controllers/tracking_error.h"
#include "civita/error.h"
#include "civita/scenes/registry.h"

using namespace civita;

constexpr ParameterInfo kGains[] = {
    {"Lambda", "Λ", "Tracking", "1/s", "1/s", "rate at which the error decays", 0.1, 50, 5},
    {"K_D", "K_D", "Damping", "1/s", "N·m·s/rad", "damping of s", 0.1, 200, 10},
    {"K_s", "K_s", "Switching", "N·m", "N·m", "joint force that s withstands", 0.1, 100, 2},
};
constexpr OptionInfo kOptions[] = {
    {.key = "layer",
     .unit = "rad/s",
     .doc = "width φ of the layer about s = 0 in which K_s acts in proportion to s",
     .default_value = 0.05,
     .range = NumberRange::kPositive},
};
extern const LawInfo kSlidingMode;

class SlidingMode final : public Controller {
 public:
  SlidingMode(const Model& model, const ControllerOptions& options)
      : Controller(model, kSlidingMode, options),
        layer_(options_.own.Number("layer")),
        error_(model.nv()),
        v_r_(Eigen::VectorXd::Zero(model.nv())) {
    K_D_s_ = switching_ = scratch_ = v_r_;
    if (layer_ > 10) throw UserError("controller.layer: the law never switches above 10 rad/s");
    DefineSignals({{.name = "/power", .unit = "W", .doc = "what switching takes out of V"}});
  }

  Status CalcControl(const Measurement& measured, const ReferenceState& reference,
                     ControlOutput& output) override {
    UpdateDynamics(measured.q, measured.v, output);
    CalcTrackingError(model_, measured.q, measured.v, reference, error_);
    v_r_ = error_.v_d - gain(0).cwiseProduct(error_.e);
    output.e = error_.e;
    output.s = measured.v - v_r_;
    output.sdot_ref = error_.vdot_d - gain(0).cwiseProduct(error_.edot);
    CalcDampingForce(gain_form(), gain(1), H_, output.s, scratch_, K_D_s_);
    switching_ = gain(2).array() * (output.s.array() / layer_).tanh();
    output.signals[0] = output.s.dot(switching_);
    output.tau = g_ - K_D_s_ - switching_;
    output.tau.noalias() += H_ * output.sdot_ref;
    output.tau.noalias() += C_ * v_r_;
    AddPassiveForces(measured.q, v_r_, output.tau);
    return FinishControl(output);
  }

  StorageState CalcStorage(const PlantState& plant, const ControlOutput& output) override {
    StorageState storage = CalcKineticStorage(plant, output);
    storage.P = output.s.dot(K_D_s_ + switching_) + CalcPassiveDissipation(v_r_, output.s);
    return storage;
  }

 private:
  double layer_;
  TrackingError error_;
  Eigen::VectorXd v_r_, K_D_s_, switching_, scratch_;
};

constinit const LawInfo kSlidingMode = {.type = "sliding_mode",
                                        .title = "Sliding mode",
                                        .law = "τ = H v̇_r + C v_r + g − K_D s − K_s tanh(s/φ)",
                                        .parameters = kGains,
                                        .options = kOptions,
                                        .make = &MakeLaw<SlidingMode>,
                                        .damping = DampingForm::kInertia,
                                        .uses_factorization = true};

CIVITA_PLUGIN(registry) { registry->laws.push_back(&kSlidingMode); }
