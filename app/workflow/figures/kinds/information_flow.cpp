// States of the words by layer and what each takes from others.
#include <optional>

#include "analysis/figure_data/information_flow.h"
#include "app/workflow/figures/shared_choices.h"
#include "app/workflow/trees/grammar_options.h"

namespace mog::app {
namespace {

class InformationFlow : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    choices.text("ancestors", ancestors_,
                 "Only what flowed into this state, WORD@LAYER, for example 4@2 (word 4 of layer 2)");
    choices.text("descendants", descendants_, "Only what this state flows into, WORD@LAYER");
    choices.exclude({"ancestors", "descendants"});
    choices.real("threshold", flow_.threshold,
                 "Weaker edges are left out; about two a word and layer by default");
    grammar_.declare(choices);
  }
  void check(const FigureRequest& request) override {
    grammar_.parse();
    if (request.text) {
      check_grammar_of_text(figure_text(request), grammar_.options);
    }
    const bool out = !descendants_.empty();
    if (out || !ancestors_.empty()) {
      flow_.state = analysis::parse_flow_state(out ? descendants_ : ancestors_, out);
    }
  }
  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return is_of_grammar(header, name);
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index, const FigureRequest&,
                                   const FigureInputs&) override {
    const analysis::InformationFlow flow(source, index, grammar_.options);
    flow_.grammar = grammar_text(grammar_.options, flow.choices());
    return flow.figure(flow_);
  }

 private:
  std::string ancestors_;
  std::string descendants_;
  analysis::FlowOptions flow_;
  GrammarChoice grammar_;
};

}  // namespace

std::span<const FigureKind> information_flow_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "information-flow",
       .description = "states of the words by layer and what each takes from others (--ancestors, "
                      "--descendants WORD@LAYER)",
       .of = FigureKind::Of::sentence,
       .example = "information-flow maps.rec -n 3 --ancestors 4@6 -o flow.svg",
       .create = [] { return std::unique_ptr<Figure>(std::make_unique<InformationFlow>()); }}};
  return kKinds;
}

}  // namespace mog::app
