// Interventions are checked all at once, against the model and the batch, before anything is computed: an
// error then names the place in the list and what there is instead, and the modules need not look. What is
// left is sorted by what the modules ask for (layer, part, head), so that a pass without interventions pays
// a look-up in an empty map a layer.
//
// Several for the same thing: the last one counts. Masked tokens are collected by sentence, because each may
// be sound and all of them together leave a query without any key.
//
// Trap: rows are rows of the packed batch; a sentence's token is its offset plus its index. Heads and layers
// count from 1 here and in messages, tokens and sentences from 0.
#include "model/engine/modules/applied_interventions.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <variant>

#include "io/recording/errors.h"
#include "model/engine/common/text.h"

namespace mog::engine {
namespace {

// Checks one intervention; messages name its place in the list.
class Checker {
 public:
  Checker(const model::ModelConfig& config, const model::PackedBatch& batch, std::size_t place)
      : config_(config), batch_(batch), place_(place) {}

  template <class... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw UsageError(concat("intervention ", place_ + 1, ": ", pieces...));
  }
  void sentence(std::int64_t index) const {
    if (index < 0 || index >= batch_.sentences()) {
      refuse("sentence index ", index, " (from 0), but the batch has ", batch_.sentences(), " sentences");
    }
  }
  void token(std::int64_t sentence_index, std::int64_t token_index) const {
    sentence(sentence_index);
    if (token_index < 0 || token_index >= batch_.length(sentence_index)) {
      refuse("token index ", token_index, " (from 0), but sentence ", sentence_index, " has ",
             batch_.length(sentence_index), " tokens");
    }
  }
  void encoder_layer(std::int64_t layer) const {
    if (layer < 1 || layer > config_.encoder.layers) {
      refuse("layer ", layer, ", but the encoder has layers 1 to ", config_.encoder.layers);
    }
  }
  void part(std::int64_t layer, Part part) const {
    if (part == Part::self || part == Part::cross) {
      if (!config_.decoder) {
        refuse("part ", name(part), ", but the model has no decoder");
      }
      if (layer < 1 || layer > config_.decoder->layers) {
        refuse("layer ", layer, ", but the decoder has layers 1 to ", config_.decoder->layers);
      }
      return;
    }
    encoder_layer(layer);
    if (config_.encoder.recurrent()) {
      const bool two = config_.encoder.bidirectional;
      const bool one_way = part == Part::below || part == Part::recurrent;
      const bool two_way = part == Part::forward || part == Part::forward_below ||
                           part == Part::forward_recurrent || part == Part::backward ||
                           part == Part::backward_below || part == Part::backward_recurrent;
      if (two ? !two_way : !one_way) {
        refuse("part ", name(part), ", but a layer of this recurrent encoder has ",
               two ? "forward and backward, and of each direction forward_below, forward_recurrent, "
                     "backward_below and backward_recurrent"
                   : "below and recurrent");
      }
      return;
    }
    const bool groups = config_.encoder.has_groups(layer);
    const bool there =
        !config_.encoder.graph() ? part == Part::full
        : groups ? part == Part::high || part == Part::middle1 || part == Part::middle2 || part == Part::low
                 : part == Part::high;
    if (!there) {
      refuse("part ", name(part), ", but layer ", layer, " has ",
             !config_.encoder.graph() ? "full"
             : groups                 ? "high, middle1, middle2, low"
                                      : "high alone");
    }
  }
  void head(Part part, std::int64_t head) const {
    if (part == Part::low) {
      refuse("part low has no attention heads");
    }
    const std::int64_t heads =
        part == Part::self || part == Part::cross ? config_.decoder->heads : config_.encoder.heads;
    if (head < 1 || head > heads) {
      refuse("head ", head, ", but there are heads 1 to ", heads);
    }
  }
  void source_id(std::int64_t id) const {
    if (id < 0 || id >= config_.vocab_size) {
      refuse("id ", id, ", but the vocabulary has ids 0 to ", config_.vocab_size - 1);
    }
  }
  // A row of attention needs at least one key. masked: tokens of that sentence.
  void something_left(std::int64_t sentence_index, const std::set<std::int64_t>& masked) const {
    if (static_cast<std::int64_t>(masked.size()) == batch_.length(sentence_index)) {
      refuse("every token of sentence ", sentence_index,
             " would be masked; its queries would have nothing left to attend to");
    }
  }
  void cut_term(std::int64_t layer) const {
    if (config_.encoder.kind != model::EncoderKind::transformer) {
      refuse("terms of attention scores are those of a plain Transformer, but the encoder is kind = ",
             model::name(config_.encoder.kind),
             config_.encoder.graph() ? "; its parts high, middle1 and middle2 can be scaled instead" : "");
    }
    encoder_layer(layer);
  }
  void graph_term(const model::CutGraphTerm& cut) const {
    if (!config_.encoder.graph_input) {
      refuse("cuts the term ", model::name(cut.term),
             " of attention that reads a graph, but the encoder reads none (encoder.graph_input)");
    }
    if (cut.term == model::GraphTerm::relation_query &&
        config_.encoder.graph_input->form != model::RelationForm::three_term) {
      refuse("cuts the term relation_query, but relations of form = ",
             model::name(config_.encoder.graph_input->form), " have none; they have relation_key");
    }
    encoder_layer(cut.layer);
    if (cut.head) {
      head(Part::full, *cut.head);
    }
  }
  void gate(const model::SetGate& gate) const {
    encoder_layer(gate.layer);
    if (config_.encoder.kind == model::EncoderKind::lstm) {
      refuse("layer ", gate.layer, " of an LSTM has no single gate between old and new; it has two");
    }
    if (!config_.encoder.recurrent() &&
        (!config_.encoder.has_groups(gate.layer) || config_.encoder.fusion != model::Fusion::weight_gate)) {
      refuse("layer ", gate.layer, " has no weight gate");
    }
    if (gate.token && !gate.sentence) {
      refuse("a gate of one token needs its sentence");
    }
    if (gate.token) {
      token(*gate.sentence, *gate.token);
    } else if (gate.sentence) {
      sentence(*gate.sentence);
    }
    if (!(gate.value >= 0.0 && gate.value <= 1.0)) {
      refuse("a gate lies in [0, 1], not ", gate.value);
    }
  }
  // What a recurrent encoder has nothing of.
  void attends(const char* what) const {
    if (config_.encoder.recurrent()) {
      refuse(what, ", but the encoder is recurrent (kind = ", model::name(config_.encoder.kind),
             "): it can replace tokens, scale the parts ",
             config_.encoder.bidirectional ? "of its directions" : "below and recurrent",
             ", scale what a layer makes of its input, and (gru) set the gate");
    }
  }
  // A recurrent layer is scaled towards its input, which needs the width of its states.
  void layer_scale(std::int64_t layer) const {
    const model::EncoderConfig& encoder = config_.encoder;
    if (encoder.recurrent() && encoder.input_width(layer) != encoder.d_model) {
      refuse("layer ", layer, " reads vectors of ", encoder.input_width(layer), " numbers and gives ",
             encoder.d_model, ", so that its input cannot take the place of its output");
    }
  }
  void global() const {
    if (!config_.gret) {
      refuse("the model has no global representation (gret)");
    }
  }
  void capsule(std::int64_t layer, std::int64_t index) const {
    global();
    encoder_layer(layer);
    if (index < 1 || index > config_.gret->capsules) {
      refuse("capsule ", index, ", but a layer has capsules 1 to ", config_.gret->capsules);
    }
  }
  void factor(double value) const {
    if (!std::isfinite(value)) {
      refuse("the factor must be a finite number");
    }
  }
  // width: of what is scaled.
  void toward(const std::vector<float>& vector, std::int64_t width) const {
    if (vector.empty()) {
      return;
    }
    attends("scales towards a vector");
    if (static_cast<std::int64_t>(vector.size()) != width) {
      refuse("the vector that is scaled towards has ", vector.size(), " numbers, and what is scaled has ",
             width);
    }
    if (!std::all_of(vector.begin(), vector.end(), [](float value) { return std::isfinite(value); })) {
      refuse("the vector that is scaled towards holds a number that is not finite");
    }
  }
  std::int64_t width_of(Part part) const {
    return part == Part::self || part == Part::cross ? config_.decoder->d_model : config_.encoder.d_model;
  }
  std::int64_t head_width(Part part) const {
    return part == Part::self || part == Part::cross
               ? config_.decoder->attention_dim() / config_.decoder->heads
               : config_.encoder.attention_dim / config_.encoder.heads;
  }
  void feed_forward(std::int64_t layer) const {
    encoder_layer(layer);
    if (config_.encoder.recurrent()) {
      refuse("layer ", layer, " is recurrent and has no feed-forward block");
    }
  }

 private:
  const model::ModelConfig& config_;
  const model::PackedBatch& batch_;
  std::size_t place_;
};

// rows [row, entry, width], entry i (from 1) times its factor.
at::Tensor scaled(const at::Tensor& rows, const std::map<std::int64_t, double>& factors) {
  std::vector<double> all(static_cast<std::size_t>(rows.size(1)), 1.0);
  for (const auto& [entry, factor] : factors) {
    all[static_cast<std::size_t>(entry) - 1] = factor;
  }
  const at::Tensor scale = at::tensor(all, at::kDouble).to(rows.device(), rows.scalar_type());
  return rows * scale.view({1, -1, 1});
}

}  // namespace

// values [row, width].
at::Tensor AppliedInterventions::Scaling::of(const at::Tensor& values) const {
  at::Tensor scaled = factor == 1.0 ? values : values * factor;
  if (toward.empty() || factor == 1.0) {
    return scaled;
  }
  const at::Tensor vector = at::tensor(toward, at::kFloat).to(values.device(), at::kDouble) * (1.0 - factor);
  // 0 · x is 0 of every finite x: what is replaced is the vector to the last bit.
  return scaled + vector.to(values.scalar_type());
}

AppliedInterventions::AppliedInterventions(const model::ModelConfig& config, const model::PackedBatch& batch,
                                           std::span<const model::Intervention> interventions)
    : empty_(interventions.empty()) {
  std::map<std::int64_t, std::set<std::int64_t>> masked_tokens;  // by sentence
  for (std::size_t place = 0; place < interventions.size(); ++place) {
    const Checker checker(config, batch, place);
    const model::Intervention& intervention = interventions[place];
    if (const auto* mask = std::get_if<model::MaskToken>(&intervention)) {
      checker.attends("masks a token that queries attend to");
      checker.token(mask->sentence, mask->token);
      masked_.push_back(*mask);
      masked_tokens[mask->sentence].insert(mask->token);
      checker.something_left(mask->sentence, masked_tokens[mask->sentence]);
    } else if (const auto* replace = std::get_if<model::ReplaceToken>(&intervention)) {
      checker.token(replace->sentence, replace->token);
      checker.source_id(replace->id);
      replaced_.push_back(*replace);
    } else if (const auto* head = std::get_if<model::ScaleHead>(&intervention)) {
      if (head->part != Part::self && head->part != Part::cross) {
        checker.attends("scales an attention head");
      }
      checker.part(head->layer, head->part);
      checker.head(head->part, head->head);
      checker.factor(head->factor);
      checker.toward(head->toward, checker.head_width(head->part));
      heads_[{head->layer, head->part}][head->head] = {head->factor, head->toward};
    } else if (const auto* part = std::get_if<model::ScalePart>(&intervention)) {
      checker.part(part->layer, part->part);
      checker.factor(part->factor);
      checker.toward(part->toward, checker.width_of(part->part));
      parts_[{part->layer, part->part}] = {part->factor, part->toward};
    } else if (const auto* layer = std::get_if<model::ScaleLayer>(&intervention)) {
      checker.encoder_layer(layer->layer);
      checker.layer_scale(layer->layer);
      checker.factor(layer->factor);
      checker.toward(layer->toward, config.encoder.d_model);
      layers_[layer->layer] = {layer->factor, layer->toward};
    } else if (const auto* block = std::get_if<model::ScaleFeedForward>(&intervention)) {
      checker.feed_forward(block->layer);
      checker.factor(block->factor);
      checker.toward(block->toward, config.encoder.d_model);
      feed_forward_[block->layer] = {block->factor, block->toward};
    } else if (const auto* capsule = std::get_if<model::ScaleCapsule>(&intervention)) {
      checker.capsule(capsule->layer, capsule->capsule);
      checker.factor(capsule->factor);
      capsules_[capsule->layer][capsule->capsule] = capsule->factor;
    } else if (const auto* global = std::get_if<model::ScaleGlobal>(&intervention)) {
      checker.global();
      checker.factor(global->factor);
      global_ = global->factor;
    } else if (const auto* gate = std::get_if<model::SetGate>(&intervention)) {
      checker.gate(*gate);
      gates_[gate->layer].push_back(gate_rows(batch, *gate));
    } else if (const auto* term = std::get_if<model::CutLogitTerm>(&intervention)) {
      checker.cut_term(term->layer);
      terms_[term->layer].insert(term->term);
    } else if (const auto* of_graph = std::get_if<model::CutGraphTerm>(&intervention)) {
      checker.graph_term(*of_graph);
      graph_terms_[{of_graph->layer, of_graph->term}].insert(of_graph->head.value_or(0));
    } else if (const auto* zero = std::get_if<model::ZeroEmbedding>(&intervention)) {
      checker.token(zero->sentence, zero->token);
      zero_rows_.push_back(batch.offsets[static_cast<std::size_t>(zero->sentence)] + zero->token);
    }
  }
}

AppliedInterventions::GateRows AppliedInterventions::gate_rows(const model::PackedBatch& batch,
                                                               const model::SetGate& gate) {
  if (!gate.sentence) {
    return {0, batch.tokens(), gate.value};
  }
  const std::int64_t begin = batch.offsets[static_cast<std::size_t>(*gate.sentence)];
  if (!gate.token) {
    return {begin, begin + batch.length(*gate.sentence), gate.value};
  }
  return {begin + *gate.token, begin + *gate.token + 1, gate.value};
}

model::PackedBatch AppliedInterventions::apply(const model::PackedBatch& batch) const {
  model::PackedBatch result = batch;
  for (const model::ReplaceToken& replace : replaced_) {
    const std::int64_t row = batch.offsets[static_cast<std::size_t>(replace.sentence)] + replace.token;
    result.ids[static_cast<std::size_t>(row)] = replace.id;
  }
  return result;
}

const std::set<model::LogitTerm>* AppliedInterventions::cut_terms(std::int64_t layer) const {
  const auto found = terms_.find(layer);
  return found == terms_.end() ? nullptr : &found->second;
}

bool AppliedInterventions::scales_parts(std::int64_t layer) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const auto& entry) { return entry.first.first == layer; });
}

double AppliedInterventions::part_factor(std::int64_t layer, Part part) const {
  const auto found = parts_.find({layer, part});
  return found == parts_.end() ? 1.0 : found->second.factor;
}

double AppliedInterventions::layer_factor(std::int64_t layer) const {
  const auto found = layers_.find(layer);
  return found == layers_.end() ? 1.0 : found->second.factor;
}

at::Tensor AppliedInterventions::scale_part(std::int64_t layer, Part part, const at::Tensor& output) const {
  const auto found = parts_.find({layer, part});
  return found == parts_.end() ? output : found->second.of(output);
}

at::Tensor AppliedInterventions::scale_layer(std::int64_t layer, const at::Tensor& added) const {
  const auto found = layers_.find(layer);
  return found == layers_.end() ? added : found->second.of(added);
}

at::Tensor AppliedInterventions::scale_feed_forward(std::int64_t layer, const at::Tensor& added) const {
  const auto found = feed_forward_.find(layer);
  return found == feed_forward_.end() ? added : found->second.of(added);
}

at::Tensor AppliedInterventions::scale_heads(std::int64_t layer, Part part, std::int64_t heads,
                                             const at::Tensor& context) const {
  const auto found = heads_.find({layer, part});
  if (found == heads_.end()) {
    return context;
  }
  std::vector<at::Tensor> columns = context.split(context.size(1) / heads, 1);
  for (const auto& [head, scaling] : found->second) {
    at::Tensor& own = columns[static_cast<std::size_t>(head) - 1];
    own = scaling.of(own);
  }
  return at::cat(columns, 1);
}

at::Tensor AppliedInterventions::heads_with(std::int64_t layer, model::GraphTerm term, std::int64_t heads,
                                            const at::TensorOptions& options) const {
  const auto found = graph_terms_.find({layer, term});
  if (found == graph_terms_.end()) {
    return {};
  }
  std::vector<double> kept(static_cast<std::size_t>(heads), found->second.contains(0) ? 0.0 : 1.0);
  for (const std::int64_t head : found->second) {
    if (head > 0) {
      kept[static_cast<std::size_t>(head) - 1] = 0.0;
    }
  }
  return at::tensor(kept, at::kDouble).to(options);
}

at::Tensor AppliedInterventions::scale_capsules(std::int64_t layer, const at::Tensor& capsules) const {
  const auto found = capsules_.find(layer);
  return found == capsules_.end() ? capsules : scaled(capsules, found->second);
}

at::Tensor AppliedInterventions::set_gate(std::int64_t layer, const at::Tensor& gate) const {
  const auto found = gates_.find(layer);
  if (found == gates_.end()) {
    return gate;
  }
  at::Tensor result = gate.clone();
  for (const GateRows& rows : found->second) {
    result.narrow(0, rows.begin, rows.end - rows.begin).fill_(rows.value);
  }
  return result;
}

}  // namespace mog::engine
