// A law whose plug-in reads scenes while it is registered, also in a thread of its own.
#include <stdexcept>
#include <thread>

#include "civita/controllers/controller.h"
#include "civita/scenes/registry.h"
#include "civita/scenes/scene.h"

extern const civita::LawInfo kReader;

class Reader final : public civita::Controller {
 public:
  Reader(const civita::Model& model, const civita::ControllerOptions& options)
      : Controller(model, kReader, options) {}
  civita::Status CalcControl(const civita::Measurement& measured,
                             const civita::ReferenceState& /*reference*/,
                             civita::ControlOutput& output) override {
    UpdateDynamics(measured.q, measured.v, output);
    output.tau = g_;
    return FinishControl(output);
  }
  civita::StorageState CalcStorage(const civita::PlantState& /*plant*/,
                                   const civita::ControlOutput& /*output*/) override {
    return {};
  }
};

constinit const civita::LawInfo kReader = {.type = "reader",
                                           .title = "Reader",
                                           .law = "τ = g",
                                           .parameters = {},
                                           .make = &civita::MakeLaw<Reader>};

namespace {
void ReadScene() {
  if (civita::LoadScene(civita::ReadConfig("planar_2r"))->law == nullptr) {
    throw std::runtime_error("no scene");
  }
}
}  // namespace

CIVITA_PLUGIN(registry) {
  ReadScene();
  std::thread(ReadScene).join();
  registry->laws.push_back(&kReader);
}
