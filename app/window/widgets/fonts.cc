#include "app/window/widgets/fonts.h"

#include <fontconfig/fontconfig.h>
#include <imgui_freetype.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>

namespace civita {
namespace {

// Inclusive pairs, zero-terminated, in ImGui's format.
constexpr ImWchar kDigits[] = {'0', '9', 0x2007, 0x2007, 0};
constexpr ImWchar kSigns[] = {'+', '+', 0x2212, 0x2212, 0};
constexpr ImWchar kLatin[] = {
    0x20,   0x17E,  0x2D9,  0x2D9,  0x391,  0x3C9,  0x1E00, 0x1EFF, 0x2009, 0x2009, 0x2010,
    0x2015, 0x2017, 0x2027, 0x2030, 0x2033, 0x2070, 0x209C, 0x2190, 0x2193, 0x2202, 0x2202,
    0x2206, 0x2206, 0x221A, 0x221E, 0x222B, 0x222B, 0x2248, 0x2248, 0x2260, 0x2265, 0};
constexpr ImWchar kMath[] = {0x1D40, 0x1D40, 0x1D62, 0x1D6A, 0x2016, 0x2016, 0x2190,
                             0x21FF, 0x2200, 0x22FF, 0x25A0, 0x25FF, 0};

constexpr ImWchar kDotAbove = 0x2D9;
constexpr ImWchar kFirstComposed = 0xE000;
constexpr char kDottedLetters[] = "Vvq";
constexpr int kDottedCount = 3;

struct FcPatternDeleter {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
using FcPatternPtr = std::unique_ptr<FcPattern, FcPatternDeleter>;

std::string StringProperty(FcPattern* pattern, const char* property) {
  FcChar8* value = nullptr;
  if (FcPatternGetString(pattern, property, 0, &value) != FcResultMatch) return {};
  return reinterpret_cast<const char*>(value);
}

// Fontconfig always returns some font: `exact` refuses another family than the requested one.
std::string AskFontconfig(const char* family, int weight, bool exact) {
  const FcPatternPtr wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(wanted.get(), FC_WEIGHT, weight);
  FcPatternAddInteger(wanted.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(wanted.get(), FC_SCALABLE, FcTrue);
  FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultNoMatch;
  const FcPatternPtr found(FcFontMatch(nullptr, wanted.get(), &result));
  if (found == nullptr) return {};
  if (exact && StringProperty(found.get(), FC_FAMILY) != family) return {};
  FcBool variable = FcFalse;  // a variable font would be loaded with its default weight
  FcPatternGetBool(found.get(), FC_VARIABLE, 0, &variable);
  if (exact && variable == FcTrue) return {};
  return StringProperty(found.get(), FC_FILE);
}

std::string Find(const char* family, int weight, const char* debian_path) {
  std::error_code ignored;
  std::string path = AskFontconfig(family, weight, true);
  if (!path.empty() && std::filesystem::exists(path, ignored)) return path;
  return std::filesystem::exists(debian_path, ignored) ? debian_path : std::string();
}

struct SizedFont {
  ImFont* font;
  float px;
};

// Adds fonts to the atlas: one for each role, merged from up to three files.
class FontBuilder {
 public:
  FontBuilder(const FontFiles& files, float scale, ImFontAtlas* atlas)
      : files_(files), scale_(scale), atlas_(atlas) {
    config_.OversampleH = 1;
    config_.OversampleV = 1;
    config_.PixelSnapH = true;
  }

  // Inter's tabular digits need shaping; glyphs of a fixed width replace them. Later sources do
  // not overwrite glyphs of earlier ones, so the digits come first.
  ImFont* AddSans(const std::string& path, float size, float digit_width) {
    if (path.empty()) return AddDefault(size);
    const float px = Pixels(size);
    ImFontConfig cell = config_;
    cell.GlyphMinAdvanceX = cell.GlyphMaxAdvanceX = std::floor(px * digit_width + 0.5f);
    ImFont* font = atlas_->AddFontFromFileTTF(path.c_str(), px, &cell, kDigits);
    cell.MergeMode = true;
    atlas_->AddFontFromFileTTF(path.c_str(), px, &cell, kSigns);
    Merge(path, px, kLatin);
    Merge(files_.symbols, 0.94f * px, kMath);
    return Added(font, px);
  }

  ImFont* AddMono(float size) {
    if (files_.mono.empty()) return AddDefault(size);
    const float px = Pixels(size);
    ImFont* font = atlas_->AddFontFromFileTTF(files_.mono.c_str(), px, &config_, kLatin);
    Merge(files_.mono_symbols, 0.96f * px, kLatin);
    Merge(files_.symbols, 0.94f * px, kMath);
    return Added(font, px);
  }

  std::span<const SizedFont> added() const { return added_; }

 private:
  float Pixels(float size) const { return std::floor(size * scale_ + 0.5f); }

  void Merge(const std::string& path, float px, const ImWchar* ranges) {
    if (path.empty()) return;
    ImFontConfig merged = config_;
    merged.MergeMode = true;
    atlas_->AddFontFromFileTTF(path.c_str(), px, &merged, ranges);
  }

  ImFont* AddDefault(float size) {
    ImFontConfig plain;
    plain.SizePixels = Pixels(size);
    return Added(atlas_->AddFontDefault(&plain), plain.SizePixels);
  }

  ImFont* Added(ImFont* font, float px) {
    added_.push_back({font, px});
    return font;
  }

  const FontFiles& files_;
  float scale_;
  ImFontAtlas* atlas_;
  ImFontConfig config_;
  std::vector<SizedFont> added_;
};

struct Bitmap {
  unsigned char* pixels;
  int width, height;
};

// Copies the packed bitmap of `glyph` into the custom rectangle, its top left at (x, y) there;
// where two overlap the darker pixel is kept.
void Blit(const Bitmap& atlas, const ImFontGlyph& glyph, const ImFontAtlasCustomRect& target, int x,
          int y) {
  const auto round = [](float value) { return static_cast<int>(std::floor(value + 0.5f)); };
  const int u0 = round(glyph.U0 * static_cast<float>(atlas.width));
  const int v0 = round(glyph.V0 * static_cast<float>(atlas.height));
  const int width = round(glyph.X1 - glyph.X0);
  const int height = round(glyph.Y1 - glyph.Y0);
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const int tx = x + column, ty = y + row;
      if (tx < 0 || ty < 0 || tx >= target.Width || ty >= target.Height) continue;
      const unsigned char value = atlas.pixels[(v0 + row) * atlas.width + u0 + column];
      unsigned char& out = atlas.pixels[(target.Y + ty) * atlas.width + target.X + tx];
      out = std::max(out, value);
    }
  }
}

// Draws letter `index` of kDottedLetters with a dot above into its custom rectangle.
void Compose(const Bitmap& atlas, const ImFontAtlasCustomRect& target, ImFont* font, int index) {
  const ImFontGlyph* letter =
      font->FindGlyphNoFallback(static_cast<ImWchar>(kDottedLetters[index]));
  const ImFontGlyph* dot = font->FindGlyphNoFallback(kDotAbove);
  for (int row = 0; row < target.Height; ++row) {
    std::memset(atlas.pixels + (target.Y + row) * atlas.width + target.X, 0, target.Width);
  }
  if (letter == nullptr) return;
  Blit(atlas, *letter, target, static_cast<int>(letter->X0), static_cast<int>(letter->Y0));
  if (dot != nullptr) {
    const float middle = 0.5f * (letter->X0 + letter->X1 - dot->X1 + dot->X0);
    const float top = letter->Y0 - (dot->Y1 - dot->Y0) - std::floor(0.05f * font->FontSize);
    Blit(atlas, *dot, target, static_cast<int>(middle + 0.5f), std::max(0, static_cast<int>(top)));
  }
  const auto code = static_cast<ImWchar>(kFirstComposed + index);
  if (const ImFontGlyph* composed = font->FindGlyphNoFallback(code)) {
    const_cast<ImFontGlyph*>(composed)->AdvanceX = letter->AdvanceX;
  }
}

// V̇, v̇ and q̇ have no code point and ImGui does not place combining marks.
void ComposeDottedLetters(std::span<const SizedFont> fonts, ImFontAtlas* atlas) {
  std::vector<std::array<int, kDottedCount>> rects;
  for (const auto& [font, px] : fonts) {
    std::array<int, kDottedCount> ids{};
    for (int i = 0; i < kDottedCount; ++i) {
      ids[static_cast<std::size_t>(i)] = atlas->AddCustomRectFontGlyph(
          font, static_cast<ImWchar>(kFirstComposed + i), static_cast<int>(px),
          static_cast<int>(1.25f * px), 0.6f * px);
    }
    rects.push_back(ids);
  }
  atlas->Build();
  Bitmap bitmap{};
  atlas->GetTexDataAsAlpha8(&bitmap.pixels, &bitmap.width, &bitmap.height);
  for (std::size_t f = 0; f < fonts.size(); ++f) {
    ImFont* font = fonts[f].font;
    for (int i = 0; i < kDottedCount; ++i) {
      const int rect = rects[f][static_cast<std::size_t>(i)];
      Compose(bitmap, *atlas->GetCustomRectByIndex(rect), font, i);
    }
    font->FallbackChar = static_cast<ImWchar>('?');
    font->BuildLookupTable();
  }
}

}  // namespace

FontFiles FindFontFiles() {
  FontFiles files;
  files.regular =
      Find("Inter", FC_WEIGHT_REGULAR, "/usr/share/fonts/opentype/inter/Inter-Regular.otf");
  files.semibold =
      Find("Inter", FC_WEIGHT_SEMIBOLD, "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf");
  files.mono = Find("JetBrains Mono", FC_WEIGHT_REGULAR,
                    "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf");
  files.symbols =
      Find("DejaVu Sans", FC_WEIGHT_REGULAR, "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf");
  files.mono_symbols = Find("DejaVu Sans Mono", FC_WEIGHT_REGULAR,
                            "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf");
  if (files.regular.empty()) {
    files.notices.push_back("font Inter not found (package fonts-inter)");
    files.regular = AskFontconfig("sans-serif", FC_WEIGHT_REGULAR, false);
  }
  if (files.semibold.empty()) files.semibold = files.regular;
  if (files.mono.empty()) {
    files.notices.push_back("font JetBrains Mono not found (package fonts-jetbrains-mono)");
    files.mono = files.mono_symbols.empty() ? files.regular : files.mono_symbols;
  }
  if (files.symbols.empty()) {
    files.notices.push_back("font DejaVu Sans not found (package fonts-dejavu-core)");
  }
  return files;
}

void BuildFonts(const FontFiles& files, Ui* ui) {
  constexpr float kRegularDigit = 0.516f, kSemiboldDigit = 0.535f;  // widths of Inter's digits, em
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  atlas->Clear();
  atlas->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  // Unhinted advances are rounded up, which gives loose spacing.
  atlas->FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  atlas->TexDesiredWidth = ui->scale > 2.5f ? 4096 : ui->scale > 1.4f ? 2048 : 1024;
  atlas->TexGlyphPadding = 2;
  FontBuilder builder(files, ui->scale, atlas);
  Fonts& fonts = ui->fonts;
  fonts.tiny = builder.AddSans(files.regular, 13, kRegularDigit);
  fonts.small = builder.AddSans(files.regular, 14, kRegularDigit);
  fonts.body = builder.AddSans(files.regular, 16, kRegularDigit);
  fonts.strong = builder.AddSans(files.semibold, 16, kSemiboldDigit);
  fonts.large = builder.AddSans(files.semibold, 20, kSemiboldDigit);
  fonts.huge = builder.AddSans(files.semibold, 27, kSemiboldDigit);
  fonts.mono = builder.AddMono(16);
  ComposeDottedLetters(builder.added(), atlas);
  ImGui::GetIO().FontDefault = fonts.body;
}

}  // namespace civita
