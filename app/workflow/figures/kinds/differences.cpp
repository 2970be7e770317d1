// A map or the gate of two recordings, models or sentences, and their difference.
#include <fmt/format.h>

#include "analysis/figure_data/difference_figures.h"
#include "analysis/statistics/sentence_key.h"
#include "app/workflow/figures/shared_choices.h"
#include "app/workflow/recordings/recording_groups.h"
#include "app/workflow/trees/trees_job.h"
#include "io/recording/errors.h"
#include "io/recording/recording_label.h"

namespace mog::app {
namespace {

// The number in `second` of the text that is sentence `number` of `first`: the same where both have it there.
std::int64_t number_of_same_text(const RecordingSource& first, const RecordingSource& second,
                                 std::int64_t number, const FigureRequest& request) {
  const Sentence sentence = first.sentence(sentence_index(first, number));
  const std::uint64_t key = analysis::sentence_key(sentence);
  if (const auto at = find_sentence(second, number);
      at && analysis::sentence_key(second.sentence(*at)) == key) {
    return number;
  }
  for (std::int64_t at = 0; at < second.size(); ++at) {
    if (analysis::sentence_key(second.sentence(at)) == key) {
      return second.number(at);
    }
  }
  throw UsageError(fmt::format(
      "{}: \"{}\" (sentence {}) is not in the second recording ({} sentences of {}); name the sentence there "
      "with --other N, where another text is to be compared",
      figure_text(request), sentence.text, number, second.size(), second.header().provenance.corpus_name));
}

class Difference : public Figure {
 public:
  void declare(Choices& choices) override {
    choices.number("sentence", sentence_, "Its place in the corpus, from 1").letter = 'n';
    choices.number("other", other_, "The sentence of the second recording");
    sides_.declare_words(choices);
    sides_.declare_special(choices);
  }

  analysis::FigureData make(const FigureRequest& request, const FigureInputs& inputs) override {
    const RecordingSource& first = *inputs.sources.front();
    const RecordingSource& second = *inputs.sources.back();
    const std::int64_t sentence = sentence_number(request, sentence_);
    std::int64_t other = other_;
    std::vector<std::string> titles = inputs.titles;
    if (titles.empty() && inputs.sources.size() == 2) {
      const auto path = [&](std::size_t at) {
        return at < request.inputs.size() ? request.inputs[at] : std::filesystem::path();
      };
      const std::vector<SourceAtPath> both = {{&first, path(0)}, {&second, path(request.inputs.size() - 1)}};
      refuse_repeated(both);
      if (other == 0) {
        other = number_of_same_text(first, second, sentence, request);
      }
      const std::vector<RecordingLabel> labels = labels_of(both);
      titles = {sentence_title(labels[0], sentence), sentence_title(labels[1], other)};
    }
    titles.resize(2);
    if (other == 0) {
      other = sentence;
    }
    analysis::ComparisonOptions comparison;
    compare(comparison);
    comparison.tokens.special_tokens = !sides_.no_special_tokens;
    comparison.tokens.by_word = sides_.by_word;
    comparison.tokens.block = sides_.block;
    comparison.tokens.special_in_scale = sides_.special_in_scale;
    analysis::FigureData figure =
        analysis::difference_figure({first, sentence_index(first, sentence), titles[0]},
                                    {second, sentence_index(second, other), titles[1]}, comparison);
    paint(figure);
    return figure;
  }

 protected:
  virtual void compare(analysis::ComparisonOptions& comparison) const = 0;
  virtual void paint(analysis::FigureData&) const {}

  SideChoice sides_;

 private:
  std::int64_t sentence_ = 0;
  std::int64_t other_ = 0;
};

class AttentionDifference : public Difference {
 public:
  void declare(Choices& choices) override {
    Difference::declare(choices);
    map_.declare_layer(choices);
    map_.declare_part(choices);
    map_.declare_head(choices);
    map_.declare_heads(choices);
    sides_.declare_special_scale(choices);
    sides_.declare_block(choices);
    colours_.declare(choices);
  }
  void check(const FigureRequest& request) override { map_.find_part(request); }
  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return map_.reads(header, name);
  }

 protected:
  void compare(analysis::ComparisonOptions& comparison) const override {
    comparison.what = analysis::Compared::attention;
    comparison.layer = map_.layer;
    comparison.part = map_.part;
    comparison.head = map_.head;
    comparison.tokens.heads = map_.heads;
  }
  void paint(analysis::FigureData& figure) const override {
    analysis::set_colouring(figure, colours_.colours);
  }

 private:
  MapChoice map_;
  ColourChoice colours_;
};

class GateDifference : public Difference {
 public:
  bool reads(const RecordingHeader& header, const QuantityName& name) const override {
    return name.stack() == header.stack().stack && name.quantity() == Quantity::gate;
  }

 protected:
  void compare(analysis::ComparisonOptions& comparison) const override {
    comparison.what = analysis::Compared::gate;
  }
};

template <class Kind>
std::unique_ptr<Figure> create() {
  return std::make_unique<Kind>();
}

}  // namespace

std::span<const FigureKind> differences_kinds() {
  using Of = FigureKind::Of;
  static const FigureKind kKinds[] = {
      {.name = "attention-difference",
       .description = "a map of two recordings or sentences (--other) and their difference",
       .of = Of::difference,
       .example = "attention-difference a.rec b.rec -n 3 --layer 2 --part high -o difference.svg",
       .create = create<AttentionDifference>},
      {.name = "gate-difference",
       .description = "the gate of two recordings or sentences and their difference",
       .of = Of::difference,
       .example = "gate-difference a.rec b.rec -n 3 -o gates.svg",
       .create = create<GateDifference>},
  };
  return kKinds;
}

}  // namespace mog::app
