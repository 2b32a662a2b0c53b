#include "app/verbs/eval/eval_output.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "base/number_text.h"
#include "civita/sim/npz_file.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWriteSize = 1 << 16;

/// JSON leaves DEL and U+0080 to U+009F as they are, which a terminal would obey.
std::string Dump(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\xC2' && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (!pair && text[i] != '\x7F') continue;
    std::array<char, 8> escaped{};
    std::snprintf(escaped.data(), escaped.size(), "\\u%04x",
                  static_cast<unsigned char>(text[i + (pair ? 1 : 0)]));
    text.replace(i, pair ? 2 : 1, escaped.data());
  }
  return text;
}

std::string FormatInline(const Json& json) {
  if (!json.is_structured()) return Dump(json);
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += (text.empty() ? "" : ", ") + (json.is_array() ? "" : Dump(key) + ": ");
    text += FormatInline(value);
  }
  return json.is_array() ? "[" + text + "]" : "{" + text + "}";
}

/// The header's keys without the closing brace: one line for each key, and for each entry of lists
/// and maps.
std::string FormatHeader(const Json& header) {
  std::string text;
  for (const auto& [key, value] : header.items()) {
    text += (text.empty() ? "{\n  " : ",\n  ") + Dump(key) + ": ";
    if (!value.is_structured()) {
      text += Dump(value);
      continue;
    }
    const char* separator = "\n    ";
    text += value.is_array() ? "[" : "{";
    for (const auto& [name, entry] : value.items()) {
      text += separator + (value.is_array() ? "" : Dump(name) + ": ") + FormatInline(entry);
      separator = ",\n    ";
    }
    text += value.is_array() ? "\n  ]" : "\n  }";
  }
  return text;
}

void AppendJsonNumber(double x, std::string* text) {
  if (std::isfinite(x)) {
    internal::AppendNumber(x, text);
  } else {
    *text += "null";
  }
}

/// Appends nested lists of the given shape. @returns the remaining numbers.
std::span<const double> AppendNested(std::span<const std::size_t> shape,
                                     std::span<const double> values, std::string* text) {
  if (shape.empty()) {
    AppendJsonNumber(values.front(), text);
    return values.subspan(1);
  }
  *text += '[';
  for (std::size_t i = 0; i < shape.front(); ++i) {
    if (i > 0) *text += ", ";
    values = AppendNested(shape.subspan(1), values, text);
  }
  *text += ']';
  return values;
}

class JsonWriter : public EvalWriter {
 public:
  JsonWriter(const std::string& out, const Json& header, const std::vector<EvalArray>& arrays,
             OutputFile::Kind kind)
      : arrays_(arrays), text_(FormatHeader(header) + ",\n  \"states\": [") {
    if (!out.empty()) file_.emplace(out, kind, "--out " + out);
  }

  void AddState(std::span<const std::span<const double>> values) override {
    text_ += num_states_++ == 0 ? "\n    {" : ",\n    {";
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (i > 0) text_ += ", ";
      text_ += Dump(arrays_[i].name) + ": ";
      AppendNested(arrays_[i].shape, values[i], &text_);
    }
    text_ += '}';
    if (text_.size() >= kWriteSize) Write();
  }

  void Finish(bool interrupted) override {
    text_ += num_states_ == 0 ? "]" : "\n  ]";
    if (interrupted) text_ += ",\n  \"interrupted\": true";
    text_ += "\n}\n";
    Write();
    if (file_) file_->Commit();
  }

 private:
  void Write() {
    if (file_) {
      file_->Write(text_);
    } else if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size()) {
      throw WriteError(std::string("standard output cannot be written: ") + std::strerror(errno));
    }
    text_.clear();
  }

  std::vector<EvalArray> arrays_;
  std::string text_;  ///< not yet written
  std::optional<OutputFile> file_;
  std::size_t num_states_ = 0;
};

class NpzWriter : public EvalWriter {
 public:
  NpzWriter(const std::string& out, const Json& header, const std::vector<EvalArray>& arrays,
            OutputFile::Kind kind)
      : file_(out, "--out " + out, kind), header_(header), arrays_(arrays) {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      scratch_.emplace_back(out, OutputFile::Kind::kScratch, "--out " + out);
    }
  }

  void AddState(std::span<const std::span<const double>> values) override {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      scratch_[i].Write(values[i]);
    }
    ++num_states_;
  }

  void Finish(bool interrupted) override {
    if (interrupted) header_["interrupted"] = true;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      std::vector<std::size_t> shape = {num_states_};
      shape.insert(shape.end(), arrays_[i].shape.begin(), arrays_[i].shape.end());
      file_.Add(arrays_[i].name, shape, &scratch_[i]);
    }
    file_.AddText("header.json", FormatHeader(header_) + "\n}\n");
    file_.Finish();
  }

 private:
  NpzFile file_;
  Json header_;
  std::vector<EvalArray> arrays_;
  std::deque<OutputFile> scratch_;  ///< by array
  std::size_t num_states_ = 0;
};

void NameColumns(const EvalArray& array, const std::string& name, std::size_t depth,
                 std::vector<std::string>* names) {
  if (depth == array.shape.size()) return names->push_back(name);
  for (std::size_t i = 0; i < array.shape[depth]; ++i) {
    NameColumns(array, name + "/" + std::to_string(i), depth + 1, names);
  }
}

std::vector<std::string> ColumnsOf(const std::vector<EvalArray>& arrays) {
  std::vector<std::string> names;
  for (const EvalArray& array : arrays) NameColumns(array, array.name, 0, &names);
  return names;
}

class CsvWriter : public EvalWriter {
 public:
  CsvWriter(const std::string& out, const std::vector<EvalArray>& arrays, OutputFile::Kind kind)
      : file_(out, kind, ColumnsOf(arrays)) {}

  void AddState(std::span<const std::span<const double>> values) override {
    std::vector<double> row;
    for (const std::span<const double> each : values) {
      row.insert(row.end(), each.begin(), each.end());
    }
    file_.AddRow(row);
  }
  void Finish(bool /*interrupted*/) override { file_.Commit(); }

 private:
  CsvFile file_;
};

}  // namespace

std::size_t EvalArray::size() const {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  return size;
}

std::unique_ptr<EvalWriter> OpenEvalWriter(const std::string& format, const std::string& out,
                                           const Json& header, const std::vector<EvalArray>& arrays,
                                           OutputFile::Kind kind) {
  if (format == "csv") return std::make_unique<CsvWriter>(out, arrays, kind);
  if (format == "npz") return std::make_unique<NpzWriter>(out, header, arrays, kind);
  return std::make_unique<JsonWriter>(out, header, arrays, kind);
}

int WriteEachState(std::size_t size, bool to_file, EvalWriter* writer,
                   const EvaluateState& evaluate) {
  ProgressLine progress(to_file || isatty(STDOUT_FILENO) == 0);
  std::string failure;
  std::size_t done = 0;
  for (; done < size && !InterruptGuard::raised(); ++done) {
    std::vector<std::span<const double>> values;
    const std::string trouble = evaluate(done, &values);
    if (failure.empty() && !trouble.empty()) {
      failure = "states[" + std::to_string(done) + "]: " + trouble;
    }
    writer->AddState(values);
    if (progress.Due()) {
      progress.Show(std::to_string(done + 1) + " of " + std::to_string(size) + " states");
    }
  }
  writer->Finish(done < size);
  if (done < size) {
    PrintError("interrupted after " + std::to_string(done) + " of " + std::to_string(size) +
               " states");
    return kExitInterrupted;
  }
  if (failure.empty()) return kExitDone;
  PrintError(failure);
  return kExitFailed;
}

}  // namespace civita
