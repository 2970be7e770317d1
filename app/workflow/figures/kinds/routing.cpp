// Which words each capsule of a global representation collects, layer by layer; beside it what each capsule
// weighs, and how much each word of the translation takes of the whole.
#include "analysis/figure_data/capsule_figures.h"
#include "app/workflow/figures/shared_choices.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

std::vector<QuantityName> routing_of(const RecordingHeader& header, std::int64_t layer) {
  std::vector<QuantityName> names;
  for (const QuantitySchema& schema : header.quantities) {
    if (analysis::is_capsule_map(schema) && schema.name.quantity() == Quantity::routing &&
        (layer == 0 || schema.name.layer() == layer)) {
      names.push_back(schema.name);
    }
  }
  return names;
}

// Beside the maps of the layers, which become panels where there is one alone.
void add_panel(analysis::FigureData& figure, analysis::FigureData panel) {
  constexpr std::int64_t kColumns = 2;
  if (!std::holds_alternative<analysis::PanelFigure>(figure.body)) {
    analysis::PanelFigure panels;
    panels.columns = kColumns;
    panels.panels.push_back({figure.title, {}, std::move(figure.body)});
    figure.body = std::move(panels);
  }
  panel.caption.clear();
  std::get<analysis::PanelFigure>(figure.body).panels.push_back(std::move(panel));
}

class Routing : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    map_.declare_layer(choices, "From 1; by default a panel a layer");
    choices.flag("pooling", pooling_, "A panel of what each capsule weighs in its layer");
    choices.flag("gate", gate_, "A panel of the gate of the global state, by word of the translation");
    sides_.declare_words(choices);
    sides_.declare_special(choices);
    colours_.declare(choices);
  }
  bool reads(const RecordingHeader&, const QuantityName& name) const override {
    return (name.quantity() == Quantity::routing && name.reduction() == Reduction::full) ||
           (pooling_ && name.quantity() == Quantity::pooling) ||
           (gate_ && name.quantity() == Quantity::global_gate);
  }
  void prepare(TextRun& run) const override {
    run.capture.names.clear();
    if (gate_) {
      throw UsageError(
          "--gate with --text: the decoder does not run; record the sentence with `mog record --target "
          "translate` and give the recording");
    }
    run.quantities = {"*.*.routing"};
    if (pooling_) {
      run.quantities.emplace_back("*.*.pooling");
    }
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs&) override {
    const std::vector<QuantityName> names = routing_of(source.header(), map_.layer);
    if (names.empty()) {
      throw UsageError(figure_text(request) + ": the recording of " + source.header().model.name +
                       " holds no routing weights" +
                       (map_.layer > 0 ? " of layer " + std::to_string(map_.layer) : std::string()) +
                       "; record a model with a global representation (gret) with --capture attention");
    }
    const analysis::TokenOptions tokens{.special_tokens = !sides_.no_special_tokens,
                                        .by_word = sides_.by_word};
    analysis::FigureData figure = analysis::capsule_map_figure(source, index, names, tokens);
    if (pooling_) {
      add_panel(figure, analysis::pooling_figure(source, index));
    }
    if (gate_) {
      add_panel(figure, analysis::global_gate_figure(source, index, tokens));
    }
    colours_.paint(figure, request);
    return figure;
  }

 private:
  MapChoice map_;
  bool pooling_ = false;
  bool gate_ = false;
  SideChoice sides_;
  ColourChoice colours_;
};

}  // namespace

std::span<const FigureKind> routing_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "routing",
       .description = "which words each capsule of a global representation collects, a panel a layer",
       .of = FigureKind::Of::sentence,
       .title = MOG_TEXT("Guide", "What capsules collect"),
       .reading = MOG_TEXT(
           "Guide",
           "A row is a capsule of the sentence's global representation, a column a word: the darker, the "
           "more of the word the capsule collects. Capsules of different layers with the same number have "
           "nothing in common unless their maps are shared. Beside the layers may stand what each capsule "
           "weighs in the state of the whole sentence, and how much of that state each word of the "
           "translation takes in (gate)."),
       .example = "routing maps.rec -n 3 --by-word --pooling --gate -o routing.svg",
       .create = [] { return std::unique_ptr<Figure>(std::make_unique<Routing>()); },
       .fits = [](const RecordingHeader& header) { return !routing_of(header, 0).empty(); }}};
  return kKinds;
}

}  // namespace mog::app
