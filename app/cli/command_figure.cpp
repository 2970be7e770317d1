#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "app/cli/choice_options.h"
#include "app/cli/context.h"
#include "app/cli/draw.h"
#include "app/cli/figure_look.h"
#include "app/cli/idle_options.h"
#include "app/workflow/figures/figure.h"
#include "app/workflow/figures/figure_file.h"
#include "app/workflow/recordings/open_recording.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

using Of = app::FigureKind::Of;

struct Options {
  std::string kind;
  app::FigureRequest request;
  // The choices of the kind that the command line names, and what makes them.
  std::unique_ptr<app::Figure> figure;
  ChoiceOptions choices;
  // Those of the other kinds: not in the help, and refused with the kinds that they belong to.
  std::unique_ptr<ChoiceOptions> of_others = std::make_unique<ChoiceOptions>();
  std::vector<std::unique_ptr<app::Figure>> other_figures;
  std::optional<std::string> text;
  std::string words;  // how `text` is cut
  FigureLook look;
  bool markdown = false;
  std::filesystem::path csv;
  std::filesystem::path data;
};

std::string_view what_it_shows(Of of) {
  switch (of) {
    case Of::corpus:
      return "many sentences";
    case Of::sentence:
      return "one sentence";
    case Of::difference:
      return "two sentences";
    case Of::tables:
      return "tables";
    case Of::expressions:
      return "expressions";
  }
  return {};
}

// The page docs/figures.md: every kind, what it may be told, and an example.
std::string figures_page() {
  std::string text =
      "# Figures\n\nThis page is the output of `mog figure list --markdown`; a test compares the two.\n"
      "`mog figure KIND --help` says the same of one kind. How figures are drawn (paper, theme, type, marks) "
      "is in "
      "[command-line.md](command-line.md).\n";
  std::optional<Of> last;
  for (const app::FigureKind* const kind : app::figure_kinds()) {
    if (kind->of != last) {
      text += fmt::format("\n## Of {}\n", what_it_shows(kind->of));
      last = kind->of;
    }
    text +=
        fmt::format("\n### {}\n\n{}.\n\n    mog figure {}\n", kind->name, kind->description, kind->example);
    app::Choices choices;
    const std::unique_ptr<app::Figure> figure = kind->create();
    figure->declare(choices);
    if (!choices.all().empty()) {
      text += "\n| option | default | what it means |\n|---|---|---|\n";
    }
    for (const app::Choice& choice : choices.all()) {
      const std::string value = choice.value.empty() ? "" : " " + choice.value;
      text += fmt::format("| `--{}{}` | {} | {} |\n", choice.name, value, choice.usual, choice.help);
    }
  }
  return text;
}

void list_figures(Context& context) {
  std::string text;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  Of last = Of::expressions;
  for (const app::FigureKind* const kind : app::figure_kinds()) {
    if (text.empty() || kind->of != last) {
      text += fmt::format("{}Of {}\n", text.empty() ? "" : "\n", what_it_shows(kind->of));
      last = kind->of;
    }
    text += fmt::format("  {:<25} {}\n", kind->name, kind->description);
    json.push_back({{"kind", kind->name},
                    {"description", kind->description},
                    {"of", what_it_shows(kind->of)},
                    {"of_sentence", kind->of_sentence()},
                    {"example", fmt::format("mog figure {}", kind->example)}});
  }
  text += "\n`mog figure KIND --help` lists what a kind may be told.\n";
  context.print(context.json ? json.dump(2) + "\n" : text);
}

// The kind that the command line names, before its options are known: the first word after `figure` that is
// one.
const app::FigureKind* kind_of(const std::vector<std::string>& words) {
  const auto figure = std::find(words.begin(), words.end(), "figure");
  for (auto word = figure; word != words.end(); ++word) {
    const std::string_view today = app::name_of_today(app::NameOf::figure, *word);
    for (const app::FigureKind* const kind : app::figure_kinds()) {
      if (kind->name == today) {
        return kind;
      }
    }
  }
  return nullptr;
}

void refuse_idle(const CLI::App& command, const Options& options) {
  const std::string what = "figure " + options.kind;
  const app::FigureKind& kind = app::find_figure_kind(options.kind);
  for (const app::Choice& choice : options.of_others->choices.all()) {
    const std::string option = "--" + choice.name;
    if (!given(command, option)) {
      continue;
    }
    const std::string kinds = app::kinds_with(choice.name);
    const OptionUse use[] = {{option, false, kinds}};
    refuse_idle_options(command, what, use);
  }
  const std::string extension = options.look.draw.output.extension().string();
  const bool pixels = extension == ".png" || extension == ".PNG";
  const OptionUse uses[] = {
      {"--text", kind.of_sentence(), "figures of one sentence; of many, `mog record` a corpus first"},
      {"--dpi", pixels && !given(command, "--scale"), "PNG files, without --scale"},
      {"--scale", pixels, "PNG files"},
      {"--letters", !pixels, "SVG and PDF files"},
      {"--markdown", false, "list"},
  };
  refuse_idle_options(command, what, uses);
  if (kind.of_sentence()) {
    const OptionUse of_text[] = {{"--sentence", !options.text, "recordings; --text is the sentence itself"},
                                 {"--words", options.text.has_value(), "--text (how it is cut)"}};
    refuse_idle_options(command, what, of_text);
  }
}

// Of recordings; a text that is run here, tables and expressions miss nothing.
void note_missing(Context& context, const app::FigureRequest& request, const app::FigureSources& sources) {
  const app::FigureKind::Of of = app::find_figure_kind(request.kind).of;
  if (of == app::FigureKind::Of::tables || of == app::FigureKind::Of::expressions) {
    return;
  }
  const app::FigureSources opened =
      sources.empty() ? app::open_recordings(request.inputs) : app::FigureSources();
  std::vector<const io::RecordingReader*> readers;
  for (const auto& source : sources.empty() ? opened : sources) {
    const std::vector<const io::RecordingReader*> more = app::readers_of(*source);
    readers.insert(readers.end(), more.begin(), more.end());
  }
  context.console.notes(app::missing_of(readers));
}

void figure(Context& context, const CLI::App& command, Options& options) {
  if (options.kind == "list") {
    if (options.markdown) {
      context.print(figures_page());
    } else {
      list_figures(context);
    }
    return;
  }
  options.kind = context.names_of_today(app::NameOf::figure, options.kind);
  app::find_figure_kind(options.kind);
  refuse_idle(command, options);
  for (const app::Choice& choice : options.choices.choices.all()) {
    if (!choice.former.empty() && given(command, "--" + choice.former)) {
      context.console.note(
          fmt::format("--{} is called --{} now: words with repeats are leaves", choice.former, choice.name));
    }
  }
  if (options.look.draw.output.empty()) {
    throw UsageError("figure " + options.kind + ": give --output F.svg, F.pdf or F.png");
  }
  finish_look(options.look);
  app::FigureRequest& request = options.request;
  request.kind = options.kind;
  request.seed = static_cast<std::uint64_t>(context.seed);
  request.choices = options.choices.chosen;
  for (auto& [name, texts] : request.choices) {
    if (name == "quantity") {
      texts.front() = context.names_of_today(app::NameOf::quantity, texts.front());
    }
  }
  if (options.text) {
    request.text = {.text = *options.text,
                    .words = model::parse_word_cut(options.words.empty() ? "auto" : options.words),
                    .device = context.device_options(context.threads == 0 ? 1 : context.threads),
                    .command_line = context.command_line};
  }
  const app::FigureSources sources = app::open_figure_sources(request, context.stop());
  analysis::FigureData data = app::make_figure(
      request, {.sources = sources, .stop = context.stop(), .progress = context.console.callback()});
  context.console.end_progress();
  note_missing(context, request, sources);
  apply_look(data, command, options.look);
  context.console.notes(Drawer().draw(data, options.look.draw));
  if (!options.csv.empty() || !options.data.empty()) {
    const std::vector<std::string>& marks = options.look.draw.marks;
    const app::FigureFacts facts =
        sources.empty() ? app::figure_facts(request, marks) : app::figure_facts(request, sources, marks);
    if (!options.csv.empty()) {
      context.write(options.csv, app::figure_csv(data, facts));
    }
    if (!options.data.empty()) {
      app::save_figure_data(data, facts, options.data);
    }
  }
  if (context.json) {
    nlohmann::ordered_json json = {
        {"kind", options.kind}, {"path", options.look.draw.output.string()}, {"caption", data.caption}};
    if (!options.csv.empty()) {
      json["csv_path"] = options.csv.string();
    }
    if (!options.data.empty()) {
      json["data_path"] = options.data.string();
    }
    context.print(json.dump(2) + "\n");
  } else {
    context.console.note("wrote " + options.look.draw.output.string());
  }
}

// The options of the kind; hidden ones for what other kinds know.
void add_kind(CLI::App& command, const app::FigureKind* kind, Options& options) {
  std::set<std::string> known;
  if (kind != nullptr) {
    options.figure = kind->create();
    options.figure->declare(options.choices.choices);
    options.choices.add_to(command, fmt::format("Of {}", kind->name));
    for (const app::Choice& choice : options.choices.choices.all()) {
      known.insert(choice.name);
    }
  }
  const bool of_text = kind == nullptr || kind->of_sentence();
  const std::string group = kind == nullptr ? "" : of_text ? fmt::format("Of {}", kind->name) : std::string();
  command
      .add_option("--text", options.text,
                  "The sentence itself, run through the model; no recording is needed")
      ->group(group);
  if (of_text) {
    known.insert("words");
    command
        .add_option("--words", options.words,
                    "With --text how it is cut: auto (as the model was trained), spaces, ud-en, characters")
        ->group(group);
  }
  for (const app::FigureKind* const other : app::figure_kinds()) {
    app::Choices choices;
    const std::unique_ptr<app::Figure> figure = other->create();
    figure->declare(choices);
    for (const app::Choice& choice : choices.all()) {
      if (known.insert(choice.name).second) {
        options.of_others->choices.repeat(choice);
      }
    }
  }
  options.of_others->add_to(command, "");
}

}  // namespace

void add_figure(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  const app::FigureKind* const kind = kind_of(context.words);
  CLI::App* const command = app.add_subcommand(
      "figure", kind == nullptr
                    ? std::string("Draw figures as SVG, PDF or PNG, without a display (`mog figure "
                                  "list`); `mog figure KIND --help` lists the options of a kind")
                    : fmt::format("{}: {}", kind->name, kind->description));
  command->add_option("KIND", options->kind, "Which figure, or `list`")->required();
  command->add_option("RECORDINGS", options->request.inputs,
                      "Recordings; with --text a model, its folder or the name of a bundled one "
                      "(tagger-en-distilled by default); for plot tables; for diagrams files of expressions");
  command->add_option("--output,-o", options->look.draw.output, "F.svg, F.pdf or F.png");
  command->add_option("--csv", options->csv, "The numbers behind the figure too; - is standard output");
  command->add_option("--data", options->data,
                      "The numbers as HDF5 too: values, axes, words, names of quantities, where they come "
                      "from");
  command->add_flag("--markdown", options->markdown, "list: the page docs/figures.md")->group("");
  add_kind(*command, kind, *options);
  add_look_options(*command, options->look);
  context.add_common_options(*command);
  if (kind == nullptr) {
    std::string lines = examples({"mog figure list", "mog figure tree --help"});
    for (const app::FigureKind* const one : app::figure_kinds()) {
      lines += fmt::format("\n  mog figure {}", one->example);
    }
    command->footer(lines);
  } else {
    command->footer(examples({fmt::format("mog figure {}", kind->example)}));
  }
  command->callback([&context, command, options] {
    context.action = [&context, command, options] { figure(context, *command, *options); };
  });
}

}  // namespace mog::cli
