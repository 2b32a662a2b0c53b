// A plug-in that does what none may: CARELESS says what, while it is registered, made or run.
#include <cstdlib>
#include <string_view>

#include "civita/controllers/controller.h"
#include "civita/scenes/registry.h"

namespace {

bool Does(std::string_view what) {
  const char* careless = std::getenv("CARELESS");
  return careless != nullptr && what == careless;
}

const civita::ParameterInfo kGain = {.key = "K",
                                     .symbol = "K",
                                     .name = "Gain",
                                     .unit = "1/s",
                                     .diagonal_unit = "1/s",
                                     .description = "",
                                     .min = 1,
                                     .max = 10,
                                     .default_value = 5};
civita::ParameterInfo gains[] = {kGain, kGain};

extern civita::LawInfo law;

class Careless final : public civita::Controller {
 public:
  Careless(const civita::Model& model, const civita::ControllerOptions& options)
      : Controller(model, law, options) {
    if (Does("made")) throw 7;
  }
  civita::Status CalcControl(const civita::Measurement& measured,
                             const civita::ReferenceState& /*reference*/,
                             civita::ControlOutput& output) override {
    UpdateDynamics(measured.q, measured.v, output);
    output.tau = g_;
    const civita::Status status = FinishControl(output);
    if (measured.t > 0.0495) {
      if (Does("tau")) output.tau.setZero(1);
      if (Does("longer")) output.tau.setZero(20);
      if (Does("signals")) output.signals.setZero(1);
      if (Does("error")) output.e.resize(0);
      if (Does("run")) throw 7;
    }
    return status;
  }
  civita::StorageState CalcStorage(const civita::PlantState& /*plant*/,
                                   const civita::ControlOutput& /*output*/) override {
    return {};
  }
};

civita::LawInfo law = {.type = "careless",
                       .title = "Careless",
                       .law = "τ = g",
                       .parameters = {gains, 1},
                       .make = &civita::MakeLaw<Careless>};

}  // namespace

CIVITA_PLUGIN(registry) {
  if (Does("registered")) throw 7;
  if (Does("no make")) law.make = nullptr;
  if (Does("no type")) law.type = "";
  if (Does("twice")) law.parameters = gains;
  if (Does("bounds")) gains[0].default_value = 50;
  registry->laws.push_back(Does("null") ? nullptr : &law);
  if (Does("null reference")) registry->references.push_back(nullptr);
}
