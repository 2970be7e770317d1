// A sentence and its translation: words aligned, what a decoder's steps owe to both sides, and how the two
// shares go along the translation.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/figure_data/builders.h"
#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/quantity_figures.h"
#include "analysis/figure_data/translation_figures.h"
#include "app/workflow/figures/shared_choices.h"
#include "app/workflow/record/named_quantities.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/text/alignments.h"

namespace mog::app {
namespace {

bool has_cross_attention(const RecordingHeader& header) {
  return std::any_of(header.quantities.begin(), header.quantities.end(), [](const QuantitySchema& schema) {
    return schema.name.part().role() == PartRole::cross && schema.name.quantity() == Quantity::attention &&
           (schema.name.reduction() == Reduction::full || schema.name.reduction() == Reduction::mean_heads);
  });
}

std::vector<std::string> names_where(const RecordingHeader& header, bool (*fits)(const QuantitySchema&)) {
  std::vector<std::string> names;
  for (const QuantitySchema& schema : header.quantities) {
    if (fits(schema)) {
      names.push_back(schema.name.text());
    }
  }
  return names;
}

std::vector<std::string> context_maps(const RecordingHeader& header) {
  return names_where(header, analysis::is_context_map);
}

bool is_share(const QuantitySchema& schema) {
  return schema.axes.size() == 2 && schema.axes[0] == Axis::target_token &&
         schema.axes[1] == Axis::context_side;
}

std::vector<std::string> side_shares(const RecordingHeader& header) {
  return names_where(header, is_share);
}

// Figures of one sentence and its translation.
class FigureOfTranslation : public SentenceFigure {
 public:
  void prepare(TextRun&) const override {
    throw UsageError(
        "--text: it has no translation, the decoder does not run; record the sentence with `mog record "
        "--target "
        "translate` (or a file of translations) and give the recording");
  }
};

class Alignment : public FigureOfTranslation {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    choices.text("quantity", quantity_,
                 "A recorded map of the decoder's steps by name, decoder.contribution.logit; by default "
                 "cross-attention");
    map_.declare_layer(choices, "Of cross-attention, from 1; by default the mean over layers");
    map_.declare_head(choices);
    choices.value("step", step_, "predicted",
                  "The row of a target word: of the step that predicts it (predicted), or that has read it "
                  "(read), which "
                  "suits the cross-attention of a lower layer",
                  analysis::parse_alignment_step);
    choices.path("gold", gold_, "Gold alignments of the corpus, a line a sentence: 0-1 2p3");
    choices.value("gold-format", format_, "auto", "pharaoh, talp, naacl or auto", io::parse_alignment_format);
    colours_.declare(choices);
  }
  void check(const FigureRequest& request) override {
    if (!quantity_.empty() && (request.has("layer") || request.has("head"))) {
      throw UsageError(fmt::format("{}: --layer and --head choose among cross-attention maps; {} is one map",
                                   figure_text(request), quantity_));
    }
    if (gold_.empty() && request.has("gold-format")) {
      throw UsageError(
          fmt::format("{}: --gold-format has no effect here; it belongs to --gold", figure_text(request)));
    }
  }
  bool reads(const RecordingHeader&, const QuantityName& name) const override {
    return quantity_.empty() ? name.part().role() == PartRole::cross : matches_name(quantity_, name.text());
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs&) override {
    analysis::AlignmentFigureOptions options{.layer = map_.layer, .head = map_.head, .step = step_};
    if (!quantity_.empty()) {
      options.quantity = QuantityName::parse(quantity_);
    }
    if (!gold_.empty()) {
      options.gold = gold_links(source.number(index), request);
    }
    analysis::FigureData figure = analysis::alignment_figure(source, index, options);
    colours_.paint(figure, request);
    return figure;
  }

 private:
  std::vector<analysis::GoldAlignment> gold_links(std::int64_t number, const FigureRequest& request) const {
    const io::Alignments file = io::read_alignments(gold_, format_);
    if (number > static_cast<std::int64_t>(file.pairs.size()) && file.format != io::AlignmentFormat::naacl) {
      throw FormatError(fmt::format("{}: {} has {}, sentence {} of the corpus has none", figure_text(request),
                                    gold_.string(),
                                    counted(static_cast<std::int64_t>(file.pairs.size()), "line"), number));
    }
    std::vector<analysis::GoldAlignment> links;
    if (number <= static_cast<std::int64_t>(file.pairs.size())) {
      for (const io::AlignmentLink& link : file.pairs[static_cast<std::size_t>(number) - 1]) {
        links.push_back({link.source, link.target, link.possible});
      }
    }
    return links;
  }

  std::string quantity_;
  MapChoice map_;
  analysis::AlignmentStep step_ = analysis::AlignmentStep::predicted;
  std::filesystem::path gold_;
  io::AlignmentFormat format_ = io::AlignmentFormat::automatic;
  ColourChoice colours_;
};

class SourceAndPrefix : public FigureOfTranslation {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    choices.text("quantity", quantity_,
                 "The recorded map by name: decoder.contribution.logit, decoder.6.alti.product");
    sides_.declare_words(choices);
    sides_.declare_special(choices);
    choices.flag("bias", bias_, "Its column, too, where the map has one");
    colours_.declare(choices);
  }
  void check(const FigureRequest& request) override {
    if (quantity_.empty()) {
      throw UsageError(
          fmt::format("{}: it shows one recorded map; give --quantity decoder.contribution.logit or its like",
                      figure_text(request)));
    }
  }
  bool reads(const RecordingHeader&, const QuantityName& name) const override {
    return matches_name(quantity_, name.text());
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs&) override {
    analysis::FigureData figure = analysis::context_figure(
        source, index, QuantityName::parse(quantity_),
        {.by_word = sides_.by_word, .special_tokens = !sides_.no_special_tokens, .bias = bias_});
    colours_.paint(figure, request);
    return figure;
  }

 private:
  std::string quantity_;
  SideChoice sides_;
  bool bias_ = false;
  ColourChoice colours_;
};

class SideShares : public Figure {
 public:
  SideShares() {
    counting_.quantity.clear();
    counting_.by = "layer,position";
    counting_.bins = "5";
  }
  void declare(Choices& choices) override {
    counting_.declare_quantity(choices,
                               "The recorded shares by name: decoder.alti.share, decoder.contribution.share");
    choices.text("bins", counting_.bins, "Width of the bins, or their lower ends: of the step, or of words");
    choices.value("by", by_position_, "position",
                  "position (of the step in the translation) or length (of the source)",
                  [](const std::string& text) {
                    if (text != "position" && text != "length") {
                      throw unknown_choice("--by", text, {"position", "length"});
                    }
                    return text == "position";
                  });
    counting_.declare_bootstrap(choices);
  }
  void check(const FigureRequest& request) override {
    counting_.by = by_position_ ? "layer,position" : "layer,length";
    if (!counting_.quantity.empty()) {
      counting_.read(request);
    }
    if (counting_.statistics.names.size() != 1) {
      throw UsageError(
          fmt::format("{}: it shows one quantity of one recording; give --quantity decoder.alti.share or "
                      "its like",
                      figure_text(request)));
    }
  }
  bool reads(const RecordingHeader&, const QuantityName& name) const override {
    return matches_name(counting_.statistics.names.front(), name.text());
  }
  analysis::FigureData make(const FigureRequest& request, const FigureInputs& inputs) override {
    check_recordings(request);
    refuse_models(request);
    const StatisticsOptions& statistics = counting_.statistics;
    if (statistics.recordings.size() != 1) {
      throw UsageError(fmt::format("{}: it shows one quantity of one recording, {} were named",
                                   figure_text(request), statistics.recordings.size()));
    }
    const io::RecordingReader reader(statistics.recordings.front());
    const RecordingHeader& header = reader.header();
    const QuantityName name = one_quantity(request, statistics.names.front(), header).front();
    if (!is_share(*header.find(name))) {
      throw UsageError(
          fmt::format("{}: {} has no share of each side a step; decoder.alti.share and "
                      "decoder.contribution.share have",
                      figure_text(request), name.text()));
    }
    const analysis::Table table = StatisticsJob(statistics).run(inputs.stop, inputs.progress);
    analysis::FigureData figure =
        analysis::bin_figure(table, {by_position_ ? "step of the decoder" : "source words", "", ""},
                             {name.text(), "", "mean over steps"});
    const std::string level = analysis::level_text(name);
    figure.caption = analysis::caption(header.model, header.provenance.corpus_name,
                                       counted(analysis::most_sentences(figure), "sentence") +
                                           analysis::bands_clause(figure, statistics.bootstrap),
                                       level);
    return figure;
  }

 private:
  CountingChoice counting_;
  bool by_position_ = true;
};

template <class Kind>
std::unique_ptr<Figure> create() {
  return std::make_unique<Kind>();
}

}  // namespace

std::span<const FigureKind> translation_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "alignment",
       .description = "words of the translation on words of the source, with gold links (--gold)",
       .of = FigureKind::Of::sentence,
       .title = MOG_TEXT("Guide", "Word alignment"),
       .reading = MOG_TEXT(
           "Guide",
           "A row is a word of the translation, a column a word of the source. The disc stands where "
           "the row is greatest, frames are gold links, dashed where they are only possible."),
       .example = "alignment translated.rec -n 3 --layer 3 --gold test.talp -o alignment.svg",
       .create = create<Alignment>,
       .fits = has_cross_attention},
      {.name = "source-and-prefix",
       .description =
           "what each step of a decoder takes from source tokens and from its own inputs (--quantity "
           "decoder.contribution.logit)",
       .of = FigureKind::Of::sentence,
       .title = MOG_TEXT("Guide", "Source and prefix"),
       .reading = MOG_TEXT(
           "Guide",
           "A row is a token that is predicted. Left of the line stand the source's tokens, right of it "
           "the translation as far as it was read; a cell says what the prediction owes to the token."),
       .example = "source-and-prefix translated.rec -n 3 --quantity decoder.contribution.logit --by-word -o "
                  "sides.svg",
       .create = create<SourceAndPrefix>,
       .fits = [](const RecordingHeader& header) { return !context_maps(header).empty(); },
       .quantities = context_maps},
      {.name = "share-by-position",
       .description = "shares of source and prefix along the translation, or by source length (--quantity "
                      "decoder.alti.share)",
       .title = MOG_TEXT("Guide", "Shares of source and prefix"),
       .reading = MOG_TEXT(
           "Guide",
           "How much of a step the source makes and how much the translation so far, by the place of the "
           "step or the length of the source; the bands are of resampled sentences."),
       .example =
           "share-by-position translated.rec --quantity decoder.alti.share --bins 1,2,3,5,9,17 -o shares.svg",
       .create = create<SideShares>,
       .fits = [](const RecordingHeader& header) { return !side_shares(header).empty(); },
       .quantities = side_shares},
  };
  return kKinds;
}

}  // namespace mog::app
