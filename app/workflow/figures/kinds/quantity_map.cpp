// A recorded map of tokens on tokens.
#include <fmt/format.h>

#include <vector>

#include "analysis/figure_data/capsule_figures.h"
#include "analysis/figure_data/quantity_figures.h"
#include "app/workflow/figures/shared_choices.h"
#include "app/workflow/record/named_quantities.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

class QuantityMap : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    choices.text("quantity", quantity_, "The recorded map by name: encoder.6.alti.product");
    map_.declare_head(choices);
    sides_.declare_words(choices);
    sides_.declare_special(choices);
    colours_.declare(choices);
  }
  void check(const FigureRequest&) override {
    if (quantity_.empty()) {
      throw UsageError(
          "figure quantity-map: it shows one recorded map; give --quantity encoder.6.alti.product or its "
          "like");
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
    const QuantityName name = QuantityName::parse(quantity_);
    const analysis::TokenOptions options{.special_tokens = !sides_.no_special_tokens,
                                         .by_word = sides_.by_word};
    const QuantitySchema* const schema = source.header().find(name);
    const bool capsules = schema != nullptr && analysis::is_capsule_map(*schema);
    if (capsules && map_.head > 0) {
      throw UsageError(
          fmt::format("{}: {} has capsules and no heads; leave out --head", figure_text(request), quantity_));
    }
    analysis::FigureData figure =
        capsules ? analysis::capsule_map_figure(source, index, std::vector{name}, options)
                 : analysis::quantity_map_figure(source, index, name, map_.head, options);
    colours_.paint(figure, request);
    return figure;
  }

 private:
  std::string quantity_;
  MapChoice map_;
  SideChoice sides_;
  ColourChoice colours_;
};

std::vector<std::string> maps_of(const RecordingHeader& header) {
  std::vector<std::string> names;
  for (const QuantitySchema& schema : header.quantities) {
    if (analysis::is_token_map(schema) || analysis::is_capsule_map(schema)) {
      names.push_back(schema.name.text());
    }
  }
  return names;
}

}  // namespace

std::span<const FigureKind> quantity_map_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "quantity-map",
       .description = "a recorded map of tokens on tokens, or of capsules on tokens (--quantity "
                      "encoder.6.alti.product)",
       .of = FigureKind::Of::sentence,
       .title = MOG_TEXT("Guide", "A recorded map"),
       .reading = MOG_TEXT(
           "Guide",
           "Any recorded map of tokens on tokens: a row is the token (or the capsule) that receives, a "
           "column the token that it receives from. Its entry in this guide says what the numbers are."),
       .example = "quantity-map maps.rec -n 3 --quantity encoder.6.alti.product --by-word -o alti.svg",
       .create = [] { return std::unique_ptr<Figure>(std::make_unique<QuantityMap>()); },
       .fits = [](const RecordingHeader& header) { return !maps_of(header).empty(); },
       .quantities = maps_of}};
  return kKinds;
}

}  // namespace mog::app
