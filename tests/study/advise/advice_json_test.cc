// advice.json and the tables of an advice.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "civita/study/advise/advice_text.h"

namespace civita {
namespace advice_json_test {

using ::testing::HasSubstr;
using ::testing::Not;

Advice AdviceOn(const std::string& scene, const std::vector<std::string>& sets) {
  return Advise(*LoadScene(ReadConfig(scene, sets)), {.factorization = Factorization::Torsion(-2)});
}

TEST(AdviceJson, HasEveryNumberInFull) {
  const Advice advice = AdviceOn("arm7_twist", {"control.mode=held"});
  const std::string text = FormatAdviceJson(advice, "civita advise arm7_twist");
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["scene"], "arm7_twist");
  EXPECT_EQ(json["assumptions"]["factorization"], "t:-2");
  EXPECT_EQ(json["assumptions"]["period_s"], advice.period_s);
  EXPECT_EQ(json["rates"]["omega_F"], advice.rates.omega_F);
  EXPECT_EQ(json["own"]["parts"]["all"]["ratio"], advice.own->parts[0].ratio());
  EXPECT_EQ(json["mean_decay"]["all"]["joint"]["error"], advice.mean_decay[0].joint.error);
  EXPECT_EQ(json["closed_forms"]["parts"]["all"]["joint_mean"],
            advice.closed_forms->parts[0].joint_mean);
  EXPECT_EQ(json["starts"].size(), advice.starts.size());
  EXPECT_EQ(json["masses"][0]["scale"], 1.1);
  EXPECT_EQ(json["largest_factor"], advice.largest_factor);
  EXPECT_EQ(json["settings"][1]["largest_delay_s"], advice.settings[1].largest_delay_s);
  EXPECT_EQ(json["text"]["errors"][0]["text"], DescribeAdvice(advice).errors[0].text);
  EXPECT_EQ(json["matters"], true);
  EXPECT_EQ(json["command"], "civita advise arm7_twist");
  EXPECT_TRUE(json["measured_limit"].is_null());
  Advice measured = advice;
  measured.measured_limit = {.stable = 2, .runs = 3};
  const auto limit = nlohmann::json::parse(FormatAdviceJson(measured, ""))["measured_limit"];
  EXPECT_EQ(limit["stable"], 2);
  EXPECT_TRUE(limit["grows"].is_null());
}

TEST(AdviceJson, WhatIsNotThereIsNull) {
  const Advice advice = AdviceOn("planar_2r", {"controller.gain_form=diagonal", "duration_s=1"});
  const std::string text = FormatAdviceJson(advice, "");
  const auto json = nlohmann::json::parse(text);
  EXPECT_TRUE(json["closed_forms"].is_null());
  EXPECT_TRUE(json["largest_factor"].is_null());  // no torsion bears any factor
  EXPECT_EQ(json["matters"], false);
}

TEST(AdviceTable, TellsTheBaseApart) {
  const Advice advice = AdviceOn("quadruped_float", {"duration_s=1"});
  const Table table = ErrorsTable(advice);
  ASSERT_EQ(table.columns.size(), advice.parts.size());
  EXPECT_EQ(table.columns[0].title, "all (rad, m)");
  EXPECT_EQ(table.columns[3].title, "joints (rad)");
  ASSERT_FALSE(table.rows.empty());
  EXPECT_EQ(table.rows[0].cells[3].estimate.mean, advice.own->parts[3].ratio());
  EXPECT_FALSE(table.rows[0].doc.empty());
  EXPECT_EQ(SettingsTable(advice).rows.size(), advice.settings.size());
}

}  // namespace advice_json_test
}  // namespace civita
