// What figures of one sentence are made from: opened recordings, or a text that is run now.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/workflow/common/text_format.h"
#include "app/workflow/figures/figure.h"
#include "app/workflow/recordings/open_recording.h"
#include "app/workflow/recordings/recorded_text.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

// given: models, or recordings once the parts of one run are joined.
void check_count(const FigureRequest& request, const FigureKind& kind, std::size_t given) {
  if (kind.of == FigureKind::Of::difference) {
    if (given > 2 || (request.text && given != 2)) {
      throw UsageError(request.text ? fmt::format("figure {}: with --text it shows two models, {} {} named",
                                                  kind.name, given, given == 1 ? "was" : "were")
                                    : fmt::format("figure {}: it shows one or two recordings, {} were named",
                                                  kind.name, given));
    }
  } else if (given > 1) {
    throw UsageError(fmt::format("figure {}: it shows one sentence of one {}, {} were named", kind.name,
                                 request.text ? "model" : "recording", given));
  }
  if (given == 0 && !request.text) {
    throw UsageError(fmt::format("figure {}: no recording was named", kind.name));
  }
}

// Of a model that has just run a sentence alone: the decoder did not.
void check_part_of_text(const FigureRequest& request, const RecordingHeader& header) {
  const std::string text = request.text_of("part");
  const std::optional<Part> part = Part::find(text);
  if (!part || *part == Part::none) {
    return;
  }
  const auto has = [&](const StackDescription& stack) {
    return std::find(stack.parts.begin(), stack.parts.end(), *part) != stack.parts.end();
  };
  const auto& stacks = header.system.stacks;
  if (std::none_of(stacks.begin(), stacks.end(), has)) {
    std::vector<std::string> parts;
    for (const Part one : header.stack().parts) {
      parts.emplace_back(name(one));
    }
    throw UsageError(fmt::format("figure {}: --part {}: {} has no such part; it has {}", request.kind, text,
                                 header.model.name, joined(parts, ", ")));
  }
  if (std::any_of(stacks.begin(), stacks.end(), [&](const StackDescription& stack) {
        return stack.input == StackInput::target && has(stack);
      })) {
    throw UsageError(fmt::format(
        "figure {}: --part {}: a --text has no translation, the decoder does not run; record the sentence "
        "with `mog record --target translate` (or a file of translations) and give the recording",
        request.kind, text));
  }
}

}  // namespace

FigureSources open_figure_sources(const FigureRequest& request, std::stop_token stop) {
  const FigureKind& kind = find_figure_kind(request.kind);
  const std::unique_ptr<Figure> figure = figure_of(request);
  FigureSources sources;
  if (!kind.of_sentence()) {
    if (request.text) {
      throw UsageError(
          fmt::format("figure {}: it shows many sentences, --text is one; record a corpus with `mog record` "
                      "and give the recording",
                      kind.name));
    }
    return sources;
  }
  if (!request.text) {
    for (const std::filesystem::path& path : request.inputs) {
      refuse_model("figure " + request.kind, path,
                   "--text \"The sentence .\" runs a sentence through it, `mog record` a corpus");
    }
    sources = open_recordings(request.inputs);
    check_count(request, kind, sources.size());
    return sources;
  }
  if (request.has("other")) {
    throw UsageError(fmt::format(
        "figure {}: --other is a sentence of a second recording; --text is one sentence", kind.name));
  }
  std::vector<std::filesystem::path> models = request.inputs;
  check_count(request, kind, models.size());
  if (models.empty()) {
    models.emplace_back();
  }
  for (const std::filesystem::path& model : models) {
    // What the kind may ask of the model: what the attention grammar reads, maps and gates.
    TextRun run{.model = model,
                .text = request.text->text,
                .words = request.text->words,
                .capture = grammar_capture(),
                .device = request.text->device,
                .command_line = request.text->command_line,
                .stop = stop};
    figure->prepare(run);
    sources.push_back(record_text(run));
    check_part_of_text(request, sources.back()->header());
  }
  return sources;
}

}  // namespace mog::app
