// What a recording holds of a sentence becomes the input of a grammar: words, kind, then layer by layer
// maps, gates and shares, and what the sentence derives. The order matters: words first, for everything is
// merged from pieces to them; options are checked against the kind before a map is read, and one that this
// kind has no place for is refused, since a choice that is ignored changes what a table claims.
//
// Cost: reading and merging, O(layers · parts · heads · pieces²). Everything behind works on words.
//
// Whatever was chosen or assumed goes along as text (choices, notes): the numbers mean nothing without it,
// and captions and files print it.
//
// Trap: words are numbered as they get their first token. A word without a token is left out, and all behind
// it have smaller numbers than in the sentence; grammar_words() brings the two together.
#include "analysis/mog/grammar/from_recording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/mog/grammar/recorded_values.h"
#include "analysis/mog/grammar/recurrent_values.h"
#include "analysis/mog/grammar/word_values.h"
#include "io/recording/pieces.h"

namespace mog::analysis {
namespace {

// A piece that is a node of its own: bytes are read, marks of pieces of a word stay.
std::string node_name(const Token& token, Pieces pieces) {
  const bool spelled = pieces == Pieces::byte_bpe || pieces == Pieces::sentencepiece;
  return spelled ? shown_bytes(piece_bytes(token.text, pieces)) : token.text;
}

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

class Builder {
 public:
  Builder(const RecordingSource& source, std::int64_t index, const WordGrammarOptions& options)
      : values_(source, index), options_(options) {}

  WordGrammar build() {
    choose_words();
    choose_kind();
    check_options();
    if (is_recurrent(result_.input.kind)) {
      read_steps();
      return std::move(result_);
    }
    describe_heads();
    GrammarInput& input = result_.input;
    for (std::int64_t layer = 1; layer <= input.layers; ++layer) {
      read_maps(layer);
      if (input.kind == GrammarKind::order_groups) {
        GateValues gate = gate_values(values_, words_, layer, options_);
        input.gate.push_back(std::move(gate.gate));
        input.pi.push_back(std::move(gate.pi));
      }
    }
    if (input.kind == GrammarKind::order_groups) {
      describe_gate(values_, options_, result_);
    } else if (input.kind == GrammarKind::attention) {
      const double rho = options_.rho.value_or(0.5);
      input.rho.assign(at(input.layers), std::vector<double>(at(words_.words), rho));
      result_.choices.emplace_back("rho", fmt::format("{}", rho));
      result_.notes.push_back(fmt::format("a plain layer carries {} of a word on (rho): an assumption", rho));
    }
    describe_sink();
    read_target();
    return std::move(result_);
  }

 private:
  void choose_words() {
    const Sentence& sentence = values_.sentence();
    result_.word_of_token = grammar_words(sentence, options_.keep_pieces);
    for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
      const std::int64_t word = result_.word_of_token[token];
      words_.word_of_piece.push_back(word + 1);
      if (word == std::ssize(result_.input.words)) {
        result_.input.words.push_back(
            options_.keep_pieces
                ? node_name(sentence.tokens[token], pieces_of(values_.header().model.tokenizer))
                : sentence.words[at(sentence.tokens[token].word)].text);
      }
    }
    words_.words = static_cast<std::int64_t>(result_.input.words.size());
    if (words_.words == 0) {
      throw UsageError(fmt::format("sentence {} has no words: choose another one", sentence.number));
    }
    result_.choices.emplace_back("pieces", options_.keep_pieces ? "kept" : "merged");
    if (sentence.truncated) {
      result_.notes.emplace_back("the model read only the beginning of this sentence");
    }
  }

  void choose_kind() {
    const StackDescription& stack = values_.stack();
    if (stack.layers < 1) {
      throw UsageError("the recording holds no encoder layer: record with --capture attention,gates");
    }
    const RuleSet rules = rule_set(stack);
    result_.input.kind = rules.kind;
    result_.input.joins = rules.joins;
    result_.input.carried = rules.carried;
    result_.input.layers = stack.layers;
  }

  // Options that this kind of encoder has no place for are refused, not ignored.
  // A recurrent encoder has one grammar: its gates say what is carried in time and what is taken.
  void check_recurrent() const {
    const bool heads = !options_.heads.empty() || !options_.head_weights.empty() ||
                       options_.head_reduction != HeadReduction::uniform;
    const std::string_view chosen = heads                                   ? "--heads"
                                    : options_.gate != GateSource::recorded ? "--gate"
                                    : options_.pi != PartShares::recorded   ? "--pi"
                                    : options_.residual_share != 0          ? "--residual-share"
                                    : options_.rho                          ? "--rho"
                                    : options_.drop_sink                    ? "--sink drop"
                                                                            : "";
    if (!chosen.empty()) {
      throw UsageError(fmt::format(
          "{}: this is a recurrent encoder, with no attention heads or parts: its grammar is that of its "
          "recorded gates (z and sigma); --heads, --gate, --pi, --residual-share, --rho and --sink are of "
          "Transformers; leave {} out",
          chosen, chosen));
    }
  }

  void check_options() const {
    if (is_recurrent(result_.input.kind)) {
      check_recurrent();
    }
    const bool graph = result_.input.kind == GrammarKind::order_groups;
    if (!graph && (options_.gate != GateSource::recorded || options_.pi != PartShares::recorded ||
                   options_.residual_share != 0)) {
      throw UsageError(
          fmt::format("{}: only a Graph-Transformer has a gate and parts; the residual share of a plain "
                      "Transformer is rho (--rho)",
                      options_.gate != GateSource::recorded ? "--gate"
                      : options_.pi != PartShares::recorded ? "--pi"
                                                            : "--residual-share"));
    }
    if (result_.input.kind != GrammarKind::attention && options_.rho) {
      throw UsageError(
          "--rho: only a plain Transformer has it; the carry of a Graph-Transformer is 1 - g (--gate, "
          "--residual-share)");
    }
    if (result_.input.kind != GrammarKind::two_directions && options_.direction != DirectionChoice::both) {
      throw UsageError("--recurrence: only a bidirectional GRU or LSTM has directions to choose from");
    }
    if (options_.direction != DirectionChoice::both && options_.target == TargetWeights::cross) {
      throw UsageError(
          "--recurrence with --target cross: the translation attends to both directions together");
    }
    if (!options_.heads.empty() && options_.head_reduction != HeadReduction::uniform) {
      throw UsageError("heads: give either some heads or the reduction by contribution");
    }
  }

  void describe_heads() {
    if (!options_.head_weights.empty()) {
      result_.choices.emplace_back("heads", fmt::format("weights {}", fmt::join(options_.head_weights, ",")));
      return;
    }
    if (!options_.heads.empty()) {
      result_.choices.emplace_back("heads", fmt::format("{}", fmt::join(options_.heads, ",")));
      result_.notes.push_back(fmt::format("attention is that of head{} {} alone, equally",
                                          options_.heads.size() == 1 ? "" : "s",
                                          fmt::join(options_.heads, ", ")));
      return;
    }
    result_.choices.emplace_back("heads", name(options_.head_reduction));
    if (options_.head_reduction == HeadReduction::contribution) {
      result_.notes.emplace_back(
          "heads weigh by the norms of what they add, per layer and part (mean over the words of the "
          "sentence)");
    }
  }

  void read_maps(std::int64_t layer) {
    // Layer 1 has nothing previous: of order groups only the first part makes joins there.
    const bool groups = result_.input.kind == GrammarKind::order_groups;
    const std::span<const Part> all(result_.input.joins);
    const std::span<const Part> parts = groups && layer == 1 ? all.first(1) : all;
    auto& maps = result_.input.attention.emplace_back();
    auto& dropped = result_.dropped.emplace_back();
    auto& weights = result_.head_weights.emplace_back();
    double sink = 0;
    for (const Part part : parts) {
      const QuantityName name(values_.stack().stack, layer, part, Quantity::attention);
      std::optional<MapMerger> merger;
      values_.attention_rows(name, "attention,gates", [&](const RecordedValues::Maps& rows) {
        if (!merger) {
          merger.emplace(begin_map(name, rows, weights.emplace_back()));
        }
        merger->add(rows.values);
      });
      if (const auto own = merger.value().sink()) {
        sink += *own / static_cast<double>(parts.size());
        has_sink_ = true;
      }
      maps.push_back(merger->finish(dropped.emplace_back()));
    }
    if (has_sink_) {
      result_.sink.push_back(sink);
    }
    maps.resize(all.size());
    dropped.resize(maps.size());
    weights.resize(maps.size());
  }

  // alpha: what goes into the result as the weights of the heads.
  MapMerger begin_map(const QuantityName& name, const RecordedValues::Maps& read,
                      std::vector<double>& alpha) const {
    const bool chosen = !options_.head_weights.empty() || !options_.heads.empty() ||
                        options_.head_reduction != HeadReduction::uniform;
    if (read.mean_only && chosen) {
      throw UsageError(fmt::format(
          "weights of heads need {}, but the recording holds its mean over heads only: record with "
          "--capture attention,gates",
          name.text()));
    }
    const std::vector<double> of_heads = head_weights(values_, words_, name, read.heads, options_);
    alpha = read.mean_only ? std::vector<double>{} : of_heads;
    return {read.heads, words_.word_of_piece, words_.words, of_heads, options_.drop_sink};
  }

  // What the first token takes, where tokens see only what stands before them, or it was taken out.
  void describe_sink() {
    if (options_.drop_sink) {
      result_.choices.emplace_back("sink", "dropped");
    }
    if (result_.sink.empty() || (!options_.drop_sink && !values_.stack().causal)) {
      return;
    }
    double mean = 0;
    std::string layers;
    for (const double one : result_.sink) {
      mean += one / static_cast<double>(result_.sink.size());
      layers += fmt::format("{}{:.2f}", layers.empty() ? "" : ", ", one);
    }
    const std::vector<Token>& tokens = values_.sentence().tokens;
    const Token& first = tokens.front();
    const bool alone = tokens.size() > 1 && tokens[1].word != first.word;
    if (first.word >= 0 && !options_.drop_sink) {
      result_.kept_sink = mean;
    }
    result_.notes.push_back(fmt::format(
        "in sentence {} the first token, {}, takes {:.2f} of the attention of other words (layer by layer "
        "{}): "
        "{}",
        values_.sentence().number,
        shown_bytes(piece_bytes(first.text, pieces_of(values_.header().model.tokenizer))), mean, layers,
        first.word < 0        ? "a special token, left out with the others"
        : !options_.drop_sink ? "it is kept; --sink drop takes it out"
        : alone ? "it is dropped, rows are divided by what is left; it is a whole word, which nothing "
                  "joins then, so that no graph has all words"
                : "it is dropped, rows are divided by what is left"));
  }

  // A recurrent encoder: no maps, so no mass is dropped.
  void read_steps() {
    const bool two = result_.input.kind == GrammarKind::two_directions;
    const std::vector<DirectionParts> directions = directions_in_order();
    for (std::int64_t layer = 1; layer <= result_.input.layers; ++layer) {
      RecurrentValues steps = recurrent_values(values_, words_, layer, directions.front());
      result_.input.z.push_back(std::move(steps.z));
      result_.input.sigma_h.push_back(std::move(steps.sigma_h));
      if (two) {
        RecurrentValues back = recurrent_values(values_, words_, layer, directions.back());
        result_.input.z_backward.push_back(std::move(back.z));
        result_.input.sigma_backward.push_back(std::move(back.sigma_h));
        result_.input.forward_share.push_back(direction_shares(layer));
      }
      result_.dropped.emplace_back();
      result_.head_weights.emplace_back();
    }
    describe_recurrent(values_, result_);
    if (two) {
      describe_directions();
    }
    if (options_.target == TargetWeights::cross) {
      return read_target();
    }
    result_.choices.emplace_back("target", two && options_.direction == DirectionChoice::both
                                               ? "last step of each direction"
                                               : "last step");
  }

  // The forward one first.
  std::vector<DirectionParts> directions_in_order() const {
    std::vector<DirectionParts> directions = values_.stack().directions();
    std::stable_partition(directions.begin(), directions.end(), [](const DirectionParts& direction) {
      return !direction.state.description().backward;
    });
    return directions;
  }

  std::vector<double> direction_shares(std::int64_t layer) const {
    if (options_.direction == DirectionChoice::both) {
      return direction_shares_of(values_, words_, layer, result_.input.joins.front());
    }
    const double share = options_.direction == DirectionChoice::forward ? 1 : 0;
    return std::vector<double>(at(words_.words), share);
  }

  void describe_directions() {
    result_.choices.emplace_back("direction", name(options_.direction));
    if (options_.direction == DirectionChoice::both) {
      result_.notes.emplace_back(
          "a joined state is its forward half with the share of that half in both norms; the sentence is the "
          "last step of each direction, 1/2 each");
      return;
    }
    result_.input.top_forward = options_.direction == DirectionChoice::forward ? 1 : 0;
    result_.notes.push_back(fmt::format("only the {} direction is followed; layers above the first read both",
                                        name(options_.direction)));
  }

  void read_target() {
    result_.choices.emplace_back("target", name(options_.target));
    if (options_.target == TargetWeights::cross) {
      result_.input.top = cross_attention_target(values_, words_, result_);
    }
  }

  RecordedValues values_;
  const WordGrammarOptions& options_;
  PieceWords words_;
  bool has_sink_ = false;
  WordGrammar result_;
};

}  // namespace

std::string_view name(HeadReduction reduction) noexcept {
  return reduction == HeadReduction::contribution ? "contribution" : "uniform";
}
std::string_view name(GateSource source) noexcept {
  return source == GateSource::share ? "share" : source == GateSource::constant ? "constant" : "recorded";
}
std::string_view name(PartShares shares) noexcept {
  return shares == PartShares::share ? "share" : shares == PartShares::uniform ? "uniform" : "recorded";
}
std::string_view name(TargetWeights weights) noexcept {
  return weights == TargetWeights::cross ? "cross" : "uniform";
}

std::string_view name(DirectionChoice direction) noexcept {
  return direction == DirectionChoice::forward    ? "forward"
         : direction == DirectionChoice::backward ? "backward"
                                                  : "both";
}

std::vector<std::int64_t> grammar_words(const Sentence& sentence, bool keep_pieces) {
  std::vector<std::int64_t> number(sentence.words.size(), -1);
  std::vector<std::int64_t> result;
  std::int64_t next = 0;
  for (const Token& token : sentence.tokens) {
    if (token.word < 0) {
      result.push_back(-1);
      continue;
    }
    if (token.word >= std::ssize(sentence.words)) {
      throw FormatError(fmt::format("sentence {}: token \"{}\" belongs to word {} of {}", sentence.number,
                                    token.text, token.word + 1, sentence.words.size()));
    }
    std::int64_t& word = number[at(token.word)];
    if (keep_pieces || word < 0) {
      word = next++;
    }
    result.push_back(word);
  }
  return result;
}

WordGrammar build_word_grammar(const RecordingSource& source, std::int64_t index,
                               const WordGrammarOptions& options) {
  if (index < 0 || index >= source.size()) {
    throw UsageError(
        fmt::format("sentence {}: the recording holds sentences 1 to {}", index + 1, source.size()));
  }
  for (const auto& [option, share] :
       {std::pair("--rho", options.rho.value_or(0.5)), std::pair("--residual-share", options.residual_share),
        std::pair("--gate constant", options.gate_constant)}) {
    if (!(share >= 0 && share <= 1)) {
      throw UsageError(fmt::format("{}: expected a number in [0, 1], found {}", option, share));
    }
  }
  return Builder(source, index, options).build();
}

}  // namespace mog::analysis
