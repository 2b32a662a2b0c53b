#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "app/window/actions/actions.h"
#include "app/window/actions/forecasts.h"
#include "app/window/panels/panels.h"
#include "app/window/plot/units.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/schema/formula.h"

namespace civita {
namespace {

constexpr std::array<std::string_view, 2> kSlots = {"A", "B"};
constexpr std::array<std::string_view, 2> kGainModes = {"All joints", "Each joint"};
constexpr double kMaxTypedGain = 1e6;

bool HasTorsion(const ActiveScene& scene) {
  return scene.geometry.connection.size() >= kLeastForTorsion;
}

// Draws the choice of the run that the sliders edit.
void DrawSlotChoice(WindowState* state, Column* column) {
  ActiveScene& scene = *state->scene;
  if (!scene.is_comparing()) return;
  if (Choose(column, "slot", kSlots, &scene.edited)) state->slider = {};
}

// Edits one slider's value in the tuning; `apply` stores the number.
template <typename Apply>
void EditValue(WindowState* state, const char* id, const SliderSpec& spec, double value,
               Column* column, const Apply& apply) {
  const SliderResult result = GainSlider(column, id, spec, &state->slider, &value);
  if (result.changed) {
    Tuning tuning = state->scene->tuning().current();
    apply(value, &tuning);
    state->scene->tuning().Edit(std::move(tuning));
    PostTuning(state);
  }
  if (result.finished) CommitTuning(state);
}

SliderSpec GainSpec(const ParameterInfo& info, std::string_view unit, double initial) {
  SliderSpec spec;
  spec.symbol = info.symbol;
  spec.name = info.name;
  spec.unit = unit;
  spec.min = info.min;
  spec.max = std::max(info.max, initial);
  spec.default_value = initial;
  spec.scale = info.min > 0 ? SliderScale::kLogarithmic : SliderScale::kLinear;
  spec.decimals = -1;
  spec.typed_min = 0;
  spec.typed_max = kMaxTypedGain;
  spec.tip = info.description;
  return spec;
}

// One slider for the largest number; if they differ it scales them in proportion, a skew matrix to
// the scene's, as one that is zero has no direction to turn in.
void DrawCommonGain(WindowState* state, std::size_t i, Column* column) {
  const ActiveScene& scene = *state->scene;
  const ParameterInfo& info = scene.law().parameters[i];
  const Eigen::VectorXd &initial = scene.tuning().initial().gains[i],
                        &gain = scene.tuning().current().gains[i];
  const bool is_skew = info.shape == GainShape::kSkew;
  Eigen::VectorXd pattern = is_skew ? initial : gain;
  if (is_skew && LargestEntry(pattern) == 0) return;
  SliderSpec spec = GainSpec(info, GainUnit(scene.units()[i], scene.session.scene().control_model),
                             LargestEntry(initial));
  if ((pattern.array() == pattern[0]).all()) {
    pattern.setOnes();
  } else {
    spec.name += ", largest";
  }
  EditValue(state, info.key.data(), spec, LargestEntry(gain), column,
            [&](double value, Tuning* tuning) {
              tuning->gains[i] = (value / pattern.maxCoeff()) * pattern;
            });
}

void DrawJointGains(WindowState* state, std::size_t i, Column* column) {
  const ActiveScene& scene = *state->scene;
  const ParameterInfo& info = scene.law().parameters[i];
  ImGui::PushID(info.key.data());
  for (Eigen::Index j = 0; j < scene.tuning().current().gains[i].size(); ++j) {
    SliderSpec spec =
        GainSpec(info, GainUnit(scene.units()[i], scene.session.scene().control_model),
                 scene.tuning().initial().gains[i][j]);
    const std::string number = std::to_string(j + 1);
    const bool has_subscript = spec.symbol.find('_') != std::string::npos;
    spec.symbol += (has_subscript ? "," : "_") + number;
    spec.name = scene.velocity_names[static_cast<std::size_t>(j)];
    EditValue(state, number.c_str(), spec, scene.tuning().current().gains[i][j], column,
              [i, j](double value, Tuning* tuning) { tuning->gains[i][j] = value; });
  }
  ImGui::PopID();
}

void DrawGains(WindowState* state, Column* column) {
  ActiveScene& scene = *state->scene;
  if (scene.session.scene().plant.nv() > 1) {
    Choose(column, "gain mode", kGainModes, &scene.gains_by_joint);
  }
  const std::size_t count = scene.tuning().current().gains.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (scene.gains_by_joint && scene.law().parameters[i].shape == GainShape::kCoordinates) {
      DrawJointGains(state, i, column);
    } else {
      DrawCommonGain(state, i, column);
    }
  }
}

void DrawFactorizationText(WindowState* state, Column* column) {
  ActiveScene& scene = *state->scene;
  ActiveScene::FactorizationField& field = scene.field;
  const std::string present = ToString(scene.tuning().current().factorization);
  if (present != field.of) field = {present, present, ""};
  const bool changed =
      TextInput(state->ui, "##factorization", column->Box(30), &field.text, "christoffel");
  const bool finished = ImGui::IsItemDeactivatedAfterEdit();
  if (changed || finished) {
    try {
      Factorization typed =
          ReadFactorization(field.text, scene.session.scene(scene.edited).control_model);
      field.error.clear();
      if (finished) SetFactorization(state, std::move(typed));
    } catch (const UserError& error) {
      field.error = error.what();
    }
  }
  if (field.error.empty()) return column->Skip(40);
  column->Skip(34);
  column->Text(field.error, 10, state->ui.theme.error);
}

void DrawTorsionSlider(WindowState* state, Column* column) {
  const ActiveScene& scene = *state->scene;
  const double initial = scene.tuning().initial().factorization.t;
  const double lowest = std::min(-3.0, initial), highest = std::max(3.0, initial);
  SliderSpec t{"t", "Torsion", "", lowest, highest, initial, SliderScale::kSigned};
  t.typed_min = -1000;
  t.typed_max = 1000;
  t.stops = {-1, 0, 1};
  t.tip = Explain("t");
  EditValue(state, "t", t, scene.tuning().current().factorization.t, column,
            [](double value, Tuning* tuning) { tuning->factorization.t = value; });
}

std::string TellVerdict(const TuneVerdict& verdict, bool is_torsion_free) {
  if (verdict.text.empty()) return "Does the choice of C matter? …";
  if (!verdict.is_known) return verdict.text;
  if (verdict.margin >= 1) return "Errors grow at this rate and delay.";
  if (is_torsion_free) {
    return verdict.matters ? "Torsion would matter here." : "Torsion would not matter here.";
  }
  const double degrees = verdict.turning * 180 / std::numbers::pi;
  return (verdict.matters ? "C matters here: " : "C hardly matters: ") +
         ("torsion turns errors by " + Short(degrees, 2) + "°.");
}

// Whether the choice of C matters with the settings at hand, in a line; why is under the pointer.
void DrawVerdict(WindowState* state, Column* column) {
  UpdateVerdict(state);
  const Ui& ui = state->ui;
  const TuneVerdict& verdict = state->verdict.result();
  const std::string text =
      TellVerdict(verdict, state->scene->tuning().current().factorization.torsion_free());
  const Rect row = column->Box(20);
  const Rgb color = verdict.margin >= 1 ? ui.theme.error
                    : verdict.is_known  ? ui.theme.text
                                        : ui.theme.muted;
  TextClipped(ui, ui.fonts.small, row.x, row.middle_y(), row.right(), color, text);
  std::string why = verdict.text;
  if (verdict.is_known) {
    why +=
        ".\nTorsion turns errors by ω_F/k = " + Short(verdict.turning * 180 / std::numbers::pi, 2) +
        "° while they decay by 1/e. Rate and delay take " + Short(verdict.margin, 2) +
        " of the largest delay that errors bear: from 1 on they grow.";
  }
  DelayedTooltip(ui, HitBox("verdict", row), why);
  column->Skip(26);
}

SliderSpec InjectionSpec(const InjectionSlot& slot, double initial) {
  const double reach = std::max({slot.place.is_joint ? 15.0 : 2.0, 1.25 * std::fabs(initial)});
  return {"β", slot.name, slot.unit, -reach, reach,       initial, SliderScale::kSigned,
          2,   -1e4,      1e4,       {0},    Explain("β")};
}

// Where torsion is injected, and how much.
void DrawInjection(WindowState* state, Column* column) {
  ActiveScene& scene = *state->scene;
  const Model& model = scene.session.scene().control_model;
  const Factorization& factorization = scene.tuning().current().factorization;
  const InjectionSlot slot = FindInjectionSlot(factorization, model, scene.injection);
  bool is_open = scene.shows_injection.value_or(slot.is_there);
  const bool was_open = is_open;
  const bool draws = column->Fold("more", "More: torsion injected at a body", &is_open);
  if (is_open != was_open) scene.shows_injection = is_open;
  column->Skip(8);
  if (!draws) return;
  std::vector<InjectionPlace> places = InjectionPlaces(model);
  if (std::ranges::find(places, slot.place) == places.end()) places.push_back(slot.place);
  std::vector<std::string> names;
  for (const InjectionPlace& place : places) names.push_back(NameOf(place));
  int selected = static_cast<int>(std::ranges::find(places, slot.place) - places.begin());
  if (Combo(state->ui, "injection place", names, &selected, column->Box(30), "at")) {
    scene.injection = places[static_cast<std::size_t>(selected)];
    return SetFactorization(state, MoveInjection(factorization, *scene.injection, model));
  }
  column->Skip(42);
  if (!slot.formula.empty()) {
    return column->Text(slot.name + ": β = " + slot.formula + ", which the text above changes", 10);
  }
  EditValue(state, "beta",
            InjectionSpec(slot, InjectionBeta(scene.tuning().initial().factorization)),
            InjectionBeta(factorization), column, [&](double value, Tuning* tuning) {
              // Where it comes back when it is 0 for a moment.
              scene.injection = slot.place;
              scene.shows_injection = true;
              tuning->factorization = WithBeta(tuning->factorization, slot, value, model);
            });
}

// Where no torsion can be, what would change it is greyed: the text still takes the other forms.
void DrawFactorization(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  const std::string_view kind = KindOf(state->scene->tuning().current().factorization);
  SectionLabel(ui, column->x, column->y, "Factorization of C");
  TextMiddle(ui, ui.fonts.small, column->x + column->width, column->y, ui.theme.muted, kind,
             Align::kRight);
  const Rect title{column->x, column->y - ui.px(10), column->width, ui.px(20)};
  DelayedTooltip(ui, HitBox("kind", title), Explain(kind));
  column->Skip(16);
  DrawFactorizationText(state, column);
  const bool has_torsion = HasTorsion(*state->scene);
  if (!has_torsion) column->Text(kNoTorsion, 10);
  const float top = column->y;
  if (!has_torsion) BeginGreyed();
  DrawTorsionSlider(state, column);
  if (!state->scene->session.is_replay()) DrawVerdict(state, column);
  DrawInjection(state, column);
  if (!has_torsion) EndGreyed(ui, {column->x, top, column->width, column->y - top});
}

// All that changes the run.
void DrawInputs(WindowState* state, Column* column) {
  DrawProfileBar(state, column);
  DrawGains(state, column);
  column->Rule(6, 18);
  if (state->scene->law().uses_factorization) DrawFactorization(state, column);
  // A comparison of laws needs it as well as one of matrices.
  if (Button(state->ui, "throw off", TipOf(ThrowOff), column->Box(34))) {
    ThrowOff(state);
  }
  column->Skip(34);
}

}  // namespace

void DrawTunePanel(WindowState* state, Column* column) {
  DrawSlotChoice(state, column);
  const bool is_replay = state->scene->session.is_replay();
  if (is_replay) column->Text("A replay: its settings are those of the recorded run.", 10);
  const float top = column->y;
  if (is_replay) BeginGreyed();
  DrawInputs(state, column);
  if (is_replay) EndGreyed(state->ui, {column->x, top, column->width, column->y - top});
}

}  // namespace civita
