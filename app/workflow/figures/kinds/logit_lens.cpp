// What would be said next, layer by layer.
#include "analysis/figure_data/logit_lens.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/workflow/common/resources.h"
#include "app/workflow/common/shown_token.h"
#include "app/workflow/figures/shared_choices.h"
#include "io/recording/errors.h"
#include "io/recording/pieces.h"
#include "model/model_directory.h"

namespace mog::app {
namespace {

class LogitLens : public SentenceFigure {
 public:
  void declare(Choices& choices) override {
    SentenceFigure::declare(choices);
    choices.value("colour", options_.colour, "probability",
                  "What colours say: probability (of the best token), entropy, surprisal (of what follows)",
                  [](const std::string& text) { return analysis::parse_lens_colour(text); });
    choices.path("vocabulary", vocabulary_,
                 "Of a recording: the model that it is of, whose tokens are named; with --text not needed");
    choices.flag("no-special-tokens", without_, "Without </s> and its like");
    colours_.declare(choices);
  }
  void check(const FigureRequest& request) override {
    if (!request.text && vocabulary_.empty()) {
      throw UsageError(
          "figure logit-lens: a recording keeps the numbers of tokens; name the model that it is of with "
          "--vocabulary MODEL");
    }
    if (request.text && !vocabulary_.empty()) {
      throw UsageError("figure logit-lens: --vocabulary is of recordings; a --text is read by its model");
    }
  }
  bool reads(const RecordingHeader&, const QuantityName& name) const override {
    return name.quantity() == Quantity::next_token && name.layer() > 0;
  }
  void prepare(TextRun& run) const override {
    run.capture.names.clear();
    run.quantities = {"encoder.*.next_token.best", "encoder.*.next_token.best_probability",
                      "encoder.*.next_token.entropy", "encoder.*.next_token.surprisal",
                      "encoder.*.next_token.rank"};
  }

 protected:
  analysis::FigureData of_sentence(const RecordingSource& source, std::int64_t index,
                                   const FigureRequest& request, const FigureInputs&) override {
    const std::filesystem::path named =
        request.text ? (request.inputs.empty() ? std::filesystem::path() : request.inputs.front())
                     : vocabulary_;
    const model::ModelDirectory model = model::open_model_directory(model_path(named), {.weights = false});
    const model::Vocabulary& vocabulary = model.tokenizer->vocabulary();
    if (model.card.tokenizer_sha256 != source.header().model.tokenizer_sha256) {
      throw UsageError("figure logit-lens: --vocabulary " + named.string() +
                       " has another tokenizer than the model of the recording, " +
                       source.header().model.name);
    }
    options_.special_tokens = !without_;
    options_.token = [&](std::int64_t id) {
      return id < vocabulary.size() ? shown_token(vocabulary.token(id), analysis::pieces_of(source.header()))
                                    : "<row_" + std::to_string(id) + ">";
    };
    analysis::FigureData figure = analysis::logit_lens_figure(source, index, options_);
    colours_.paint(figure, request);
    return figure;
  }

 private:
  analysis::LensOptions options_;
  std::filesystem::path vocabulary_;
  bool without_ = false;
  ColourChoice colours_;
};

}  // namespace

std::span<const FigureKind> logit_lens_kinds() {
  static const FigureKind kKinds[] = {
      {.name = "logit-lens",
       .description =
           "the most probable next token by each layer's states, of a model that reads from left to right",
       .of = FigureKind::Of::sentence,
       .example = "logit-lens gpt2 --text \"The keys to the cabinet are\" -o lens.svg",
       .create = [] { return std::unique_ptr<Figure>(std::make_unique<LogitLens>()); }}};
  return kKinds;
}

}  // namespace mog::app
