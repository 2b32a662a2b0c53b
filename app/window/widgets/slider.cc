#include "app/window/widgets/slider.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/window/widgets/widgets.h"

namespace civita {
namespace {

constexpr float kValueWidth = 64;  // logical pixels, which a click on the value may hit
constexpr double kNudge = 0.01;    // share of the range for one press of an arrow key

// Position of a value on the track, 0…1, and its inverse.
double ToUnit(const SliderSpec& spec, double value) {
  if (spec.scale == SliderScale::kLogarithmic) {
    return (std::log(value) - std::log(spec.min)) / (std::log(spec.max) - std::log(spec.min));
  }
  return (value - spec.min) / (spec.max - spec.min);
}

double FromUnit(const SliderSpec& spec, double unit) {
  if (unit <= 0) return spec.min;
  if (unit >= 1) return spec.max;
  if (spec.scale == SliderScale::kLogarithmic) {
    return std::exp(std::log(spec.min) + unit * (std::log(spec.max) - std::log(spec.min)));
  }
  return spec.min + unit * (spec.max - spec.min);
}

// Decimals of three significant digits, including trailing zeros, so that the text keeps its width
// during a drag.
int DecimalsOfThreeDigits(double value) {
  if (value == 0) return 2;
  return std::max(0, 2 - static_cast<int>(std::floor(std::log10(std::fabs(value)) + 1e-9)));
}

std::string ThreeDigits(double value) {
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e5)) return Scientific(value);
  return Fixed(value, DecimalsOfThreeDigits(value));
}

// Rounds to the shown digits, so that the shown value is the effective one.
double Quantized(const SliderSpec& spec, double value) {
  const int decimals = spec.decimals < 0 ? DecimalsOfThreeDigits(value) : spec.decimals;
  const double unit = std::pow(10.0, decimals);
  return std::clamp(std::round(value * unit) / unit, spec.min, spec.max);
}

struct Track {
  float x0, x1, y;

  float At(double unit) const {
    return x0 + static_cast<float>(std::clamp(unit, 0.0, 1.0)) * (x1 - x0);
  }
};

// The value under the pointer, snapped to stops and the default.
double Dragged(const Ui& ui, const SliderSpec& spec, const Track& track, double value) {
  const ImGuiIO& io = ImGui::GetIO();
  const double span = track.x1 - track.x0;
  if (io.KeyShift) {
    return FromUnit(spec, ToUnit(spec, value) + 0.1 * static_cast<double>(io.MouseDelta.x) / span);
  }
  const auto attracts = [&](double target) {
    return std::fabs(track.At(ToUnit(spec, target)) - io.MousePos.x) < ui.px(4);
  };
  for (const double stop : spec.stops) {
    if (attracts(stop)) return stop;
  }
  if (attracts(spec.default_value)) return spec.default_value;
  return Quantized(spec, FromUnit(spec, static_cast<double>(io.MousePos.x - track.x0) / span));
}

bool IsModified(const SliderSpec& spec, double value) {
  return std::fabs(ToUnit(spec, value) - ToUnit(spec, spec.default_value)) > 1e-4;
}

void DrawTrack(const Ui& ui, const SliderSpec& spec, const Track& track, double value, bool held,
               bool focused, bool enabled) {
  const Theme& theme = ui.theme;
  const double origin =
      spec.scale == SliderScale::kSigned && spec.min < 0 ? ToUnit(spec, 0.0) : 0.0;
  const float thumb_x = track.At(ToUnit(spec, value)), origin_x = track.At(origin);
  const float half = ui.px(2);
  FillRect(ui, {track.x0 - half, track.y - half, track.x1 - track.x0 + 2 * half, 2 * half},
           theme.track, half);
  FillRect(ui,
           {std::min(thumb_x, origin_x), track.y - half, std::fabs(thumb_x - origin_x), 2 * half},
           enabled ? theme.accent : theme.stop, half);
  for (const double stop : spec.stops) {
    FillCircle(ui, ImVec2(track.At(ToUnit(spec, stop)), track.y), ui.px(3), theme.stop, 12);
  }
  const float tick_x = std::floor(track.At(ToUnit(spec, spec.default_value)));
  FillRect(ui, {tick_x, track.y + ui.px(8), ui.hairline(), ui.px(4)}, theme.faint);
  const float radius = ui.px(held ? 8 : 7);
  if (focused) {
    FillCircle(ui, ImVec2(thumb_x, track.y), radius + ui.px(4), {theme.accent, 0.30f}, 32);
  }
  const Rgb ring = enabled ? theme.accent : theme.stop;
  FillCircle(ui, ImVec2(thumb_x, track.y), radius,
             enabled ? theme.thumb : Mix(theme.thumb, theme.surface, 0.5f), 28);
  StrokeCircle(ui, ImVec2(thumb_x, track.y), radius - 0.5f, ring, std::fmax(1.0f, 1.5f * ui.scale));
}

void BeginEdit(const SliderSpec& spec, double value, ImGuiID id, SliderState* state) {
  state->editing = id;
  state->grab_focus = true;
  state->error.clear();
  state->text = Fixed(value, spec.decimals < 0 ? 6 : spec.decimals);
  if (spec.decimals < 0) {  // without trailing zeros, which the user would have to delete first
    state->text.erase(state->text.find_last_not_of('0') + 1);
    if (state->text.ends_with('.')) state->text.pop_back();
  }
}

// Shows the text field instead of the value; true when a number was accepted into `*value`.
bool RunEdit(const Ui& ui, const SliderSpec& spec, const Rect& field, SliderState* state,
             double* value) {
  TextInput(ui, "##number", field, &state->text, {}, {}, state->grab_focus);
  if (state->grab_focus) {
    state->grab_focus = false;
    return false;
  }
  if (!state->error.empty()) Tooltip(ui, state->error);
  const bool enter = IsEnterPressed();
  const bool left = ImGui::IsItemDeactivated();
  if (!enter && !left) return false;
  const bool cancelled = ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  const std::optional<double> number = ParseNumber(state->text);
  const double min = spec.typed_min.value_or(spec.min);
  const double max = spec.typed_max.value_or(spec.max);
  const bool valid = number && *number >= min && *number <= max;
  if (enter && !valid) {
    state->error = !number ? "Not a number"
                           : "Between " + FormatValue(spec, min) + " and " + FormatValue(spec, max);
    state->grab_focus = true;
    return false;
  }
  state->editing = 0;
  state->error.clear();
  if (cancelled || !valid) return false;
  *value = *number;
  return true;
}

// Handles arrow keys, enter and delete for the slider that has the keyboard.
SliderResult RunKeys(const SliderSpec& spec, ImGuiID id, SliderState* state, double* value) {
  const auto pressed = [](ImGuiKey key, bool repeat) { return ImGui::IsKeyPressed(key, repeat); };
  const double step = kNudge * (ImGui::GetIO().KeyShift ? 0.1 : 1.0);
  const auto released = [](ImGuiKey key) { return ImGui::IsKeyReleased(key); };
  const double before = *value;
  bool finished = released(ImGuiKey_UpArrow) || released(ImGuiKey_DownArrow);
  if (pressed(ImGuiKey_UpArrow, true)) {
    *value = Quantized(spec, FromUnit(spec, ToUnit(spec, *value) + step));
  } else if (pressed(ImGuiKey_DownArrow, true)) {
    *value = Quantized(spec, FromUnit(spec, ToUnit(spec, *value) - step));
  } else if (pressed(ImGuiKey_Delete, false)) {
    *value = spec.default_value;
    finished = true;
  } else if (IsEnterPressed()) {
    BeginEdit(spec, *value, id, state);
  } else if (pressed(ImGuiKey_Escape, false)) {
    state->focused = 0;
  }
  return {*value != before, finished};
}

// Draws symbol, name and the dot that marks a value other than the default.
void DrawName(const Ui& ui, const SliderSpec& spec, float x, float middle, float right,
              bool modified) {
  const float name_x = x + Symbol(ui, x, middle, ui.theme.text, spec.symbol) + ui.px(8);
  const float dot_room = modified ? ui.px(12) : 0;
  const float end =
      NameClipped(ui, ui.fonts.body, name_x, middle, right - dot_room, ui.theme.muted, spec.name);
  if (modified) {
    FillCircle(ui, ImVec2(end + ui.px(8), middle), ui.px(2.5f), ui.theme.accent, 12);
  }
}

// Over the name: what the slider does, and the name if there is no room for all of it.
void TellName(const Ui& ui, const SliderSpec& spec, const Rect& r) {
  if (!(r.w > 0)) return;
  const Hit hit = HitBox("name", r);
  const float room = r.w - SymbolWidth(ui, spec.symbol) - ui.px(8);
  const bool is_cut = TextWidth(ui.fonts.body, spec.name) > room;
  DelayedTooltip(ui, hit, (is_cut ? spec.name + (spec.tip.empty() ? "" : "\n") : "") + spec.tip);
}

}  // namespace

std::optional<double> ParseNumber(std::string_view text) {
  std::string ascii;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("−")) {
      ascii += '-';
      i += 2;
    } else if (text[i] != ' ') {
      ascii += text[i];
    }
  }
  if (ascii.starts_with('+') && !ascii.starts_with("+-")) ascii.erase(0, 1);
  double value = 0;
  const char* end = ascii.data() + ascii.size();
  const auto [stop, error] = std::from_chars(ascii.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return {};
  return value;
}

std::string FormatValue(const SliderSpec& spec, double value) {
  if (spec.decimals < 0) return ThreeDigits(value);
  return Fixed(value, spec.decimals, 0,
               spec.scale == SliderScale::kSigned ? Sign::kAlways : Sign::kNegativeOnly);
}

SliderResult GainSlider(const Ui& ui, const char* id, const SliderSpec& spec, SliderState* state,
                        float x, float y, float width, double* value, bool enabled) {
  ImGui::PushID(id);
  const ImGuiID own_id = ImGui::GetID("track");
  const float middle = y + ui.px(9);
  const Track track{x + ui.px(7), x + width - ui.px(7), y + ui.px(30)};
  const float unit_width = spec.unit.empty() ? 0 : TextWidth(ui.fonts.small, spec.unit) + ui.px(6);
  const float value_right = x + width - unit_width;
  SliderResult result;

  TellName(ui, spec, {x, y, value_right - ui.px(kValueWidth) - x, ui.px(18)});
  const Hit hit = HitBox("track", {x, y + ui.px(18), width, ui.px(24)}, Reach::kKeys);
  const bool ends = ImGui::IsItemDeactivated() && ImGui::IsMouseReleased(0);  // here or elsewhere
  const Hit value_hit =
      HitBox("value", {value_right - ui.px(kValueWidth), y, ui.px(kValueWidth), ui.px(18)});
  const bool pressed = enabled && (ImGui::IsItemActivated() || (hit.held && !state->editing));
  const bool had_keys = state->focused == own_id;  // not by the enter that reaches it
  if (pressed) state->focused = own_id;
  const bool wants_text =
      (value_hit.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) ||
      (hit.hovered && (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ||
                       (ImGui::GetIO().KeyCtrl && ImGui::IsMouseClicked(ImGuiMouseButton_Left))));
  const double before = *value;
  if (enabled && wants_text) {
    BeginEdit(spec, *value, own_id, state);
  } else if (enabled && ((hit.held && ImGui::IsMouseDown(0)) || ends) && !ImGui::GetIO().KeyCtrl &&
             state->editing != own_id) {
    *value = Dragged(ui, spec, track, *value);
    result.changed = *value != before;
  }
  if (enabled && (hit.clicked || ends) && state->editing != own_id) result.finished = true;

  DrawTrack(ui, spec, track, *value, hit.held, state->focused == own_id && enabled, enabled);
  if (state->editing == own_id) {
    const Rect field{value_right - ui.px(92), y - ui.px(4), ui.px(92), ui.px(26)};
    DrawName(ui, spec, x, middle, field.x - ui.px(8), IsModified(spec, *value));
    if (RunEdit(ui, spec, field, state, value)) {
      result = {*value != before, *value != before};
    }
  } else {
    const std::string text = FormatValue(spec, *value);
    TextMiddle(ui, ui.fonts.body, value_right, middle, enabled ? ui.theme.text : ui.theme.faint,
               text, Align::kRight);
    DrawName(ui, spec, x, middle, value_right - TextWidth(ui.fonts.body, text) - ui.px(8),
             enabled && IsModified(spec, *value));
    if (enabled && had_keys && state->focused == own_id && state->editing == 0 &&
        !ImGui::GetIO().WantTextInput && !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
      const SliderResult keys = RunKeys(spec, own_id, state, value);
      result.changed |= keys.changed;
      result.finished |= keys.finished;
    }
    if (state->focused != own_id) DelayedTooltip(ui, hit, spec.tip);
  }
  TextMiddle(ui, ui.fonts.small, x + width, middle, ui.theme.muted, spec.unit, Align::kRight);
  ImGui::PopID();
  return result;
}

}  // namespace civita
