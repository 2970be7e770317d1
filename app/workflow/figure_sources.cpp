// What figures of one sentence are made from: opened recordings, or a text that is run now.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/workflow/figure_job.h"
#include "app/workflow/open_recording.h"
#include "app/workflow/recorded_text.h"
#include "app/workflow/text_format.h"
#include "io/hdf5/recording_reader.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

// given: models, or recordings once the parts of one run are joined.
void check_count(const FigureOptions& options, const FigureKind& kind, std::size_t given) {
  const char* const what = options.text ? "model" : "recording";
  if (is_difference(kind)) {
    if (given > 2 || (options.text && given != 2)) {
      throw UsageError(options.text ? fmt::format("figure {}: with --text it shows two models, {} {} named",
                                                  kind.name, given, given == 1 ? "was" : "were")
                                    : fmt::format("figure {}: it shows one or two recordings, {} were named",
                                                  kind.name, given));
    }
  } else if (given > 1) {
    throw UsageError(
        fmt::format("figure {}: it shows one sentence of one {}, {} were named", kind.name, what, given));
  }
  if (given == 0 && !options.text) {
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
  if (options.other > 0) {
    throw UsageError(
        fmt::format("{}: --other is a sentence of a second recording; --text is one sentence", command));
  }
}

// Of a model that has just run a sentence alone.
void check_part_of_text(const FigureOptions& options, const RecordingHeader& header) {
  const bool of_target = std::any_of(
      header.system.stacks.begin(), header.system.stacks.end(), [&](const StackDescription& stack) {
        return stack.input == StackInput::target &&
               std::find(stack.parts.begin(), stack.parts.end(), options.part) != stack.parts.end();
      });
  const bool there = std::any_of(
      header.system.stacks.begin(), header.system.stacks.end(), [&](const StackDescription& stack) {
        return std::find(stack.parts.begin(), stack.parts.end(), options.part) != stack.parts.end();
      });
  if (options.part != Part::none && !there) {
    std::vector<std::string> parts;
    for (const Part part : header.stack().parts) {
      parts.emplace_back(name(part));
    }
    throw UsageError(fmt::format("figure {}: --part {}: {} has no such part; it has {}", options.kind,
                                 name(options.part), header.model.name, joined(parts, ", ")));
  }
  if (options.part != Part::none && of_target) {
    throw UsageError(fmt::format(
        "figure {}: --part {}: a --text has no translation, the decoder does not run; record the sentence "
        "with `mog record --target translate` (or a file of translations) and give the recording",
        options.kind, name(options.part)));
  }
}

}  // namespace

bool is_difference(const FigureKind& kind) noexcept {
  return kind.of_sentence && kind.name.ends_with("-difference");
}

Part parse_part(std::string_view text, std::span<const std::filesystem::path> recordings) {
  for (const std::filesystem::path& path : recordings) {
    std::error_code error;
    if (!Part::find(text) && std::filesystem::exists(path, error)) {
      try {
        const io::RecordingReader reader(path);  // makes the parts of its system known
      } catch (const Error&) {                   // said by whoever reads it
      }
    }
  }
  return Part::parse(text);
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
  std::vector<std::filesystem::path> paths = options.statistics.recordings;
  if (!options.text) {
    for (const std::filesystem::path& path : paths) {
      refuse_model("figure " + options.kind, path,
                   "--text \"The sentence .\" runs a sentence through it, `mog record` a corpus");
    }
    sources = open_recordings(paths);
    check_count(options, kind, sources.size());
    return sources;
  }
  check_count(options, kind, paths.size());
  if (paths.empty()) {
    paths.emplace_back();
  }
  for (const std::filesystem::path& path : paths) {
    TextRun run = run_of(options, stop);
    run.model = path;
    sources.push_back(record_text(run));
    check_part_of_text(options, sources.back()->header());
  }
  return sources;
}

}  // namespace mog::app
