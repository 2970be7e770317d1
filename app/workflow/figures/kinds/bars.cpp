// Bars of one token or one pair of one sentence.
#include <fmt/format.h>

#include "analysis/figure_data/bar_figures.h"
#include "analysis/figure_data/head_bars.h"
#include "app/workflow/figures/shared_choices.h"
#include "app/workflow/record/named_quantities.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

class HeadBars : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    map_.declare_layer(choices);
    map_.declare_part(choices);
    choices.number("token", query_, "The query: its place, from 1, special tokens counted");
    choices.number("key", key_, "The key of the pair, counted alike");
    sides_.declare_words(choices);
  }
  void check(const FigureRequest& request) override { map_.find_part(request); }
  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return map_.reads(header, name);
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index, const FigureRequest&,
                                   const FigureInputs&) override {
    return analysis::head_bars(
        source, index,
        {.layer = map_.layer, .part = map_.part, .query = query_, .key = key_, .by_word = sides_.by_word});
  }

 private:
  MapChoice map_;
  SideChoice sides_;
  std::int64_t query_ = 0;
  std::int64_t key_ = 0;
};

class TokenBars : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    choices.text("quantity", quantity_, "The recorded quantity by name, * for any layer: 'encoder.*.split'");
    choices.number("token", token_, "Its place, from 1, special tokens counted");
    choices.number("key", key_, "Of a map this key alone, counted like --token");
    map_.declare_head(choices);
    sides_.declare_words(choices);
  }
  void check(const FigureRequest& request) override {
    if (token_ < 1) {
      throw UsageError(
          "figure token-bars: give --token N, its place in the sentence, special tokens counted");
    }
    if (quantity_.empty()) {
      throw UsageError(fmt::format("{}: it shows one quantity; give --quantity with a recorded name",
                                   figure_text(request)));
    }
  }
  bool reads(const RecordingHeader&, const QuantityName& name) const override {
    return matches_name(quantity_, name.text());
  }
  void prepare(TextRun& run) const override {
    run.capture.names.clear();
    run.quantities = {quantity_};
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs&) override {
    return analysis::token_bars(source, index, one_quantity(request, quantity_, source.header()),
                                {.token = token_, .key = key_, .head = map_.head, .by_word = sides_.by_word});
  }

 private:
  std::string quantity_;
  std::int64_t token_ = 0;
  std::int64_t key_ = 0;
  MapChoice map_;
  SideChoice sides_;
};

template <class Kind>
std::unique_ptr<Figure> create() {
  return std::make_unique<Kind>();
}

}  // namespace

std::span<const FigureKind> bars_kinds() {
  using Of = FigureKind::Of;
  static const FigureKind kKinds[] = {
      {.name = "head-bars",
       .description = "one pair of words by head (--layer, --part, --token the query, --key)",
       .of = Of::sentence,
       .example = "head-bars maps.rec -n 3 --layer 2 --part high --by-word --token 4 --key 2 -o heads.svg",
       .create = create<HeadBars>},
      {.name = "token-bars",
       .description = "what one token consists of or attends by (--token N --quantity 'encoder.*.split', "
                      "encoder.3.full.logit_terms --head 4)",
       .of = Of::sentence,
       .example =
           "token-bars parts.rec -n 3 --token 5 --quantity encoder.3.full.logit_terms --head 4 -o score.svg",
       .create = create<TokenBars>},
  };
  return kKinds;
}

}  // namespace mog::app
