#include "app/window/widgets/fonts.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

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

}  // namespace fonts_test
}  // namespace civita
