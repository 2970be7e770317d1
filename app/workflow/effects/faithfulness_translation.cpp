// A sentence is one task, as of an encoder. Every step has an order of its own, so the sets of a sentence are
// those of all its steps; a set is run once, whoever asks for it, and read at all steps: erasing one unit at
// a time takes as many runs as there are units, whatever the length of the translation.
#include "app/workflow/effects/faithfulness_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "analysis/attribution/word_alignment.h"
#include "app/workflow/common/parallel.h"
#include "app/workflow/effects/faithfulness_eraser.h"
#include "app/workflow/effects/run_part.h"
#include "app/workflow/effects/step_eraser.h"
#include "app/workflow/record/sentence_stream.h"
#include "app/workflow/record/translation.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

using Kind = DecoderAttribution::Kind;
using Columns = StepEraser::Columns;

// [step, column], of source tokens and decoder inputs; no columns: leave-one-out, which is no map.
struct StepMap {
  std::size_t columns = 0;
  std::vector<double> values;
};

// The quantity that holds a decomposition; nullptr: there is none.
const QuantitySchema* decomposition(std::span<const QuantitySchema> offered, Kind kind) {
  if (kind == Kind::alti) {
    return analysis::decomposed_map(offered, analysis::AlignmentMap::alti);
  }
  const Reduction reduction = kind == Kind::norm         ? Reduction::norm
                              : kind == Kind::projection ? Reduction::projection
                                                         : Reduction::logit;
  for (const Quantity quantity : {Quantity::contribution, Quantity::memory_contribution}) {
    for (const QuantitySchema& schema : offered) {
      if (schema.name.quantity() == quantity && schema.name.reduction() == reduction &&
          schema.name.layer() == 0) {
        return &schema;
      }
    }
  }
  return nullptr;
}

// What is recorded for an attribution.
std::vector<QuantitySchema> recorded_for(const model::Model& model, const DecoderAttribution& attribution) {
  std::vector<QuantitySchema> wanted;
  if (attribution.kind == Kind::cross_attention) {
    for (const QuantitySchema& schema : model.quantities()) {
      const bool cross = schema.name.part().role() == PartRole::cross &&
                         schema.name.quantity() == Quantity::attention &&
                         schema.name.reduction() == Reduction::full;
      if (cross && (attribution.layer == 0 || schema.name.layer() == attribution.layer)) {
        wanted.push_back(schema);
      }
    }
  } else if (attribution.kind != Kind::random && attribution.kind != Kind::leave_one_out) {
    const std::vector<QuantitySchema> offered = model::decoder_decompositions(model.config());
    if (const QuantitySchema* const map = decomposition(offered, attribution.kind)) {
      wanted.push_back(*map);
    }
  }
  return wanted;
}

// Mean of the maps over layers and heads, without the column of the bias.
StepMap recorded_map(const model::Model& model, const DecoderAttribution& attribution,
                     const Sentence& sentence, const std::stop_token& stop) {
  const std::vector<QuantitySchema> wanted = recorded_for(model, attribution);
  const RecordingBatch batch = record_batch(model, wanted, {sentence}, {}, stop);
  const std::size_t steps = sentence.target_tokens.size();
  StepMap map{sentence.tokens.size() + steps, {}};
  map.values.assign(steps * map.columns, 0.0);
  for (const auto& [name, tensor] : batch.quantities) {
    const std::vector<float> flat = tensor.to_floats();
    const bool heads = attribution.kind == Kind::cross_attention;
    const std::size_t width = heads ? sentence.tokens.size() : flat.size() / steps;
    const std::size_t maps = flat.size() / (steps * width);
    const double share = 1.0 / static_cast<double>(maps * batch.quantities.size());
    for (std::size_t place = 0; place < flat.size(); ++place) {
      const std::size_t column = place % width;
      if (column < map.columns) {  // the bias is no token
        map.values[place / width % steps * map.columns + column] += share * static_cast<double>(flat[place]);
      }
    }
  }
  return map;
}

StepMap random_map(const Sentence& sentence, std::uint64_t seed) {
  const std::size_t steps = sentence.target_tokens.size();
  const std::size_t columns = sentence.tokens.size() + steps;
  return {columns,
          analysis::random_values(sentence.number, static_cast<std::int64_t>(steps * columns), seed)};
}

// Units of the columns that may be erased before the token after a step is read.
analysis::Units units_of_step(const Sentence& sentence, std::size_t step, ErasedSide side,
                              const FaithfulnessOptions& options) {
  analysis::Units units;
  if (side != ErasedSide::prefix) {
    units = analysis::erased_units(sentence, -1, options.unit, options.special);
  }
  if (side != ErasedSide::source) {
    Sentence prefix;
    prefix.tokens.assign(sentence.target_tokens.begin(),
                         sentence.target_tokens.begin() + static_cast<std::ptrdiff_t>(step) + 1);
    const auto first = static_cast<std::int64_t>(sentence.tokens.size());
    for (std::vector<std::int64_t>& unit :
         analysis::erased_units(prefix, -1, options.unit, options.special)) {
      for (std::int64_t& token : unit) {
        token += first;
      }
      units.push_back(std::move(unit));
    }
  }
  return units;
}

// One step of a sentence: what of it is erased, and by what values.
struct Step {
  std::size_t number = 0;
  analysis::Units units;
  std::vector<Columns> alone;                // [unit], that unit alone
  std::vector<std::vector<double>> values;   // [attribution][unit]
  std::vector<std::vector<Columns>> chosen;  // [attribution][set of erasure_sets()]
};

class TranslationFaithfulness {
 public:
  TranslationFaithfulness(const LoadedModel& loaded, const FaithfulnessOptions& options,
                          const TranslationTarget& target, std::stop_token stop,
                          const ProgressCallback& progress)
      : loaded_(loaded),
        options_(options),
        target_(target),
        beam_{.beam = target.beam},
        stop_(std::move(stop)),
        progress_(progress) {
    check();
    if (!target.begins.empty()) {
      begin_with(loaded, target.begins, beam_);
    }
    choose();
    read();
  }

  FaithfulnessResult run() {
    std::vector<std::optional<FaithfulnessResult::Row>> rows(sentences_.size());
    std::int64_t done = 0;
    std::mutex mutex;
    share_out(options_.streams, sentences_.size(), [&](std::size_t index) {
      rows[index] = measure(sentences_[index]);
      const std::scoped_lock lock(mutex);
      ++done;
      if (progress_) {
        progress_({done, static_cast<std::int64_t>(sentences_.size()), "sentences", "erasing"});
      }
    });
    for (std::optional<FaithfulnessResult::Row>& row : rows) {
      if (row) {
        result_.rows.push_back(std::move(*row));
      } else {
        ++result_.left_out;
      }
    }
    if (result_.rows.empty() && options_.shard.whole()) {
      throw FormatError(
          fmt::format("measuring faithfulness on {}: no sentence has a word of its translation with at least "
                      "two units to "
                      "erase before it",
                      result_.header.provenance.corpus_name));
    }
    return std::move(result_);
  }

 private:
  void check() const {
    check_numbers(options_);
    if (loaded_.target_vocabulary == nullptr) {
      throw UsageError(fmt::format("--target: the model {} has no decoder", loaded_.model->card().name));
    }
    if (options_.erasure == Erasure::mask && loaded_.model->config().encoder.recurrent()) {
      throw UsageError(
          "--erase mask: a recurrent encoder attends to nothing; remove, zero, pad and unk work with it");
    }
    if (target_.side != ErasedSide::source && options_.erasure != Erasure::unknown &&
        options_.erasure != Erasure::pad) {
      throw UsageError(fmt::format("--side {}: tokens of a prefix are replaced; give --erase unk or pad",
                                   name(target_.side)));
    }
  }

  std::string why_not(const DecoderAttribution& attribution) const {
    if (attribution.kind == Kind::random || attribution.kind == Kind::leave_one_out) {
      return "";
    }
    if (attribution.kind == Kind::cross_attention && target_.side != ErasedSide::source) {
      return "it says nothing of the prefix; use --side source";
    }
    if (!recorded_for(*loaded_.model, attribution).empty()) {
      return "";
    }
    return attribution.kind == Kind::cross_attention ? "the decoder has no such layer"
           : loaded_.model->config().gret            ? "the decoder takes in a global state"
                                                     : "the decoder has no exact decomposition";
  }

  void choose() {
    if (target_.attributions.empty()) {
      for (auto kind = static_cast<int>(Kind::random); kind <= static_cast<int>(Kind::leave_one_out);
           ++kind) {
        if (const DecoderAttribution one{static_cast<Kind>(kind)}; why_not(one).empty()) {
          chosen_.push_back(one);
        }
      }
    } else {
      chosen_ = target_.attributions;
    }
    for (const DecoderAttribution& one : chosen_) {
      if (const std::string reason = why_not(one); !reason.empty()) {
        throw UsageError(fmt::format("--attributions: {} is not defined here: {}", text(one), reason));
      }
      result_.attributions.push_back(text(one));
    }
    check_against(options_, result_.attributions);
    id_ = replacement_id(loaded_, options_.erasure);
    if (target_.side != ErasedSide::source && id_ >= loaded_.model->config().target_vocab_size) {
      throw UsageError(
          fmt::format("--erase {}: the target vocabulary has no such token; --side source erases words of "
                      "the source alone",
                      name(options_.erasure)));
    }
  }

  void read() {
    RecordOptions reading;
    reading.input = options_.input;
    reading.target = target_.reference;
    reading.begins = target_.begins;
    reading.long_can_be_chosen = false;
    reading.shard = options_.shard;
    require_all_of_part(options_.sentences, options_.shard);
    const CorpusPart part = part_of_corpus(options_.shard, options_.input, target_.reference, stop_);
    result_.part_numbers = numbers_of(part);
    result_.header =
        run_header(loaded_, options_.precision, {&options_.input, 1}, part,
                   target_.reference.empty() ? std::filesystem::path("translate") : target_.reference);
    SentenceStream stream(loaded_, reading, options_.input, part);
    std::int64_t seen = 0;
    while (options_.sentences == 0 || seen < options_.sentences) {
      std::optional<Sentence> sentence = stream.next();
      if (!sentence) {
        break;
      }
      if (sentence->words.empty()) {
        continue;
      }
      ++seen;
      if (options_.longest > 0 && static_cast<std::int64_t>(sentence->tokens.size()) > options_.longest) {
        ++result_.left_out;
      } else {
        sentences_.push_back(std::move(*sentence));
      }
    }
    result_.target = target_.reference.empty() ? "translation" : "reference";
    result_.unit = name(options_.unit);
    if (target_.side != ErasedSide::source) {
      result_.unit = (target_.side == ErasedSide::prefix ? "prefix " : "source or prefix ") + result_.unit;
    }
    result_.options = options_;
    if (sentences_.empty() && options_.shard.whole()) {
      throw FormatError(fmt::format(
          "measuring faithfulness on {}: there are no sentences with a word in it{}",
          result_.header.provenance.corpus_name, result_.left_out > 0 ? " that are short enough" : ""));
    }
  }

  // With its own translation, unless it has a reference.
  Sentence translated(Sentence sentence) const {
    if (target_.reference.empty()) {
      const Hypotheses found = translate_sentences(*loaded_.model, {&sentence, 1}, beam_, stop_);
      add_targets(loaded_, found, {&sentence, 1});
    }
    return sentence;
  }

  // [attribution]; of leave-one-out nothing.
  std::vector<StepMap> maps_of(const Sentence& sentence) const {
    std::vector<StepMap> maps;
    maps.reserve(chosen_.size());
    for (const DecoderAttribution& one : chosen_) {
      maps.push_back(one.kind == Kind::leave_one_out ? StepMap{}
                     : one.kind == Kind::random      ? random_map(sentence, options_.seed)
                                                     : recorded_map(*loaded_.model, one, sentence, stop_));
    }
    return maps;
  }

  // The steps that predict words, with two units at least.
  std::vector<Step> steps_of(const Sentence& sentence, const StepEraser& eraser) const {
    std::vector<Step> steps;
    for (std::size_t number = 0; number < eraser.steps(); ++number) {
      if (sentence.target_tokens[number + 1].word < 0) {
        continue;
      }
      Step step{.number = number,
                .units = units_of_step(sentence, number, target_.side, options_),
                .alone = {},
                .values = {},
                .chosen = {}};
      if (step.units.size() < 2) {
        continue;
      }
      for (const std::vector<std::int64_t>& unit : step.units) {
        step.alone.push_back(analysis::erased_tokens(unit, eraser.columns()));
      }
      steps.push_back(std::move(step));
    }
    return steps;
  }

  void take_values(Step& step, const std::vector<StepMap>& maps, const StepEraser& eraser) const {
    for (const StepMap& map : maps) {
      std::vector<double>& values = step.values.emplace_back();
      if (map.columns == 0) {
        values = leave_one_out(step, eraser);
      } else {
        const std::span<const double> row =
            std::span(map.values).subspan(step.number * map.columns, map.columns);
        values = analysis::sums_by_unit(row, step.units);
      }
      std::vector<Columns>& sets = step.chosen.emplace_back();
      for (const std::vector<bool>& set : analysis::erasure_sets(values, options_.fractions)) {
        sets.push_back(analysis::erased_tokens(step.units, set, eraser.columns()));
      }
    }
  }

  static std::vector<double> leave_one_out(const Step& step, const StepEraser& eraser) {
    std::vector<double> effects;
    effects.reserve(step.alone.size());
    for (const Columns& one : step.alone) {
      effects.push_back(eraser.effect(one, step.number));
    }
    return effects;
  }

  // nullopt: no step has enough to erase.
  std::optional<FaithfulnessResult::Row> measure(const Sentence& source) const {
    const Sentence sentence = translated(source);
    StepEraser eraser(*loaded_.model, options_, sentence, id_, stop_);
    std::vector<Step> steps = steps_of(sentence, eraser);
    if (steps.empty()) {
      return std::nullopt;
    }
    std::vector<Columns> sets;
    for (const Step& step : steps) {
      sets.insert(sets.end(), step.alone.begin(), step.alone.end());
    }
    eraser.run(sets);
    sets.clear();
    const std::vector<StepMap> maps = maps_of(sentence);
    for (Step& step : steps) {
      take_values(step, maps, eraser);
      for (const std::vector<Columns>& chosen : step.chosen) {
        sets.insert(sets.end(), chosen.begin(), chosen.end());
      }
    }
    eraser.run(sets);
    FaithfulnessResult::Row row;
    row.sentence = sentence.number;
    row.tokens = static_cast<std::int64_t>(sentence.tokens.size());
    row.units = static_cast<std::int64_t>(steps.back().units.size());
    for (std::size_t attribution = 0; attribution < chosen_.size(); ++attribution) {
      row.found.push_back(faithfulness_of(steps, attribution, eraser));
    }
    return row;
  }

  static SentenceFaithfulness faithfulness_of(const std::vector<Step>& steps, std::size_t attribution,
                                              const StepEraser& eraser) {
    std::vector<SentenceFaithfulness> each;
    for (const Step& step : steps) {
      std::vector<double> effects;
      effects.reserve(step.chosen[attribution].size());
      for (const Columns& set : step.chosen[attribution]) {
        effects.push_back(eraser.effect(set, step.number));
      }
      each.push_back(
          analysis::sentence_faithfulness(step.values[attribution], leave_one_out(step, eraser), effects));
    }
    return analysis::mean_faithfulness(each);
  }

  const LoadedModel& loaded_;
  const FaithfulnessOptions& options_;
  const TranslationTarget& target_;
  model::BeamOptions beam_;  // of the model's own translation
  std::stop_token stop_;
  const ProgressCallback& progress_;
  std::vector<DecoderAttribution> chosen_;
  std::int64_t id_ = 0;
  std::vector<Sentence> sentences_;
  FaithfulnessResult result_;
};

}  // namespace

FaithfulnessResult run_translation_faithfulness(const LoadedModel& loaded, const FaithfulnessOptions& options,
                                                const TranslationTarget& target, std::stop_token stop,
                                                const ProgressCallback& progress) {
  return TranslationFaithfulness(loaded, options, target, std::move(stop), progress).run();
}

}  // namespace mog::app
