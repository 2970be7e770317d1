#include "app/workflow/recordings/recorded_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "app/workflow/common/resources.h"
#include "app/workflow/record/live_run.h"
#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::app {
namespace {

Provenance made_now(const TextRun& run, const LoadedModel& loaded) {
  Provenance made;
  made.program_version = MOG_VERSION;
  made.command_line = run.command_line;
  made.corpus_name = name_of_text_run(loaded.model->config(), loaded.words);
  made.precision = precision_name(run.device.precision);
  made.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  return made;
}

bool has(const std::filesystem::path& folder, const char* file) {
  std::error_code error;
  return std::filesystem::exists(folder / file, error);
}

}  // namespace

std::string name_of_text_run(const model::ModelConfig& config, model::WordCut words) {
  return words == config.tokenizer.words ? "text run now"
                                         : fmt::format("text run now: words {}", model::name(words));
}

CaptureSet grammar_capture() {
  return {.names = {CaptureName::summary, CaptureName::attention, CaptureName::gates, CaptureName::shares},
          .layers = {},
          .store = DType::float32};
}

std::shared_ptr<const MemoryRecording> record_text(const TextRun& run) {
  // Before the model is opened, which takes longest.
  if (const std::size_t at = io::first_invalid_utf8(run.text); at != std::string::npos) {
    throw UsageError(fmt::format(
        "--text: byte {} is not UTF-8; give the text in UTF-8 (is the terminal's locale another one?)",
        at + 1));
  }
  const std::filesystem::path path = model_path(run.model);
  if (has(path, "manifest.json") && !has(path, "config.json")) {
    throw UsageError(fmt::format(
        "--text: {} is a recording; a text is run through a model: name one, or leave --text out and choose "
        "one of the recorded sentences with --sentence N",
        path.string()));
  }
  const LoadedModel loaded = load_for_running(path, run.device, run.words);
  try {
    return record_sentence(loaded, run.text, run.capture, {}, run.stop, run.quantities,
                           made_now(run, loaded));
  } catch (const Interrupted&) {
    throw Interrupted("running the --text: interrupted, nothing was written");
  }
}

void check_grammar_of_text(std::string_view command, const analysis::WordGrammarOptions& grammar) {
  if (grammar.target == analysis::TargetWeights::cross) {
    throw UsageError(fmt::format(
        "{}: --target cross: a --text has no translation, the decoder does not run; record the sentence with "
        "`mog record --target translate` (or a file of translations) and give the recording",
        command));
  }
}

void refuse_model(std::string_view command, const std::filesystem::path& path, std::string_view hint) {
  std::error_code error;
  const bool folder = has(path, "config.json") && !has(path, "manifest.json");
  const bool bundled = !std::filesystem::exists(path, error) && model_path(path) != path;
  if (folder || bundled) {
    throw UsageError(fmt::format("{}: {} is a model, no recording; {}", command, path.string(), hint));
  }
}

}  // namespace mog::app
