// What figures of one sentence are made from: opened recordings, or a text that is run now.
#include <fmt/format.h>

#include <memory>

#include "app/workflow/figure_job.h"
#include "app/workflow/recorded_text.h"
#include "io/hdf5/recording_reader.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

void check_count(const FigureOptions& options, const FigureKind& kind) {
  const std::size_t named = options.statistics.recordings.size();
  const char* const what = options.text ? "model" : "recording";
  if (is_difference(kind)) {
    if (named > 2 || (options.text && named != 2)) {
      throw UsageError(options.text ? fmt::format("figure {}: with --text it shows two models, {} {} named",
                                                  kind.name, named, named == 1 ? "was" : "were")
                                    : fmt::format("figure {}: it shows one or two recordings, {} were named",
                                                  kind.name, named));
    }
  } else if (named > 1) {
    throw UsageError(
        fmt::format("figure {}: it shows one sentence of one {}, {} were named", kind.name, what, named));
  }
  if (named == 0 && !options.text) {
    throw UsageError(fmt::format("figure {}: no recording was named", kind.name));
  }
}

// What the kind may ask of a model's run: what the attention grammar reads, maps and gates; of figures of
// named quantities these alone.
TextRun run_of(const FigureOptions& options, const std::stop_token& stop) {
  TextRun run{.text = options.text->text,
              .words = options.text->words,
              .capture = grammar_capture(),
              .device = options.text->device,
              .command_line = options.text->command_line,
              .stop = stop};
  if (options.kind == "quantity-map" || options.kind == "token-bars") {
    run.capture.names.clear();
    run.quantities = options.statistics.names;
  }
  return run;
}

void check_text(const FigureOptions& options, const FigureKind& kind) {
  const std::string command = fmt::format("figure {}", kind.name);
  if (!kind.of_sentence) {
    throw UsageError(
        fmt::format("{}: it shows many sentences, --text is one; record a corpus with `mog record` and give "
                    "the recording",
                    command));
  }
  check_grammar_of_text(command, options.statistics.grammar);
  if (options.part == Part::self || options.part == Part::cross) {
    throw UsageError(fmt::format(
        "{}: --part {}: a --text has no translation, the decoder does not run; record the sentence with `mog "
        "record --target translate` (or a file of translations) and give the recording",
        command, name(options.part)));
  }
  if (options.other > 0) {
    throw UsageError(
        fmt::format("{}: --other is a sentence of a second recording; --text is one sentence", command));
  }
}

}  // namespace

bool is_difference(const FigureKind& kind) noexcept {
  return kind.of_sentence && kind.name.ends_with("-difference");
}

FigureSources open_figure_sources(const FigureOptions& options, std::stop_token stop) {
  const FigureKind& kind = find_figure_kind(options.kind);
  if (options.text) {
    check_text(options, kind);
  }
  FigureSources sources;
  if (!kind.of_sentence) {
    return sources;
  }
  check_count(options, kind);
  std::vector<std::filesystem::path> paths = options.statistics.recordings;
  if (paths.empty()) {
    paths.emplace_back();
  }
  for (const std::filesystem::path& path : paths) {
    if (options.text) {
      TextRun run = run_of(options, stop);
      run.model = path;
      sources.push_back(record_text(run));
    } else {
      refuse_model("figure " + options.kind, path,
                   "--text \"The sentence .\" runs a sentence through it, `mog record` a corpus");
      sources.push_back(std::make_shared<io::RecordingReader>(path));
    }
  }
  return sources;
}

}  // namespace mog::app
