// A sentence that is given as text, run through a model and recorded in memory: what commands do in the place
// of reading a recording.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "app/workflow/capture.h"
#include "io/recording/sentence_recording.h"
#include "model/model.h"
#include "model/tokenizer/words.h"

namespace mog::app {

struct TextRun {
  std::filesystem::path model;  // what model_path takes: a folder, a bundled model's name; empty: the default
  std::string text;             // one sentence, UTF-8
  model::WordCut words = model::WordCut::automatic;
  CaptureSet capture;  // orders are not among what a run in memory keeps
  model::DeviceOptions device;
  std::stop_token stop;
};

// What the attention grammar, its trees and its choices may ask of a recording, in float32.
CaptureSet grammar_capture();

// The recording holds one sentence, number 1. Throws UsageError for a text that is not UTF-8 or has no words,
// and what load_for_running and record_sentence throw.
std::shared_ptr<const MemoryRecording> record_text(const TextRun& run);

}  // namespace mog::app
