#include "app/window/widgets/fonts.h"

#include <fontconfig/fontconfig.h>
#include <imgui_freetype.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace civita {
namespace {

// Inclusive pairs, zero-terminated, in ImGui's format: all but digits, their space and signs.
constexpr ImWchar kNoDigits[] = {0x1,    '+' - 1, '+' + 1, '0' - 1, '9' + 1,
                                 0x2006, 0x2008,  0x2211,  0x2213,  IM_UNICODE_CODEPOINT_MAX,
                                 0};

// Letters that are composed here; fonts have others of their own there.
constexpr ImWchar kNoComposed[] = {0xE000, 0xE002, 0};

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

// The scalable font that is nearest to what is wanted; null without any.
FcPatternPtr Match(FcPattern* wanted) {
  FcPatternAddBool(wanted, FC_SCALABLE, FcTrue);
  FcConfigSubstitute(nullptr, wanted, FcMatchPattern);
  FcDefaultSubstitute(wanted);
  FcResult result = FcResultNoMatch;
  return FcPatternPtr(FcFontMatch(nullptr, wanted, &result));
}

// Fontconfig always returns some font: `exact` refuses another family than the requested one.
std::string AskFontconfig(const char* family, int weight, bool exact) {
  const FcPatternPtr wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(wanted.get(), FC_WEIGHT, weight);
  FcPatternAddInteger(wanted.get(), FC_SLANT, FC_SLANT_ROMAN);
  const FcPatternPtr found = Match(wanted.get());
  if (found == nullptr) return {};
  if (exact && StringProperty(found.get(), FC_FAMILY) != family) return {};
  FcBool variable = FcFalse;  // a variable font would be loaded with its default weight
  FcPatternGetBool(found.get(), FC_VARIABLE, 0, &variable);
  if (exact && variable == FcTrue) return {};
  return StringProperty(found.get(), FC_FILE);
}

// A font in a file of several.
struct FontInFile {
  std::string path;
  int index = 0;
};

// The font that has `letter`; without a path if there is none.
FontInFile FindScript(FcChar32 letter) {
  FcCharSet* letters = FcCharSetCreate();
  FcCharSetAddChar(letters, letter);
  const FcPatternPtr wanted(FcPatternCreate());
  FcPatternAddCharSet(wanted.get(), FC_CHARSET, letters);
  FcCharSetDestroy(letters);
  const FcPatternPtr found = Match(wanted.get());
  FcCharSet* has = nullptr;
  if (found == nullptr || FcPatternGetCharSet(found.get(), FC_CHARSET, 0, &has) != FcResultMatch ||
      FcCharSetHasChar(has, letter) == FcFalse) {
    return {};
  }
  int index = 0;
  FcPatternGetInteger(found.get(), FC_INDEX, 0, &index);
  return {StringProperty(found.get(), FC_FILE), index};
}

std::string Find(const char* family, int weight, const char* debian_path) {
  std::error_code ignored;
  std::string path = AskFontconfig(family, weight, true);
  if (!path.empty() && std::filesystem::exists(path, ignored)) return path;
  return std::filesystem::exists(debian_path, ignored) ? debian_path : std::string();
}

// At this size in px widths of digits are given; ImGui scales them.
constexpr float kNominal = 16;

// The dotted letter `code` of `baked`, from its packed letter and dot; where these overlap the
// darker pixel is kept.
class DottedLetter {
 public:
  DottedLetter(ImFontAtlas* atlas, ImFontBaked* baked, ImWchar code) : atlas_(atlas) {
    const int index = code - kFirstComposed;
    letter_ = Copy(baked->FindGlyphNoFallback(static_cast<ImWchar>(kDottedLetters[index])));
    dot_ = Copy(baked->FindGlyphNoFallback(kDotAbove));
    size_ = baked->Size;
  }
  bool exists() const { return letter_.Visible != 0; }
  float advance() const { return letter_.AdvanceX; }

  void Draw(ImFontBaked* baked, ImFontConfig* source, ImFontGlyph* glyph) {
    const float gap = std::floor(0.05f * size_);
    const float dot_height = dot_.Y1 - dot_.Y0, dot_width = dot_.X1 - dot_.X0;
    const float middle = 0.5f * (letter_.X0 + letter_.X1);
    dot_.X0 = std::floor(middle - 0.5f * dot_width + 0.5f);
    dot_.Y0 = letter_.Y0 - dot_height - gap;
    const float left = std::min(letter_.X0, dot_.X0);
    const float right = std::max(letter_.X1, dot_.X0 + dot_width);
    glyph->X0 = left;
    glyph->Y0 = std::min(dot_.Y0, letter_.Y0);
    glyph->X1 = right;
    glyph->Y1 = letter_.Y1;
    glyph->Visible = true;
    const int width = Round(right - left), height = Round(glyph->Y1 - glyph->Y0);
    // May move what is packed.
    glyph->PackId = ImFontAtlasPackAddRect(atlas_, width, height);
    std::vector<unsigned char> pixels(static_cast<std::size_t>(width * height));
    for (const ImFontGlyph& part : {letter_, dot_}) {
      Blit(part, Round(part.X0 - left), Round(part.Y0 - glyph->Y0), width, &pixels);
    }
    ImFontAtlasBakedSetFontGlyphBitmap(atlas_, baked, source, glyph,
                                       ImFontAtlasPackGetRect(atlas_, glyph->PackId), pixels.data(),
                                       ImTextureFormat_Alpha8, width);
  }

 private:
  static int Round(float value) { return static_cast<int>(std::floor(value + 0.5f)); }
  static ImFontGlyph Copy(const ImFontGlyph* glyph) {
    return glyph != nullptr ? *glyph : ImFontGlyph();
  }

  void Blit(const ImFontGlyph& part, int x, int y, int width, std::vector<unsigned char>* pixels) {
    if (part.Visible == 0) return;
    const ImTextureRect& packed = *ImFontAtlasPackGetRect(atlas_, part.PackId);
    const int bytes = atlas_->TexData->BytesPerPixel;  // the last one is alpha
    for (int row = 0; row < packed.h; ++row) {
      for (int column = 0; column < packed.w; ++column) {
        const auto* from = static_cast<const unsigned char*>(
            atlas_->TexData->GetPixelsAt(packed.x + column, packed.y + row));
        const int to = (y + row) * width + x + column;
        if (x + column < width && to < std::ssize(*pixels)) {
          unsigned char& pixel = (*pixels)[static_cast<std::size_t>(to)];
          pixel = std::max(pixel, from[bytes - 1]);
        }
      }
    }
  }

  ImFontAtlas* atlas_;
  ImFontGlyph letter_, dot_;
  float size_ = 0;
};

// V̇, v̇ and q̇ have no code point and ImGui does not place combining marks: a source that composes
// them of the other sources' glyphs.
bool IsComposed(ImFontAtlas* /*atlas*/, ImFontConfig* /*source*/, ImWchar code) {
  return code >= kFirstComposed && code < kFirstComposed + kDottedCount;
}

bool LoadComposed(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void* /*data*/,
                  ImWchar code, ImFontGlyph* glyph, float* advance) {
  if (!IsComposed(atlas, source, code)) return false;
  DottedLetter letter(atlas, baked, code);
  if (!letter.exists()) return false;
  if (advance != nullptr) {
    *advance = letter.advance();
    return true;
  }
  glyph->Codepoint = code;
  glyph->AdvanceX = letter.advance();
  letter.Draw(baked, source, glyph);
  return true;
}

const ImFontLoader* ComposingLoader() {
  static const ImFontLoader loader = [] {
    ImFontLoader made;
    made.Name = "dotted letters";
    made.FontSrcContainsGlyph = IsComposed;
    made.FontBakedLoadGlyph = LoadComposed;
    return made;
  }();
  return &loader;
}

// What is in a font's file, for as long as the program runs: ImGui reads glyphs of it when they are
// needed, and several faces share the large ones.
const std::vector<char>& FileOf(const std::string& path) {
  static std::map<std::string, std::vector<char>> files;
  std::vector<char>& file = files[path];
  if (file.empty()) {
    std::ifstream stream(path, std::ios::binary);
    file.assign(std::istreambuf_iterator<char>(stream), {});
  }
  return file;
}

// Debian's package with the letters of a script.
const char* PackageOf(ImWchar letter) {
  constexpr std::array<std::array<ImWchar, 2>, 7> kOfEastAsia = {{{0x1100, 0x11FF},
                                                                  {0x2E80, 0x9FFF},
                                                                  {0xA960, 0xA97F},
                                                                  {0xAC00, 0xD7FF},
                                                                  {0xF900, 0xFAFF},
                                                                  {0xFE30, 0xFE4F},
                                                                  {0xFF00, 0xFFEF}}};
  const auto has = [&](const auto& range) { return letter >= range[0] && letter <= range[1]; };
  return std::ranges::any_of(kOfEastAsia, has) ? "fonts-noto-cjk" : "fonts-noto-core";
}

// Whether a font can be expected to have it: no control character, none of private use.
bool IsOfScript(ImWchar letter) {
  return letter >= 0x300 && letter < 0xFFF0 && !(letter >= 0xD800 && letter < 0xF900);
}

// The last source of a face: the system's fonts, of which one is searched and read when the first
// letter is drawn that no source before has. ImGui's loader of files reads its glyphs.
class OtherScripts {
 public:
  // What the loader of files keeps of a size, by font.
  using Sized = std::vector<std::vector<char>>;

  bool Load(ImFontAtlas* atlas, const ImFontConfig& like, ImFontBaked* baked, Sized* sized,
            ImWchar letter, ImFontGlyph* glyph, float* advance) {
    if (!IsOfScript(letter)) return false;
    for (std::size_t i = 0; i < fonts_.size(); ++i) {
      if (LoadFrom(i, atlas, baked, sized, letter, glyph, advance)) return true;
    }
    const unsigned block = letter / 256;  // a long text in an unknown script is no long search
    if (missing_.contains(block)) return false;
    if (Open(atlas, like, letter) &&
        LoadFrom(fonts_.size() - 1, atlas, baked, sized, letter, glyph, advance)) {
      return true;
    }
    missing_.insert(block);
    Tell(atlas, letter);
    return false;
  }

  void Forget(ImFontAtlas* atlas, ImFontBaked* baked, Sized* sized) {
    for (std::size_t i = 0; i < sized->size(); ++i) {
      atlas->FontLoader->FontBakedDestroy(atlas, &fonts_[i].source, baked, (*sized)[i].data());
    }
  }

  void Close(ImFontAtlas* atlas) {
    for (Opened& font : fonts_) atlas->FontLoader->FontSrcDestroy(atlas, &font.source);
  }

 private:
  struct Opened {
    std::string path;
    ImFontConfig source;
  };

  bool LoadFrom(std::size_t font, ImFontAtlas* atlas, ImFontBaked* baked, Sized* sized,
                ImWchar letter, ImFontGlyph* glyph, float* advance) {
    const ImFontLoader& files = *atlas->FontLoader;
    while (sized->size() <= font) {
      ImFontConfig* source = &fonts_[sized->size()].source;
      sized->emplace_back(files.FontBakedSrcLoaderDataSize);
      files.FontBakedInit(atlas, source, baked, sized->back().data());
    }
    return files.FontBakedLoadGlyph(atlas, &fonts_[font].source, baked, (*sized)[font].data(),
                                    letter, glyph, advance);
  }

  bool Open(ImFontAtlas* atlas, const ImFontConfig& like, ImWchar letter) {
    const FontInFile found = FindScript(letter);
    const bool is_open =
        std::ranges::any_of(fonts_, [&](const Opened& each) { return each.path == found.path; });
    if (found.path.empty() || is_open) return false;
    const std::vector<char>& file = FileOf(found.path);
    Opened font{found.path, like};
    font.source.FontData = const_cast<char*>(file.data());
    font.source.FontDataSize = static_cast<int>(file.size());
    font.source.FontDataOwnedByAtlas = false;
    font.source.FontNo = static_cast<ImU32>(found.index);
    font.source.FontLoader = nullptr;
    font.source.FontLoaderData = nullptr;
    if (file.empty() || !atlas->FontLoader->FontSrcInit(atlas, &font.source)) return false;
    fonts_.push_back(std::move(font));
    return true;
  }

  static void Tell(ImFontAtlas* atlas, ImWchar letter) {
    std::vector<std::string>& notices = static_cast<FontFiles*>(atlas->UserData)->notices;
    const std::string package = std::string("(package ") + PackageOf(letter) + ")";
    const bool is_told = std::ranges::any_of(
        notices, [&](const std::string& notice) { return notice.ends_with(package); });
    if (!is_told) {
      notices.push_back("letters shown as '?' are in no font of the system " + package);
    }
  }

  std::vector<Opened> fonts_;
  std::set<unsigned> missing_;  // blocks of 256 letters
};

OtherScripts* ScriptsOf(ImFontConfig* source) {
  return static_cast<OtherScripts*>(source->FontLoaderData);
}

const ImFontLoader* LoaderOfOtherScripts() {
  static const ImFontLoader loader = [] {
    using Sized = OtherScripts::Sized;
    ImFontLoader made;
    made.Name = "other scripts";
    made.FontBakedSrcLoaderDataSize = sizeof(Sized*);
    made.FontSrcInit = [](ImFontAtlas* /*atlas*/, ImFontConfig* source) {
      source->FontLoaderData = new OtherScripts;
      return true;
    };
    made.FontSrcDestroy = [](ImFontAtlas* atlas, ImFontConfig* source) {
      const std::unique_ptr<OtherScripts> scripts(ScriptsOf(source));
      if (scripts != nullptr) scripts->Close(atlas);  // ImGui calls it again at its end
      source->FontLoaderData = nullptr;
    };
    made.FontBakedInit = [](ImFontAtlas* /*atlas*/, ImFontConfig* /*source*/,
                            ImFontBaked* /*baked*/, void* data) {
      *static_cast<Sized**>(data) = new Sized;
      return true;
    };
    made.FontBakedDestroy = [](ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked,
                               void* data) {
      const std::unique_ptr<Sized> sized(*static_cast<Sized**>(data));
      ScriptsOf(source)->Forget(atlas, baked, sized.get());
    };
    made.FontBakedLoadGlyph = [](ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked,
                                 void* data, ImWchar letter, ImFontGlyph* glyph, float* advance) {
      return ScriptsOf(source)->Load(atlas, *source, baked, *static_cast<Sized**>(data), letter,
                                     glyph, advance);
    };
    return made;
  }();
  return &loader;
}

// Adds faces to the atlas, each merged from several files.
class FaceBuilder {
 public:
  FaceBuilder(const FontFiles& files, ImFontAtlas* atlas) : files_(files), atlas_(atlas) {
    config_.PixelSnapH = true;
    config_.SizePixels = kNominal;
    config_.GlyphExcludeRanges = kNoComposed;
  }

  // Inter's tabular digits need shaping; glyphs of a fixed width replace them. Of several sources
  // the first that has a glyph is used, so the digits come first.
  ImFont* AddSans(const std::string& path, float digit_width) {
    if (path.empty()) return Completed(atlas_->AddFontDefault(&config_));
    ImFontConfig cell = config_;
    cell.GlyphMinAdvanceX = cell.GlyphMaxAdvanceX = kNominal * digit_width;
    cell.GlyphExcludeRanges = kNoDigits;
    ImFont* face = Add(path, cell);
    Merge(path, 1);
    return Completed(face);
  }

 private:
  ImFont* Add(const std::string& path, ImFontConfig config) {
    const std::vector<char>& file = FileOf(path);
    config.FontDataOwnedByAtlas = false;
    return atlas_->AddFontFromMemoryTTF(const_cast<char*>(file.data()),
                                        static_cast<int>(file.size()), 0, &config);
  }

  void Merge(const std::string& path, float scale) {
    if (path.empty()) return;
    ImFontConfig merged = config_;
    merged.MergeMode = true;
    merged.ExtraSizeScale = scale;
    Add(path, merged);
  }

  void AddLoader(const ImFontLoader* loader) {
    ImFontConfig source = config_;
    source.MergeMode = true;
    source.GlyphExcludeRanges = nullptr;
    source.FontLoader = loader;
    atlas_->AddFont(&source);
  }

  ImFont* Completed(ImFont* face) {
    Merge(files_.symbols, 0.94f);
    AddLoader(ComposingLoader());
    AddLoader(LoaderOfOtherScripts());
    face->FallbackChar = '?';
    return face;
  }

  const FontFiles& files_;
  ImFontAtlas* atlas_;
  ImFontConfig config_;
};

}  // namespace

FontFiles FindFontFiles() {
  FontFiles files;
  files.regular =
      Find("Inter", FC_WEIGHT_REGULAR, "/usr/share/fonts/opentype/inter/Inter-Regular.otf");
  files.semibold =
      Find("Inter", FC_WEIGHT_SEMIBOLD, "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf");
  files.symbols =
      Find("DejaVu Sans", FC_WEIGHT_REGULAR, "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf");
  if (files.regular.empty()) {
    files.notices.push_back("font Inter not found (package fonts-inter)");
    files.regular = AskFontconfig("sans-serif", FC_WEIGHT_REGULAR, false);
  }
  if (files.semibold.empty()) files.semibold = files.regular;
  if (files.symbols.empty()) {
    files.notices.push_back("font DejaVu Sans not found (package fonts-dejavu-core)");
  }
  return files;
}

void AddFaces(FontFiles* files, Ui* ui) {
  constexpr float kRegularDigit = 0.516f, kSemiboldDigit = 0.535f;  // widths of Inter's digits, em
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  // Unhinted advances are rounded up, which gives loose spacing.
  atlas->FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
  atlas->TexGlyphPadding = 2;
  atlas->UserData = files;
  FaceBuilder builder(*files, atlas);
  Fonts& fonts = ui->fonts;
  ImFont* regular = builder.AddSans(files->regular, kRegularDigit);
  ImFont* semibold = builder.AddSans(files->semibold, kSemiboldDigit);
  for (Font* font : {&fonts.tiny, &fonts.small, &fonts.body}) font->face = regular;
  for (Font* font : {&fonts.strong, &fonts.large}) font->face = semibold;
  ImGui::GetIO().FontDefault = regular;
}

void ScaleFonts(Ui* ui) {
  const auto scale = [ui](Font* font, float logical) { font->px = ui->px(logical); };
  Fonts& fonts = ui->fonts;
  scale(&fonts.tiny, 13);
  scale(&fonts.small, 14);
  scale(&fonts.body, 16);
  scale(&fonts.strong, 16);
  scale(&fonts.large, 20);
  ImGui::GetStyle().FontSizeBase = fonts.body.px;
}

}  // namespace civita
