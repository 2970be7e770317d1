// A sentence that is given as text, run through a model and recorded in memory: what commands do in the place
// of reading a recording.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/grammar/from_recording.h"
#include "app/workflow/record/capture.h"
#include "io/recording/sentence_recording.h"
#include "model/config/config.h"
#include "model/model.h"
#include "model/tokenizer/words/words.h"

namespace mog::app {

struct TextRun {
  std::filesystem::path
      model{};       // what model_path takes: a folder, a bundled model's name; empty: the default
  std::string text;  // one sentence, UTF-8
  model::WordCut words = model::WordCut::automatic;
  CaptureSet capture{};
  std::vector<std::string> quantities{};  // more by name (named_quantities.h)
  model::DeviceOptions device{};
  std::string command_line{};  // kept in the provenance
  std::stop_token stop{};
};

// What the corpus of a text is called that is run by itself: that it was, and where words are cut otherwise
// than the model says, how.
std::string name_of_text_run(const model::ModelConfig& config, model::WordCut words);

// What the attention grammar, its trees and its choices may ask of a recording, in float32.
CaptureSet grammar_capture();

// The recording holds one sentence, number 1, of a corpus that says that the text was run now. Throws
// UsageError for a text that is not UTF-8 or has no words and for a model that is a recording, and what
// load_for_running and record_sentence throw.
std::shared_ptr<const MemoryRecording> record_text(const TextRun& run);

// Throws UsageError for the choices that need a decoder, which no text alone runs: --target cross.
void check_grammar_of_text(std::string_view command, const analysis::WordGrammarOptions& grammar);

// Throws UsageError where `path`, to be read as a recording, is a model: a folder, or the name of a bundled
// one. `hint` says what to do with a model: "give --text …".
void refuse_model(std::string_view command, const std::filesystem::path& path, std::string_view hint);

}  // namespace mog::app
