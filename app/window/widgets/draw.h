#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "app/window/widgets/ui.h"
#include "study/typeset_number.h"

namespace civita {

/// A rectangle in device pixels, origin at the top left.
struct Rect {
  float x = 0, y = 0, w = 0, h = 0;

  float right() const { return x + w; }
  float bottom() const { return y + h; }
  float middle_x() const { return x + 0.5f * w; }
  float middle_y() const { return y + 0.5f * h; }
  ImVec2 min() const { return ImVec2(x, y); }
  ImVec2 max() const { return ImVec2(x + w, y + h); }
  bool contains(ImVec2 p) const { return p.x >= x && p.x < x + w && p.y >= y && p.y < y + h; }
};

enum class Align { kLeft, kCenter, kRight };

/// Letters without a precomposed code point, drawn into the fonts' private use area.
inline constexpr char kVDot[] = "\uE000";       ///< V̇
inline constexpr char kSmallVDot[] = "\uE001";  ///< v̇
inline constexpr char kQDot[] = "\uE002";       ///< q̇

/// The text for a file or the clipboard: private letters become letter + combining dot above.
std::string ExportText(std::string_view text);
/// The inverse, for text from elsewhere that is to be drawn, without Markdown's backticks.
std::string ShownText(std::string_view text);

/// As `ui`, but drawing above all windows.
Ui Above(const Ui& ui);

/// Width of one line in device pixels, rounded up.
float TextWidth(Font font, std::string_view text);

/// Draws one line whose top left (or top centre, top right) is (x, y); positions are rounded to
/// whole pixels, since text at fractional positions is blurred at scale 1.
void TextTop(const Ui& ui, Font font, float x, float y, Ink ink, std::string_view text,
             Align align = Align::kLeft);

/// Draws one line on the row whose centre is `mid_y`. Body, strong and small text share a baseline
/// there, so that a value and its unit are aligned.
void TextMiddle(const Ui& ui, Font font, float x, float mid_y, Ink ink, std::string_view text,
                Align align = Align::kLeft);

/// What of a text fits, with an ellipsis if it is not all.
std::string Shortened(Font font, float width, std::string_view text);

/// As Shortened, of a name: its middle goes, since names that are alike often differ at their ends.
std::string ShortenedName(Font font, float width, std::string_view name);

/// As TextMiddle, left-aligned, and truncated with an ellipsis at `right`. Returns the text's end.
float TextClipped(const Ui& ui, Font font, float x, float mid_y, float right, Ink ink,
                  std::string_view text);
/// As TextClipped, of a name.
float NameClipped(const Ui& ui, Font font, float x, float mid_y, float right, Ink ink,
                  std::string_view name);

/// The height of text that is wrapped at `width`.
float TextHeight(Font font, float width, std::string_view text);
/// Draws text wrapped at `width` from the top left (x, y). Returns its height.
float TextWrapped(const Ui& ui, Font font, float x, float y, float width, Ink ink,
                  std::string_view text);

/// Draws a symbol such as "K_D" in semibold, with the part after the underscore as a subscript.
/// Returns its width.
float Symbol(const Ui& ui, float x, float mid_y, Ink ink, std::string_view symbol);
float SymbolWidth(const Ui& ui, std::string_view symbol);

enum class Icon {
  kPlay,
  kPause,
  kStep,
  kStepBack,
  kReset,
  kCamera,
  kSun,
  kMoon,
  kHelp,
  kChevronDown,
  kChevronUp,
  kClose,
  kWarning,
  kCheck,
  kSearch,
  kUndo,
  kRedo,
  kPush,
  kThrow,
  kExport,
  kFile,
  kFolder,
  kFit,
  kFollow,
  kPlus,
  kRows,
  kSave,
  kCopy,
  kBranch,
  kRecord,
  kJobs,
};

/// Draws an icon with 1.5 px strokes on a 16 px box, centred at (cx, cy); `size` in logical
/// pixels.
void DrawIcon(const Ui& ui, Icon icon, float cx, float cy, Ink ink, float size = 16.0f);

/// Draws a filled box; the second function adds a hairline inside its edge.
void FillRect(const Ui& ui, const Rect& r, Ink ink, float rounding = 0.0f);
void StrokeRect(const Ui& ui, const Rect& r, Ink ink, float rounding = 0.0f);

/// Draw a disc, of `sides` sides, and a circle.
void FillCircle(const Ui& ui, ImVec2 center, float radius, Ink ink, int sides = 16);
void StrokeCircle(const Ui& ui, ImVec2 center, float radius, Ink ink, float thickness,
                  int sides = 28);

/// Draws a card: surface, hairline border, radius 10.
void DrawCard(const Ui& ui, const Rect& r);

/// Draws a card or sheet that floats above others: soft shadow, ground, and a hairline inside its
/// edge. `rounding` in logical pixels.
void DrawFloating(const Ui& ui, const Rect& r, Ink ground, Ink edge, float rounding);

/// Draw horizontal and vertical hairlines.
void DrawRule(const Ui& ui, float x0, float x1, float y);
void DrawVerticalRule(const Ui& ui, float x, float y0, float y1);

/// The mark of a legend or chip, 12 wide: a full dash, dashes, a dot or a ring.
enum class Swatch { kLine, kDashes, kDot, kRing };
void DrawSwatch(const Ui& ui, Swatch swatch, float cx, float cy, Ink ink);

}  // namespace civita
