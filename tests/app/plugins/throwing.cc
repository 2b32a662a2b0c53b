// A law that throws in the middle of a run.
#include <stdexcept>

#include "civita/controllers/controller.h"
#include "civita/scenes/registry.h"

extern const civita::LawInfo kThrowing;

class Throwing final : public civita::Controller {
 public:
  Throwing(const civita::Model& model, const civita::ControllerOptions& options)
      : Controller(model, kThrowing, options) {}
  civita::Status CalcControl(const civita::Measurement& measured,
                             const civita::ReferenceState& /*reference*/,
                             civita::ControlOutput& output) override {
    if (measured.t > 0.0495) throw std::runtime_error("no torque came to mind");
    UpdateDynamics(measured.q, measured.v, output);
    output.tau = g_;
    return FinishControl(output);
  }
  civita::StorageState CalcStorage(const civita::PlantState& /*plant*/,
                                   const civita::ControlOutput& /*output*/) override {
    return {};
  }
};

constinit const civita::LawInfo kThrowing = {.type = "throwing",
                                             .title = "Throwing",
                                             .law = "τ = g, then none",
                                             .parameters = {},
                                             .make = &civita::MakeLaw<Throwing>};

CIVITA_PLUGIN(registry) { registry->laws.push_back(&kThrowing); }
