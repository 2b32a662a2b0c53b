#include "app/window/widgets/draw.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

namespace civita {
namespace {

float Round(float x) { return std::floor(x + 0.5f); }

// Letters with a dot, as they are shown and in files.
constexpr std::pair<std::string_view, std::string_view> kDotted[] = {
    {kVDot, "V\u0307"}, {kSmallVDot, "v\u0307"}, {kQDot, "q\u0307"}};

void ReplaceAll(std::string_view from, std::string_view to, std::string* text) {
  for (std::size_t at = 0; (at = text->find(from, at)) != text->npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

// Logical distance from a row's centre down to its baseline.
float BaselineDrop(const Fonts& fonts, Font font) {
  if (font == fonts.tiny) return 4.0f;
  if (font == fonts.large) return 6.0f;
  return 5.0f;
}

// Bytes of the beginning of a line of text that fit, in whole code points. Takes no longer for a
// longer text.
std::size_t FittingLength(Font font, float width, std::string_view text) {
  // ImGui leaves out what reaches the limit.
  const float limit = std::nextafter(std::floor(width), FLT_MAX);
  if (text.empty() || limit <= 0) return 0;
  const char* end = nullptr;
  font.face->CalcTextSizeA(font.px, limit, 0, text.data(), text.data() + text.size(), &end);
  return static_cast<std::size_t>(end - text.data());
}

std::size_t CodePointLength(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
    ++length;
  return length;
}

// Where the end of a name begins that stays when its middle goes, at most this wide: at a word if
// one fits.
std::size_t BeginOfEnd(Font font, float width, std::string_view name) {
  std::size_t begin = name.size(), word = name.npos;
  for (std::size_t at = name.size(); at-- > 0;) {
    if ((static_cast<unsigned char>(name[at]) & 0xC0) == 0x80) continue;  // within a code point
    if (TextWidth(font, name.substr(at)) > width) break;
    begin = at;
    if (std::string_view(" _/:+-").find(name[at]) != std::string_view::npos) word = at;
  }
  return word == name.npos ? begin : word;
}

ImDrawList* ListOf(const Ui& ui) { return ui.list ? ui.list : ImGui::GetWindowDrawList(); }

ImU32 Packed(Ink ink) { return ToImU32(ink.color, ink.alpha); }

// Length of the first line: up to the last space that fits, since ImGui would also break after a
// point and take numbers apart; a word that is too long is cut, a path behind a slash.
std::size_t LineEnd(Font font, float width, std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t fitting = FittingLength(font, std::ceil(width), line);
  if (fitting == line.size()) return fitting;
  const std::size_t space = line.rfind(' ', fitting);
  if (space != line.npos && space > 0) return space;
  const std::size_t slash = fitting > 1 ? line.rfind('/', fitting - 1) : line.npos;
  if (slash != line.npos && slash > 0) return slash + 1;
  return std::max(CodePointLength(line), fitting);
}

// Calls `draw` with each line of a wrapped text and its top, from 0 on. Returns the height.
template <typename Draw>
float ForEachLine(Font font, float width, std::string_view text, const Draw& draw) {
  float y = 0;
  while (!text.empty()) {
    const std::size_t end = LineEnd(font, width, text);
    draw(text.substr(0, end), y);
    y += font.px;
    text.remove_prefix(end);
    if (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  }
  return y;
}

}  // namespace

std::string ExportText(std::string_view text) {
  std::string out(text);
  for (const auto& [shown, exported] : kDotted) ReplaceAll(shown, exported, &out);
  return out;
}

std::string ShownText(std::string_view text) {
  std::string out(text);
  for (const auto& [shown, exported] : kDotted) ReplaceAll(exported, shown, &out);
  std::erase(out, '`');
  return out;
}

Ui Above(const Ui& ui) {
  Ui above = ui;
  above.list = ImGui::GetForegroundDrawList();
  return above;
}

float TextWidth(Font font, std::string_view text) {
  if (text.empty()) return 0;
  const char* begin = text.data();
  return std::ceil(font.face->CalcTextSizeA(font.px, FLT_MAX, 0, begin, begin + text.size()).x);
}

void TextTop(const Ui& ui, Font font, float x, float y, Ink ink, std::string_view text,
             Align align) {
  if (text.empty()) return;
  if (align != Align::kLeft) {
    x -= TextWidth(font, text) * (align == Align::kCenter ? 0.5f : 1.0f);
  }
  ListOf(ui)->AddText(font.face, font.px, ImVec2(Round(x), Round(y)), Packed(ink), text.data(),
                      text.data() + text.size());
}

void TextMiddle(const Ui& ui, Font font, float x, float mid_y, Ink ink, std::string_view text,
                Align align) {
  const float baseline = Round(mid_y + ui.px(BaselineDrop(ui.fonts, font)));
  TextTop(ui, font, x, baseline - font.ascent(), ink, text, align);
}

std::string Shortened(Font font, float width, std::string_view text) {
  std::string shown(text.substr(0, FittingLength(font, width, text)));
  if (shown.size() == text.size()) return shown;
  shown.resize(FittingLength(font, width - TextWidth(font, "…"), shown));
  while (!shown.empty() && shown.back() == ' ') shown.pop_back();
  return shown.empty() ? shown : shown + "…";
}

std::string ShortenedName(Font font, float width, std::string_view name) {
  constexpr float kEnd = 0.6f;  // of the width
  if (FittingLength(font, width, name) == name.size()) return std::string(name);
  const float room = width - TextWidth(font, "…");
  const std::string_view end = name.substr(BeginOfEnd(font, kEnd * room, name));
  const std::size_t begin = FittingLength(font, room - TextWidth(font, end), name);
  if (begin == 0) return Shortened(font, width, name);
  std::string shown(name.substr(0, begin));
  while (shown.ends_with(' ') || shown.ends_with(',')) shown.pop_back();
  return shown + "…" + std::string(end);
}

float TextClipped(const Ui& ui, Font font, float x, float mid_y, float right, Ink ink,
                  std::string_view text) {
  const std::string shown = Shortened(font, right - x, text);
  TextMiddle(ui, font, x, mid_y, ink, shown);
  return x + TextWidth(font, shown);
}

float NameClipped(const Ui& ui, Font font, float x, float mid_y, float right, Ink ink,
                  std::string_view name) {
  const std::string shown = ShortenedName(font, right - x, name);
  TextMiddle(ui, font, x, mid_y, ink, shown);
  return x + TextWidth(font, shown);
}

float TextHeight(Font font, float width, std::string_view text) {
  return ForEachLine(font, width, text, [](std::string_view, float) {});
}

float TextWrapped(const Ui& ui, Font font, float x, float y, float width, Ink ink,
                  std::string_view text) {
  return ForEachLine(font, width, text, [&](std::string_view line, float at) {
    TextTop(ui, font, x, y + at, ink, line);
  });
}

float SymbolWidth(const Ui& ui, std::string_view symbol) {
  const std::size_t split = symbol.find('_');
  if (split == symbol.npos) return TextWidth(ui.fonts.strong, symbol);
  return TextWidth(ui.fonts.strong, symbol.substr(0, split)) + ui.px(1) +
         TextWidth(ui.fonts.tiny, symbol.substr(split + 1));
}

float Symbol(const Ui& ui, float x, float mid_y, Ink ink, std::string_view symbol) {
  const std::size_t split = symbol.find('_');
  const std::string_view letter = symbol.substr(0, split);
  TextMiddle(ui, ui.fonts.strong, x, mid_y, ink, letter);
  if (split != symbol.npos) {
    TextMiddle(ui, ui.fonts.tiny, x + TextWidth(ui.fonts.strong, letter) + ui.px(1),
               mid_y + ui.px(3), ink, symbol.substr(split + 1));
  }
  return SymbolWidth(ui, symbol);
}

void FillRect(const Ui& ui, const Rect& r, Ink ink, float rounding) {
  ListOf(ui)->AddRectFilled(r.min(), r.max(), Packed(ink), rounding);
}

void StrokeRect(const Ui& ui, const Rect& r, Ink ink, float rounding) {
  const float inset = 0.5f * ui.hairline();
  ListOf(ui)->AddRect(ImVec2(r.x + inset, r.y + inset),
                      ImVec2(r.right() - inset, r.bottom() - inset), Packed(ink), rounding,
                      ui.hairline());
}

void FillCircle(const Ui& ui, ImVec2 center, float radius, Ink ink, int sides) {
  ListOf(ui)->AddCircleFilled(center, radius, Packed(ink), sides);
}

void StrokeCircle(const Ui& ui, ImVec2 center, float radius, Ink ink, float thickness, int sides) {
  ListOf(ui)->AddCircle(center, radius, Packed(ink), sides, thickness);
}

void DrawCard(const Ui& ui, const Rect& r) {
  FillRect(ui, r, ui.theme.surface, ui.px(10));
  StrokeRect(ui, r, ui.theme.border, ui.px(10));
}

void DrawFloating(const Ui& ui, const Rect& r, Ink ground, Ink edge, float rounding) {
  rounding = ui.px(rounding);
  constexpr int kLayers = 6;  // scaled and faded copies add up to a soft edge
  const float step = ui.px(2);
  for (int i = kLayers; i >= 1; --i) {
    const float grow = step * static_cast<float>(i);
    const Rect layer{r.x - grow, r.y - 0.5f * grow + ui.px(3), r.w + 2 * grow, r.h + 1.5f * grow};
    FillRect(ui, layer, {0x000000, ui.theme.shadow_alpha / kLayers}, rounding + grow);
  }
  FillRect(ui, r, ground, rounding);
  StrokeRect(ui, r, edge, rounding);
}

void DrawRule(const Ui& ui, float x0, float x1, float y) {
  FillRect(ui, {x0, y, x1 - x0, ui.hairline()}, ui.theme.border);
}

void DrawVerticalRule(const Ui& ui, float x, float y0, float y1) {
  FillRect(ui, {x, y0, ui.hairline(), y1 - y0}, ui.theme.border);
}

void DrawSwatch(const Ui& ui, Swatch swatch, float cx, float cy, Ink ink) {
  const float unit = ui.px(12) / 12.0f;
  switch (swatch) {
    case Swatch::kLine:
      FillRect(ui, {cx - 6 * unit, Round(cy - 1.5f * unit), 12 * unit, ui.px(3)}, ink, 1.5f * unit);
      break;
    case Swatch::kDashes:
      for (int i = 0; i < 3; ++i) {
        const float x = Round(cx + (4.5f * static_cast<float>(i) - 6.0f) * unit);
        FillRect(ui, {x, Round(cy - unit), ui.px(3), ui.px(2)}, ink);
      }
      break;
    case Swatch::kRing:
      FillCircle(ui, ImVec2(cx, cy), 4.5f * unit, {ink.color, 0.35f}, 20);
      StrokeCircle(ui, ImVec2(cx, cy), 4.5f * unit, ink, 1.5f * unit, 20);
      break;
    case Swatch::kDot:
      FillCircle(ui, ImVec2(cx, cy), 4.5f * unit, ink, 20);
      break;
  }
}

}  // namespace civita
