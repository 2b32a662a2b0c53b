#include "app/window/widgets/fonts.h"

#include <fontconfig/fontconfig.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/scenes/temporary_folder.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace fonts_test {

class Faces : public FakeInput {
 protected:
  Faces() {
    ui_.scale = 1.5f;
    PrepareFonts(&ui_);
    Frame();
  }
  void DrawContent() override {
    if (const Font& font = ui_.fonts.body; font.face != nullptr)
      baked_ = font.face->GetFontBaked(font.px);
  }
  const ImFontGlyph* Glyph(unsigned code) {
    return baked_->FindGlyphNoFallback(static_cast<ImWchar>(code));
  }
  static int Height(const ImFontGlyph& glyph) { return static_cast<int>(glyph.Y1 - glyph.Y0); }

  Ui ui_;
  ImFontBaked* baked_ = nullptr;
};

TEST_F(Faces, DigitsAndSignsAreOfOneWidth) {
  const float width = Glyph('0')->AdvanceX;
  for (const unsigned code : {'1', '7', '9', '+'}) EXPECT_EQ(Glyph(code)->AdvanceX, width) << code;
  EXPECT_EQ(Glyph(0x2212)->AdvanceX, width) << "minus";
  EXPECT_NE(Glyph('i')->AdvanceX, Glyph('m')->AdvanceX);
}

TEST_F(Faces, HaveGreekCyrillicAndTheSymbolsOfFormulas) {
  for (const unsigned code : {0x39Bu, 0x3C4u, 0x416u, 0x44Fu, 0x2207u, 0x2016u, 0x1D40u}) {
    EXPECT_NE(Glyph(code), nullptr) << std::hex << code;
  }
  EXPECT_EQ(Glyph(0xFFFE), nullptr) << "what no font has";
}

TEST_F(Faces, DotsStandAboveTheirLetters) {
  constexpr unsigned kFirst = 0xE000;
  constexpr std::string_view kLetters = "Vvq";
  for (unsigned i = 0; i < kLetters.size(); ++i) {
    const ImFontGlyph letter = *Glyph(static_cast<unsigned char>(kLetters[i])), dot = *Glyph(0x2D9);
    const ImFontGlyph* dotted = Glyph(kFirst + i);
    ASSERT_NE(dotted, nullptr);
    EXPECT_EQ(dotted->AdvanceX, letter.AdvanceX);
    EXPECT_EQ(dotted->Y1, letter.Y1) << "on the line";
    EXPECT_GE(Height(*dotted), Height(letter) + Height(dot)) << "not over one another";
    EXPECT_TRUE(dotted->Visible);
  }
}

TEST_F(Faces, ScaleWithoutANewAtlas) {
  const ImFont* face = ui_.fonts.body.face;
  const float before = ui_.fonts.body.px;
  ui_.scale = 2;
  ScaleFonts(&ui_);
  Frame();
  EXPECT_EQ(ui_.fonts.body.face, face);
  EXPECT_EQ(ui_.fonts.body.px, 32);
  EXPECT_GT(ui_.fonts.body.px, before);
  EXPECT_EQ(baked_->Size, 32);
}

// The program's fonts alone, whatever the system has; tests add more.
class OtherScripts : public Faces {
 protected:
  OtherScripts() { FcConfigSetCurrent(FcConfigCreate()); }
  ~OtherScripts() override { FcInitReinitialize(); }

  // A font whose one letter, that of DejaVu's A, is hiragana's あ.
  std::string WriteKana(const TemporaryFolder& folder) const {
    std::ifstream stream(font_files_.symbols, std::ios::binary);
    std::string font(std::istreambuf_iterator<char>(stream), {});
    const auto number = [&](std::size_t at, int bytes) {
      std::size_t value = 0;
      for (int i = 0; i < bytes; ++i) {
        value = 256 * value + static_cast<unsigned char>(font.at(at + static_cast<size_t>(i)));
      }
      return value;
    };
    std::size_t cmap = 0;
    for (std::size_t i = 0; i < number(4, 2); ++i) {  // the directory of tables
      if (font.substr(12 + 16 * i, 4) == "cmap") cmap = number(12 + 16 * i + 8, 4);
    }
    // Version 0, one table, of Windows and Unicode, at 12: format 4 with the segments 3042 and
    // FFFF; the glyph is the code plus a difference.
    constexpr int kGlyph = 36;
    std::string table;
    for (const int word : {0,
                           1,
                           3,
                           1,
                           0,
                           12,
                           4,
                           32,
                           0,
                           4,
                           4,
                           1,
                           0,
                           0x3042,
                           0xFFFF,
                           0,
                           0x3042,
                           0xFFFF,
                           kGlyph - 0x3042,
                           1,
                           0,
                           0}) {
      table += {static_cast<char>(word >> 8), static_cast<char>(word)};
    }
    return folder.Write("kana.ttf", font.replace(cmap, table.size(), table));
  }
  static std::string_view Hiragana() { return "\u3042"; }
};

TEST_F(OtherScripts, AreReadWhenTheirFirstLetterIsDrawn) {
  const TemporaryFolder folder;
  // After the faces were made.
  const std::string path = WriteKana(folder);
  ASSERT_TRUE(FcConfigAppFontAddFile(nullptr, reinterpret_cast<const FcChar8*>(path.c_str())));
  const ImFontGlyph* kana = Glyph(0x3042);
  ASSERT_NE(kana, nullptr);
  EXPECT_TRUE(kana->Visible);
  EXPECT_EQ(TextWidth(ui_.fonts.body, Hiragana()), std::ceil(kana->AdvanceX));
  EXPECT_TRUE(font_files_.notices.empty());
  // In every face and size.
  for (const Font& font : {ui_.fonts.tiny, ui_.fonts.large}) {
    const ImFontGlyph* other = font.face->GetFontBaked(font.px)->FindGlyphNoFallback(0x3042);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(other->Y1 - other->Y0 < kana->Y1 - kana->Y0, font.px < ui_.fonts.body.px);
  }
  EXPECT_EQ(Glyph(0x3044), nullptr) << "the font has no other";
  EXPECT_EQ(font_files_.notices.size(), 1u);
}

TEST_F(OtherScripts, WithoutAFontTheirPackageIsToldOnce) {
  const float width = TextWidth(ui_.fonts.body, "?");
  EXPECT_EQ(TextWidth(ui_.fonts.body, Hiragana()), width);
  EXPECT_EQ(Glyph(0x3042), nullptr);
  const std::string told =
      "letters shown as '?' are in no font of the system (package fonts-noto-cjk)";
  EXPECT_THAT(font_files_.notices, testing::ElementsAre(told));
  TextWidth(ui_.fonts.strong, "\u30ED\u30DC\u30C3\u30C8\u8155\uC790");  // ロボット腕자
  EXPECT_EQ(font_files_.notices.size(), 1u);
  Glyph(0x1200);  // Ethiopic
  ASSERT_EQ(font_files_.notices.size(), 2u);
  EXPECT_THAT(font_files_.notices[1], testing::HasSubstr("(package fonts-noto-core)"));
  for (const unsigned code : {0xE000u, 0xF8FFu, 0xFFFEu, 0x85u}) Glyph(code);
  EXPECT_EQ(font_files_.notices.size(), 2u) << "no letters";
}

}  // namespace fonts_test
}  // namespace civita
