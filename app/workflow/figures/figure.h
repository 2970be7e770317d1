// Figure kinds: each is one object in one file of kinds/, which says its name, what it may be told, how it is
// made and what is read in it. `mog figure`, its help and list, docs/figures.md, the window's list of further
// figures and the guide know kinds by this table alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figure_data/figure_data.h"
#include "app/workflow/common/choices.h"
#include "app/workflow/common/progress.h"
#include "app/workflow/figures/figure_request.h"
#include "app/workflow/recordings/recorded_text.h"
#include "io/recording/recording_label.h"
#include "io/recording/sentence_recording.h"
#include "io/recording/translated.h"

namespace mog::app {

// What a figure of sentences reads: recordings opened, or in memory of a text that was run.
using FigureSources = std::vector<std::shared_ptr<const RecordingSource>>;

struct FigureInputs {
  FigureSources sources;
  std::vector<std::string> titles = {};  // of a difference: over its panels; empty: by the recordings
  std::stop_token stop = {};
  ProgressCallback progress = {};
};

// One figure that is being made: its choices are its members.
class Figure {
 public:
  virtual ~Figure() = default;
  virtual void declare(Choices& choices) = 0;
  // What no single choice shows: after all are taken, before anything is opened. Throws UsageError.
  virtual void check(const FigureRequest&) {}
  // Throws as the jobs of statistics and trees.
  virtual analysis::FigureData make(const FigureRequest& request, const FigureInputs& inputs) = 0;
  // Whether it is made from this recorded quantity; of a stack that it shows.
  virtual bool reads(const RecordingHeader&, const QuantityName&) const { return false; }
  // What a model is asked for when it runs a --text; at first what the attention grammar reads, maps and
  // gates.
  virtual void prepare(TextRun&) const {}
};

struct FigureKind {
  enum class Of : std::uint8_t {
    corpus,       // recordings, many sentences
    sentence,     // one sentence of one recording, or of a text
    difference,   // one sentence of each of two, or two of one
    tables,       // CSV tables
    expressions,  // files of expressions, or none
  };
  std::string_view name;         // "weight-by-layer"
  std::string_view description;  // one line
  Of of = Of::corpus;
  std::string_view title = {};    // MOG_TEXT: as the window calls it; empty: it has a view of its own there
  std::string_view reading = {};  // MOG_TEXT: the guide's entry, how it is read
  std::string_view example = {};  // a command line, after "mog figure "
  std::unique_ptr<Figure> (*create)() = nullptr;
  // For the window's list: whether a recording can be shown so (none: whenever it holds maps), and of which
  // recorded quantities it is (none: it does not ask for one). As patterns that --quantity takes.
  bool (*fits)(const RecordingHeader&) = nullptr;
  std::vector<std::string> (*quantities)(const RecordingHeader&) = nullptr;

  bool of_sentence() const noexcept { return of == Of::sentence || of == Of::difference; }
};

// All kinds, in the order in which `mog figure list` prints them.
std::span<const FigureKind* const> figure_kinds();
// Throws UsageError naming what is near.
const FigureKind& find_figure_kind(std::string_view name);
// The names of the kinds that know a choice, "tree, forest and arcs"; empty: none does.
std::string kinds_with(std::string_view choice);
bool has_choice(std::string_view kind, std::string_view choice);

// The kind with the choices of `request` taken and checked. Throws UsageError.
std::unique_ptr<Figure> figure_of(const FigureRequest& request);

// The sources of a figure of sentences: its recordings opened, or recordings in memory of `request.text`, run
// through each model. Of other kinds nothing: they open their files themselves. Throws UsageError for a
// number of recordings that the kind does not take and for a model in the place of a recording, and as
// record_text.
FigureSources open_figure_sources(const FigureRequest& request, std::stop_token stop = {});

// Throws as the jobs of statistics and trees. `inputs.sources`: open_figure_sources(request), or the
// window's.
analysis::FigureData make_figure(const FigureRequest& request, const FigureInputs& inputs);
// What stands over the panel of a sentence in a difference: "news, sentence 3".
std::string sentence_title(const RecordingLabel& recording, std::int64_t number);

// Opens what is asked for.
analysis::FigureData make_figure(const FigureRequest& request, std::stop_token stop = {},
                                 const ProgressCallback& progress = {});
// Of one open recording.
analysis::FigureData make_figure(const FigureRequest& request, const RecordingSource& source,
                                 std::stop_token stop = {}, const ProgressCallback& progress = {});

}  // namespace mog::app
