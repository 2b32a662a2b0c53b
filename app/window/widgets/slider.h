#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/widgets/widgets.h"

namespace civita {

/// How a slider's track and number go: kSigned shows + and fills from zero.
enum class SliderScale { kLinear, kLogarithmic, kSigned };

/// Display and limits of a number.
struct SliderSpec {
  std::string symbol;  ///< "K_D": the part after the underscore is a subscript
  std::string name;
  std::string unit;
  double min = 0;
  double max = 1;
  double default_value = 0;
  SliderScale scale = SliderScale::kLinear;
  int decimals = 2;  ///< −1: three significant digits
  /// limits of typed numbers; default: min and max
  std::optional<double> typed_min = {}, typed_max = {};
  std::vector<double> stops = {};  ///< named values, as dots on the track, to which the thumb snaps
  std::string tip = {};
};

/// Which slider has the keyboard, and the number being typed. One for each window.
struct SliderState {
  ImGuiID focused = 0;
  ImGuiID editing = 0;
  bool grab_focus = false;  ///< the text field takes the keyboard in this frame
  std::string text;
  std::string error;  ///< why the typed number was refused
};

struct SliderResult {
  bool changed = false;   ///< the value differs from the one passed in
  bool finished = false;  ///< the change is complete: one undo step
};

/// Height of a slider's row, logical pixels.
inline constexpr float kSliderRow = 46.0f;

/// Gain slider on a row of `width`: symbol, name, value, unit; below a track with a tick at the
/// default. Drag (shift: a tenth of the speed), ctrl-click, double-click or enter to type a
/// number, up and down to nudge, delete for the default.
SliderResult GainSlider(const Ui& ui, const char* id, const SliderSpec& spec, SliderState* state,
                        float x, float y, float width, double* value, bool enabled = true);

/// The same as the next row of a column.
inline SliderResult GainSlider(Column* column, const char* id, const SliderSpec& spec,
                               SliderState* state, double* value, bool enabled = true) {
  const auto& [ui, x, y, width] = *column;
  const SliderResult result = GainSlider(ui, id, spec, state, x, y, width, value, enabled);
  column->Skip(kSliderRow);
  return result;
}

/// Parses a number ("−" is a minus, spaces between digits are ignored); nullopt if it is none.
std::optional<double> ParseNumber(std::string_view text);

/// The value as the slider shows it.
std::string FormatValue(const SliderSpec& spec, double value);

}  // namespace civita
