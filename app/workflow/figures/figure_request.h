// A figure that is asked for: its kind, what it is made from, and the choices that were made, as texts. The
// command line, the window, the demo and a session all ask in these words, so what is shown always has a
// command.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/common/choices.h"
#include "io/recording/part.h"
#include "model/model.h"
#include "model/tokenizer/words/words.h"

namespace mog::app {

// A sentence that is given in the place of recordings and run through their models when the figure is made.
struct FigureText {
  std::string text;
  model::WordCut words = model::WordCut::automatic;
  model::DeviceOptions device;
  std::string command_line;  // kept in the provenance
};

struct FigureRequest {
  std::string kind;  // "tree"
  // Recordings; with `text` models, as model_path takes them (none: the default); of tables and diagrams
  // files.
  std::vector<std::filesystem::path> inputs = {};
  std::optional<FigureText> text = {};
  std::uint64_t seed = 1;  // of resamples and samples
  ChosenTexts choices = {};

  // Sets a choice in the place of what was there; the empty text and 0 take it away (no choice means either).
  FigureRequest& set(std::string_view name, std::string value);
  FigureRequest& set(std::string_view name, const char* value) { return set(name, std::string(value)); }
  FigureRequest& set(std::string_view name, std::int64_t number);
  FigureRequest& set(std::string_view name, const std::optional<double>& number);
  FigureRequest& set(std::string_view name, Part part);                                 // none takes it away
  FigureRequest& set(std::string_view name, const std::vector<std::int64_t>& numbers);  // "1,3"
  FigureRequest& flag(std::string_view name, bool on = true);
  // Empty, 0, false: not chosen.
  std::string text_of(std::string_view name) const;
  std::int64_t number_of(std::string_view name) const;
  std::optional<double> real_of(std::string_view name) const;
  bool has(std::string_view name) const;

  friend bool operator==(const FigureRequest& left, const FigureRequest& right) {
    return left.kind == right.kind && left.inputs == right.inputs && left.choices == right.choices &&
           left.seed == right.seed && left.text.has_value() == right.text.has_value() &&
           (!left.text || (left.text->text == right.text->text && left.text->words == right.text->words));
  }
};

// "mog", "figure", kind, inputs and every choice that differs from the default of the command; without
// --output.
std::vector<std::string> figure_arguments(const FigureRequest& request);

}  // namespace mog::app
