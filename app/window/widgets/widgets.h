#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/window/widgets/draw.h"

namespace civita {

/// Small widgets of the window, drawn on the current ImGui window's list over invisible buttons,
/// so that ImGui handles ids, focus and hovering. All rectangles are in device pixels.

struct Hit {
  bool hovered = false;
  bool held = false;
  bool clicked = false;
  bool focused = false;  ///< the last clicked item, until another one is clicked or esc is pressed
};

/// What reaches an item: the mouse alone, or the arrow keys too, see WindowState::by_keys.
enum class Reach { kMouse, kKeys };
/// An invisible button over `r`, with a ring while the keyboard is at it.
Hit HitBox(const char* id, const Rect& r, Reach reach = Reach::kMouse);

/// Whether enter is pressed, that of the letters or of the numbers.
bool IsEnterPressed();

/// What is drawn between the two takes no input, and then fades in `r` into the ground, a card's.
void BeginGreyed();
void EndGreyed(const Ui& ui, const Rect& r, std::optional<Rgb> ground = {});

/// Shows a tooltip beside the pointer at once; may have several lines, long ones are wrapped.
void Tooltip(const Ui& ui, std::string_view text);

/// Shows a tooltip for the last item after the pointer has rested on it. Two spaces separate the
/// key: "Reset  backspace".
void DelayedTooltip(const Ui& ui, const Hit& hit, std::string_view text);

struct IconButtonOptions {
  bool on = false;  ///< toggled: tinted
  bool enabled = true;
  std::string_view word = {};    ///< below the icon
  std::optional<Rgb> tint = {};  ///< while it is on; none: the accent
};
bool IconButton(const Ui& ui, const char* id, Icon icon, const Rect& r, std::string_view tip,
                IconButtonOptions options = {});

enum class ButtonKind { kPlain, kPrimary };
bool Button(const Ui& ui, const char* id, std::string_view label, const Rect& r,
            ButtonKind kind = ButtonKind::kPlain, std::optional<Icon> icon = {},
            bool enabled = true);

/// The round play or pause button.
bool PlayButton(const Ui& ui, const char* id, bool playing, const Rect& r, std::string_view tip);

/// A pill of a filter row.
bool Pill(const Ui& ui, const char* id, std::string_view label, const Rect& r, bool on);

/// Mutually exclusive choices side by side; true when `*selected` changed. −1 selects none.
bool Segmented(const Ui& ui, const char* id, std::span<const std::string_view> labels,
               int* selected, const Rect& r);

/// An entry of a list.
struct ListItem {
  std::string_view label;
  std::string_view detail = {};   ///< muted, beside it
  std::string_view heading = {};  ///< of the entries from this one on; "": unchanged
  std::string_view words = {};    ///< by which it is also found; shown as its tooltip
  bool is_on = false;             ///< checked, in a list of switches
  bool is_always = false;         ///< found by whatever is typed
};

/// Of ASCII letters; others stay.
std::string LowerCase(std::string text);

/// Whether the text contains every word of the filter, in whatever case.
bool ContainsWords(const std::string& text, const std::string& filter);

/// A drop-down list; true when `*selected` changed. `lead` is a muted word before the choice.
bool Combo(const Ui& ui, const char* id, std::span<const std::string> items, int* selected,
           const Rect& r, std::string_view lead = {});

/// The list without the combo, below `r`, opened by a click on the item of `hit`. With a `filter`
/// it has a text field at its top, and shows the entries that contain each of its words.
bool ListBelow(const Ui& ui, const char* id, const Hit& hit, std::span<const ListItem> items,
               int* selected, const Rect& r, std::string* filter = nullptr);

/// How wide ListBelow's list is.
float ListWidth(const Ui& ui, std::span<const ListItem> items, float least);

/// Whether the list of ListBelow with this id, in the same place, is open.
bool IsListOpen(const char* id);

/// A pill over the 3-D view that opens a list, and a combo as one.
Hit PillField(const Ui& ui, const char* id, std::string_view label, const Rect& r);
bool PillCombo(const Ui& ui, const char* id, std::span<const std::string> items, int* selected,
               const Rect& r);

/// A row of tabs in a card's header, 44 high; the gaps shrink until all fit, and those that do not
/// are in a list at its end. True when changed.
bool Tabs(const Ui& ui, const char* id, std::span<const std::string_view> labels, int* selected,
          const Rect& r);

/// A chip over the 3-D view with a swatch; returns its right edge. `tip`: under the pointer.
float Chip(const Ui& ui, float x, float y, Swatch swatch, Rgb color, std::string_view label,
           std::string_view detail = {}, std::string_view tip = {});

/// A one-line text field with an icon and a hint; true when the text changed.
bool TextInput(const Ui& ui, const char* id, const Rect& r, std::string* text,
               std::string_view hint, std::optional<Icon> icon = {}, bool grab_focus = false);

/// Lets a field of TextInput show its text as it was changed elsewhere, also while it is typed
/// into. Call where the field is drawn.
void ReloadText(const char* id);

/// Title of a group in a card.
void SectionLabel(const Ui& ui, float x, float mid_y, std::string_view text);

/// A card's content that grows downwards. Heights are in logical pixels, positions in device
/// pixels.
struct Column {
  const Ui& ui;
  float x, y, width;

  /// A box of this height where the next thing begins.
  Rect Box(float height) const { return {x, y, width, ui.px(height)}; }
  void Skip(float height) { y += ui.px(height); }
  void Title(std::string_view text, float height);
  /// Wrapped text in small type, muted unless a colour is given, and a gap below it.
  void Text(std::string_view text, float gap, std::optional<Rgb> color = {});
  /// A hairline with gaps.
  void Rule(float above, float below);
  /// A line that opens and closes what is below it. @returns whether that is open.
  bool Fold(const char* id, std::string_view text, bool* open);
};

/// Segmented as the next row of a column, of an enumeration's names or a bool's.
template <typename Choice>
bool Choose(Column* column, const char* id, std::span<const std::string_view> labels,
            Choice* choice, float height = 28) {
  int selected = static_cast<int>(*choice);
  const bool changed = Segmented(column->ui, id, labels, &selected, column->Box(height));
  *choice = static_cast<Choice>(selected);
  column->Skip(height + 12);
  return changed;
}

/// "name        value unit" on a row of 20, the units aligned in a column of 40.
void FactRow(const Ui& ui, const Rect& r, std::string_view name, std::string_view value,
             std::string_view unit, std::optional<Rgb> value_color = {});

/// Scrolling part of a card. Returns the top left of the content; EndScroll takes its bottom, and
/// with `stick_to_end` scrolls to the end of growing content.
ImVec2 BeginScroll(const Ui& ui, const char* id, const Rect& r);
void EndScroll(float content_bottom, bool stick_to_end = false);

/// Begins a sheet over a window of this size, which it shades, with a title and a button that
/// closes it at its top; ends with ImGui::End(). `row`: the title's middle, logical pixels from the
/// top. `sheet`: its size; it is put in the window's middle.
/// @returns whether it was closed.
bool BeginSheet(const Ui& ui, const char* id, float width, float height, Rect* sheet,
                std::string_view title, float row = 34);
/// Left and right padding of a sheet, logical pixels.
inline constexpr float kSheetPad = 24;
/// Whether the mouse clicks beside the sheet.
bool IsClickedBeside(const Rect& sheet);

/// Draws "label value" in the status bar; draws nothing and returns `x` unchanged if it would
/// exceed `right`.
float StatusItem(const Ui& ui, float x, float mid_y, float right, std::string_view label,
                 std::string_view value, Rgb value_color);

/// A short notice at the bottom of the view that disappears by itself.
struct Toast {
  std::string text;
  bool is_error = false;
  double until = 0.0;  ///< window time, s
};

/// Draws the toast centred above the bottom of `view` while it lasts.
void DrawToast(const Ui& ui, const Toast& toast, double now, const Rect& view);

}  // namespace civita
