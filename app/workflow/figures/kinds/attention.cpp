// Attention of one sentence: a map, all maps, arcs.
#include <fmt/format.h>

#include <optional>
#include <variant>

#include "analysis/figure_data/attention_overview.h"
#include "analysis/figure_data/builders.h"
#include "app/workflow/figures/gold_overlay.h"
#include "app/workflow/figures/shared_choices.h"
#include "io/recording/errors.h"
#include "io/recording/top_keys.h"

namespace mog::app {
namespace {

class AttentionMatrix : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    map_.declare_layer(choices);
    map_.declare_part(choices);
    map_.declare_head(choices);
    map_.declare_heads(choices);
    sides_.declare_words(choices);
    sides_.declare_special(choices);
    sides_.declare_special_scale(choices);
    sides_.declare_block(choices);
    sides_.declare_stretches(choices);
    choices.number("arcs", arcs_, "So many of the strongest keys of each word as arcs below the map", 0, 100);
    choices.flag("graph", graph_, "Pairs with a relation in the graph that attention reads are framed");
    colours_.declare(choices);
  }
  void check(const FigureRequest& request) override { map_.find_part(request); }
  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return map_.reads(header, name) || (graph_ && name.quantity() == Quantity::graph);
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs&) override {
    analysis::TokenOptions tokens = sides_.tokens(map_.heads);
    tokens.graph = graph_;
    analysis::FigureData figure =
        analysis::attention_figure(source, index, map_.layer, map_.part, map_.head, tokens);
    colours_.paint(figure, request);
    auto& map = std::get<analysis::HeatMap>(figure.body);
    if (arcs_ > 0 && map.rows != map.columns) {
      throw UsageError(fmt::format(
          "{} --arcs {}: the ends of an arc are words of one text; this map has other words at its sides",
          figure_text(request), arcs_));
    }
    map.arcs = arcs_;
    return figure;
  }

 private:
  MapChoice map_;
  SideChoice sides_;
  ColourChoice colours_;
  std::int64_t arcs_ = 0;
  bool graph_ = false;
};

class AttentionGrid : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    map_.declare_part(choices);
    colours_.declare(choices);
  }
  void check(const FigureRequest& request) override { map_.find_part(request); }
  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return map_.reads(header, name);
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs&) override {
    const std::vector<Part> parts = map_.parts_of(source.header());
    if (parts.empty()) {
      throw UsageError(
          "figure attention-grid: the recording holds no attention maps; record with --capture attention" +
          only_top_keys(source.header()));
    }
    const bool both = source.header().stack().has(PartRole::direction) && map_.part == Part::none;
    analysis::FigureData figure = analysis::attention_grid(source, index, both ? Part::none : parts.front());
    colours_.paint(figure, request);
    return figure;
  }

 private:
  MapChoice map_;
  ColourChoice colours_;
};

class AttentionOverview : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    map_.declare_part(choices);
    map_.declare_heads(choices);
    sides_.declare_special_scale(choices);
    sides_.declare_stretches(choices);
    colours_.declare(choices);
  }
  void check(const FigureRequest& request) override { map_.find_part(request); }
  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return map_.reads(header, name);
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs& inputs) override {
    const analysis::OverviewOptions overview{.part = map_.part,
                                             .heads = map_.heads,
                                             .special_in_scale = sides_.special_in_scale,
                                             .queries = sides_.queries,
                                             .keys = sides_.keys};
    analysis::FigureData figure = analysis::overview_figure(
        analysis::attention_overview(source, index, overview, inputs.stop), source, index, overview);
    colours_.paint(figure, request);
    return figure;
  }

 private:
  MapChoice map_;
  SideChoice sides_;
  ColourChoice colours_;
};

class AttentionArcs : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    map_.declare_layer(choices);
    map_.declare_part(choices);
    map_.declare_head(choices);
    map_.declare_heads(choices);
    choices.real("threshold", threshold_, "Weaker arcs are left out; 0.1 where it is not given");
    choices.number("at-most", arcs_.at_most, "The strongest arcs that are kept", 1);
    choices.number("from", from_, "Arcs of one word of the figure, from 1", 1);
    sides_.declare_words(choices);
    sides_.declare_block(choices);
    sides_.declare_stretch(choices);
    choices.flag("special-tokens", special_tokens_, "Arcs from and to </s> too");
    choices.path(
        "gold", gold_,
        "CoNLL-U of the recorded sentences; the tree is drawn below the words, with attachment scores");
  }
  void check(const FigureRequest& request) override { map_.find_part(request); }
  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return map_.reads(header, name);
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs& inputs) override {
    constexpr double kArcThreshold = 0.1;
    arcs_.threshold = threshold_.value_or(kArcThreshold);
    arcs_.tokens = sides_.tokens(map_.heads);
    arcs_.tokens.special_tokens = special_tokens_;
    if (from_ > 0) {
      arcs_.from = from_ - 1;
    }
    analysis::FigureData figure =
        analysis::attention_arcs(source, index, map_.layer, map_.parts_of(source.header()), map_.head, arcs_);
    if (!gold_.empty() && !sides_.queries.all()) {
      throw UsageError(figure_text(request) +
                       " --gold: its tree is of the whole sentence; without --tokens it is drawn");
    }
    if (!gold_.empty()) {
      std::string why;
      if (!add_gold_of_map(figure, {map_.layer, map_.part, map_.head, arcs_.tokens}, source, index,
                           TreebankWords(gold_, inputs.stop), why)) {
        throw FormatError(fmt::format("{}: {}", figure_text(request), why));
      }
    }
    return figure;
  }

 private:
  MapChoice map_;
  SideChoice sides_;
  analysis::ArcOptions arcs_{.at_most = 60};
  std::optional<double> threshold_;
  std::int64_t from_ = 0;
  bool special_tokens_ = false;
  std::filesystem::path gold_;
};

template <class Kind>
std::unique_ptr<Figure> create() {
  return std::make_unique<Kind>();
}

}  // namespace

std::span<const FigureKind> attention_kinds() {
  using Of = FigureKind::Of;
  static const FigureKind kKinds[] = {
      {.name = "attention",
       .description =
           "attention map of one layer, part and head (or means of them); GRU, LSTM: carry weights",
       .of = Of::sentence,
       .example = "attention tagger-en-graph --text \"I don't know .\" --layer 2 --part high -o map.png",
       .create = create<AttentionMatrix>},
      {.name = "attention-grid",
       .description = "attention of one part, a thumbnail a layer and head",
       .of = Of::sentence,
       .example = "attention-grid corpus.rec -n 3 --part high -o grid.svg",
       .create = create<AttentionGrid>},
      {.name = "attention-overview",
       .description = "thumbnails of all layers and heads on one scale, with their means",
       .of = Of::sentence,
       .example = "attention-overview corpus.rec -n 3 -o overview.svg",
       .create = create<AttentionOverview>},
      {.name = "attention-arcs",
       .description = "attention weights above a threshold as arcs over the words",
       .of = Of::sentence,
       .example = "attention-arcs corpus.rec -n 3 --heads 1,3 --from 4 --threshold 0.02 -o arcs.svg",
       .create = create<AttentionArcs>},
  };
  return kKinds;
}

}  // namespace mog::app
