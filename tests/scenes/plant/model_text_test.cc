#include "civita/scenes/plant/model_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "civita/error.h"
#include "tests/scenes/read_all.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace model_text_test {

using internal::CheckResources;
using internal::XmlText;
using testing::HasSubstr;
using testing::StartsWith;

/// What CheckResources says of a file; empty if nothing.
std::string Refusal(const TemporaryFolder& folder, const std::string& name) {
  try {
    CheckResources(XmlText(folder.path() / name, ReadAll(folder.path() / name)));
  } catch (const UserError& error) {
    return folder.WithoutPath(error.what());
  }
  return "";
}

std::string RefusalOf(const std::string& before, const std::string& in_world = "") {
  const TemporaryFolder folder;
  folder.Write("arm.xml",
               "<mujoco>\n" + before + "\n<worldbody>\n" + in_world + "\n</worldbody>\n</mujoco>");
  return Refusal(folder, "arm.xml");
}

TEST(ModelText, CopiesAreCountedFromAttributes) {
  const std::string told = "arm.xml:4: <replicate> makes more than 10000 copies";
  EXPECT_EQ(RefusalOf("", "<replicate sep='count' count='70000'><geom/></replicate>"), told);
  EXPECT_EQ(RefusalOf("", "<replicate sep='1>0' offset='0 1 0' count='70000'/>"), told);
  EXPECT_EQ(RefusalOf("", "<replicate offset='&lt;' count='70&#48;00'/>"), told);
  EXPECT_EQ(RefusalOf("",
                      "<replicate count='101'><frame><replicate count='100'/></frame>"
                      "</replicate>"),
            told);
  EXPECT_EQ(RefusalOf("", "<replicate count='100'><site/></replicate><replicate count='100'/>"),
            "");
}

TEST(ModelText, CommentsCountNothing) {
  EXPECT_EQ(RefusalOf("",
                      "<!-- <replicate count='70000'> <attach/> -->"
                      "<replicate count='9000'><site/></replicate>"),
            "");
  EXPECT_EQ(RefusalOf("<!-- <size nkey='2000000000'/> -->"), "");
}

TEST(ModelText, BodiesAndElementsAreCounted) {
  EXPECT_THAT(RefusalOf("", "<replicate count='5001'><body/></replicate>"),
              StartsWith("arm.xml:4: with this <body> the model has more than 5000 bodies"));
  EXPECT_THAT(RefusalOf("", "<body/>\n<flexcomp type='grid' count='100 50 1'/>"),
              StartsWith("arm.xml:5: with this <flexcomp> the model has more than 5000 bodies"));
  EXPECT_EQ(RefusalOf("", "<flexcomp type='grid' dof='trilinear' count='40 40 40'/>"), "");
  EXPECT_THAT(
      RefusalOf("", "<replicate count='9000'><geom/><site/><site/></replicate>"),
      HasSubstr("with this <site> the model has more than 20000 elements that others make"));
}

TEST(ModelText, IncludedFilesAreRead) {
  const TemporaryFolder folder;
  folder.Write("arm.xml",
               "<mujoco><worldbody><replicate count='300'>\n<include file='parts/link.xml'/>"
               "</replicate></worldbody></mujoco>");
  folder.Write("parts/link.xml", "<mujocoinclude>\n\n<include file='tip.xml'/></mujocoinclude>");
  folder.Write("parts/tip.xml", "<mujocoinclude>\n<replicate count='40'/></mujocoinclude>");
  EXPECT_EQ(Refusal(folder, "arm.xml"),
            "parts/tip.xml:2: <replicate> makes more than 10000 copies");
  // A circle, which MuJoCo refuses, ends.
  folder.Write("parts/tip.xml", "<mujocoinclude><include file='link.xml'/></mujocoinclude>");
  EXPECT_EQ(Refusal(folder, "arm.xml"), "");
  folder.Write("parts/tip.xml", "<mujocoinclude>\n<body></mujocoinclude>");
  EXPECT_THAT(Refusal(folder, "arm.xml"), StartsWith("parts/tip.xml:2:"));
}

TEST(ModelText, AttachedModelsAreRead) {
  const TemporaryFolder folder;
  const auto model = [&](const std::string& name, const std::string& file,
                         const std::string& world) {
    folder.Write(name, "<mujoco><asset>\n<model name='part' file='" + file +
                           "'/></asset><worldbody>\n" + world + "</worldbody></mujoco>");
  };
  model("arm.xml", "arm.xml", "<attach model='part'/>");
  EXPECT_EQ(Refusal(folder, "arm.xml"),
            "arm.xml:2: the model attaches itself, <model file=\"arm.xml\">");
  model("arm.xml", "hand.xml", "<attach model='part' prefix='h'/>");
  model("hand.xml", "./arm.xml", "");
  EXPECT_EQ(Refusal(folder, "arm.xml"),
            "hand.xml:2: the model attaches itself by way of hand.xml, <model file=\"./arm.xml\">");
  folder.Write("hand.xml",
               "<mujoco><worldbody><replicate count='60'><body/></replicate></worldbody></mujoco>");
  EXPECT_EQ(Refusal(folder, "arm.xml"), "");
  model("arm.xml", "hand.xml", "<replicate count='90'><attach model='part'/></replicate>");
  EXPECT_THAT(Refusal(folder, "arm.xml"),
              StartsWith("arm.xml:3: with this <attach> the model has more than 5000 bodies"));
}

TEST(ModelText, SizesThatNoComputerHasAreRefused) {
  for (const std::string size :
       {"<size nuser_body='2000000'/>",
        "<size nuser_sensor='2000000000'/>",
        "<size nkey='100000000'/>",
        "<size nuserdata='1e12'/>",
        "<size memory='3E'/>",
        "<size memory='900g'/>",
        "<size njmax='2000000000'/>",
        "<asset><hfield nrow='30000' ncol='30000'/></asset>",
        "<asset><mesh builtin='supersphere' params='20000 1 1'/></asset>",
        "<asset><texture builtin='flat' width='90000' height='90000'/></asset>",
        "<sensor><user dim='2000000000'/></sensor>",
        "<sensor><contact num='2000000000'/></sensor>",
        "<sensor><jointpos joint='a' nsample='2000000000'/></sensor>",
        "<actuator><general joint='a' actdim='2000000000'/></actuator>",
        "<custom><numeric size='2000000000'/></custom>",
        "<visual><quality numslices='2000000000'/></visual>",
        "<option iterations='2000000000'/>",
        "<compiler><lengthrange inttotal='1e8'/></compiler>",
        "<compiler><lengthrange timestep='0'/></compiler>",
        "<compiler><lengthrange timestep='nan'/></compiler>"}) {
    EXPECT_THAT(RefusalOf(size), StartsWith("arm.xml:2: <")) << size;
  }
  EXPECT_EQ(RefusalOf("<size nuser_body='20' nkey='12' memory='2G' njmax='5000' nconmax='2000'/>"
                      "<asset><hfield nrow='2000' ncol='2000'/>"
                      "<texture width='4096' height='4096' nchannel='4'/>"
                      "<mesh builtin='supersphere' params='100 .5 .5'/></asset>"
                      "<compiler><lengthrange inttotal='20' timestep='0.001'/></compiler>"),
            "");
}

TEST(ModelText, DeepNestingIsRefused) {
  std::string bodies;
  for (int i = 0; i < 100'000; ++i) bodies += "<body>";
  for (int i = 0; i < 100'000; ++i) bodies += "</body>";
  EXPECT_THAT(RefusalOf("", bodies), HasSubstr("elements are nested more than 500 deep"));
  const TemporaryFolder folder;
  folder.Write("arm.urdf", "<robot name='arm'>\n<link name='a'>" + bodies + "</link>\n</robot>");
  EXPECT_EQ(Refusal(folder, "arm.urdf"), "arm.urdf:2: elements are nested more than 500 deep");
}

}  // namespace model_text_test
}  // namespace civita
