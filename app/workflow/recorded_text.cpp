#include "app/workflow/recorded_text.h"

#include <fmt/format.h>

#include "app/workflow/live_run.h"
#include "app/workflow/resources.h"
#include "io/recording/errors.h"
#include "io/text/utf8.h"

namespace mog::app {

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
  const LoadedModel loaded = load_for_running(model_path(run.model), run.device, run.words);
  return record_sentence(loaded, run.text, run.capture, {}, run.stop);
}

}  // namespace mog::app
