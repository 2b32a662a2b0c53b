// Plots of spectra.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/window/plot/painter.h"
#include "app/window/widgets/widgets.h"

namespace civita {
namespace {

constexpr double kSpectrumPeriod = 0.5;  // s: a running spectrum changes no faster
constexpr float kDigitSpacing = 26;      // of labels within a decade, logical px

}  // namespace

PlotEvents PlotPainter::DrawSpectrum() {
  PlotEvents events;
  ImGui::PushID(spec_.id);
  UpdateSpectra();
  if (any_data_) TellNote(TellShareAbove());
  SetSpectrumLimits();
  ImGui::SetCursorScreenPos(area_.min());
  ImGui::InvisibleButton("area", ImVec2(area_.w, area_.h));
  hovered_ = events.hovered = ImGui::IsItemHovered();
  draw_->PushClipRect(frame_.min(), frame_.max(), true);
  DrawTitle();
  if (any_data_) {
    DrawDecades();
    DrawFrequencies();
    draw_->PushClipRect(area_.min(), area_.max(), true);
    DrawSpectrumLines();
    draw_->PopClipRect();
  } else {
    DrawEmpty();
  }
  draw_->PopClipRect();
  ImGui::PopID();
  if (hovered_ && any_data_) DrawSpectrumCard();
  return events;
}

// What of the power of all shown lines is at high frequencies.
std::string PlotPainter::TellShareAbove() const {
  const double mark = spec_.spectrum->mark_hz;
  double above = 0, all = 0;
  for (const Spectrum& each : state_.spectra_) {
    const double share = each.ShareAbove(mark);
    if (std::isnan(share)) continue;
    double power = 0;
    for (const double density : each.density) power += each.step_hz * density * density;
    above += share * power;
    all += power;
  }
  if (!(all > 0)) return "";
  return Short(100 * above / all) + " % of the power above " + Short(mark) + " Hz";
}

void PlotPainter::UpdateSpectra() {
  const SpectrumOver& over = *spec_.spectrum;
  std::vector<double> of;
  for (size_t i = 0; i < spec_.lines.size(); ++i) {
    const PlotLine& line = spec_.lines[i];
    of.push_back(Shown(i) ? line.channel : -1);
    of.push_back(static_cast<double>(line.trace->content()));
    of.push_back(static_cast<double>(line.trace->LowerBound(over.from)));
    of.push_back(static_cast<double>(line.trace->LowerBound(over.to)));
  }
  const double now = ImGui::GetTime();
  const bool is_recent = now - state_.spectra_at_ < kSpectrumPeriod && now >= state_.spectra_at_ &&
                         of.size() == state_.spectra_of_.size();
  if (of != state_.spectra_of_ && !is_recent) {
    state_.spectra_.assign(spec_.lines.size(), {});
    for (size_t i = 0; i < spec_.lines.size(); ++i) {
      const PlotLine& line = spec_.lines[i];
      if (!Shown(i)) continue;
      state_.spectra_[i] = CalcSpectrum(*line.trace, line.channel, over.from, over.to);
      for (double& x : state_.spectra_[i].density) x *= line.scale;
    }
    state_.spectra_of_ = std::move(of);
    state_.spectra_at_ = now;
  }
  any_data_ = std::ranges::any_of(state_.spectra_,
                                  [](const Spectrum& each) { return each.density.size() > 2; });
}

void PlotPainter::SetSpectrumLimits() {
  double lo = HUGE_VAL, hi = 0, from_hz = HUGE_VAL, to_hz = 0;
  for (const Spectrum& each : state_.spectra_) {
    if (each.density.size() < 3) continue;
    from_hz = std::min(from_hz, each.step_hz);
    to_hz = std::max(to_hz, each.step_hz * static_cast<double>(each.density.size() - 1));
    for (std::size_t k = 1; k < each.density.size(); ++k) {
      hi = std::max(hi, each.density[k]);
      if (each.density[k] > 0) lo = std::min(lo, each.density[k]);
    }
  }
  if (!(hi > 0)) {
    any_data_ = false;
    return;
  }
  limits_ = LogLimits(lo, hi, kSpectrumDecades, spec_.log_floor);
  if (state_.has_limits_) limits_ = CalmLimits(state_.limits_, limits_);
  state_.limits_ = limits_;
  state_.has_limits_ = true;
  state_.limits_x_ = {std::log10(from_hz), std::log10(to_hz), 1};
  SetMapping();
  mapping_.log = true;
}

float PlotPainter::FrequencyX(double hz) const {
  const AxisLimits& x = state_.limits_x_;
  return static_cast<float>(area_.x + area_.w * (std::log10(hz) - x.lo) / (x.hi - x.lo));
}

// Lines at 1, 2, 5 of each decade, and the limit of high frequencies.
void PlotPainter::DrawFrequencies() {
  const AxisLimits& x = state_.limits_x_;
  const float y = area_.bottom() + ui_.px(12);
  const std::string unit = "Hz";
  TextMiddle(ui_, ui_.fonts.tiny, area_.right(), y, theme_.muted, unit, Align::kRight);
  const float end = area_.right() - TextWidth(ui_.fonts.tiny, unit) - ui_.px(6);
  float last = area_.x - ui_.px(kDigitSpacing);
  for (int e = static_cast<int>(std::floor(x.lo)); e <= static_cast<int>(x.hi); ++e) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double hz = digit * std::pow(10.0, e);
      if (std::log10(hz) < x.lo - 1e-9 || std::log10(hz) > x.hi + 1e-9) continue;
      const float at = FrequencyX(hz);
      FillRect(ui_, {std::floor(at), area_.y, ui_.hairline(), area_.h},
               {theme_.grid, digit == 1 ? 1.0f : 0.6f});
      const std::string label = Fixed(hz, std::max(0, -e));
      const float half = 0.5f * TextWidth(ui_.fonts.tiny, label);
      if (at - last < ui_.px(kDigitSpacing) || at + half > end) continue;
      TextMiddle(ui_, ui_.fonts.tiny, at, y, theme_.muted, label, Align::kCenter);
      last = at;
    }
  }
  const double mark = spec_.spectrum->mark_hz;
  if (!(std::log10(mark) > x.lo && std::log10(mark) < x.hi)) return;
  const float at = std::floor(FrequencyX(mark));
  for (float dash = area_.y; dash < area_.bottom(); dash += ui_.px(5)) {
    FillRect(ui_, {at, dash, ui_.hairline(), std::min(area_.bottom() - dash, ui_.px(3))},
             theme_.muted);
  }
}

void PlotPainter::DrawSpectrumLines() {
  for (size_t i = std::min(spec_.lines.size(), state_.spectra_.size()); i-- > 0;) {
    const PlotLine& line = spec_.lines[i];
    const Spectrum& spectrum = state_.spectra_[i];
    if (!Shown(i) || spectrum.density.size() < 3) continue;
    state_.points_.clear();
    // Of frequencies in one column of pixels the lowest and the highest density.
    for (std::size_t k = 1; k < spectrum.density.size();) {
      const float x = FrequencyX(spectrum.step_hz * static_cast<double>(k));
      double lo = spectrum.density[k], hi = lo;
      for (++k; k < spectrum.density.size() &&
                FrequencyX(spectrum.step_hz * static_cast<double>(k)) - x < 1;
           ++k) {
        lo = std::min(lo, spectrum.density[k]);
        hi = std::max(hi, spectrum.density[k]);
      }
      state_.points_.push_back({x, mapping_.Y(static_cast<float>(hi))});
      if (lo < hi) state_.points_.push_back({x, mapping_.Y(static_cast<float>(lo))});
    }
    StrokeLine(draw_, state_.points_, ToImU32(line.color, line.alpha), line.width * ui_.scale);
  }
}

void PlotPainter::DrawSpectrumCard() const {
  const AxisLimits& x = state_.limits_x_;
  const double share = CursorShare(area_, ImGui::GetIO().MousePos.x);
  const double hz = std::pow(10.0, x.lo + share * (x.hi - x.lo));
  const double mark = spec_.spectrum->mark_hz;
  std::string text = Short(hz) + " Hz";
  for (size_t i = 0; i < std::min(spec_.lines.size(), state_.spectra_.size()); ++i) {
    const Spectrum& spectrum = state_.spectra_[i];
    if (!Shown(i) || spectrum.density.size() < 3) continue;
    const auto k = static_cast<std::size_t>(std::lround(hz / spectrum.step_hz));
    if (k >= spectrum.density.size()) continue;
    text += "\n" + std::string(spec_.lines[i].name) + ": " + Scientific(spectrum.density[k]) +
            ", above " + Short(mark) + " Hz " + Fixed(100 * spectrum.ShareAbove(mark), 2) +
            " % of the power";
  }
  Tooltip(ui_, text);
}

}  // namespace civita
