#include "tests/support/fake_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <variant>

#include "io/recording/errors.h"

namespace mog::test {
namespace {

std::uint64_t mix(std::uint64_t value) {  // SplitMix64
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  for (const char character : text) {
    seed = mix(seed ^ static_cast<unsigned char>(character));
  }
  return seed;
}

// In (0, 1).
float uniform(std::uint64_t seed, std::int64_t index) {
  const std::uint64_t bits = mix(seed ^ mix(static_cast<std::uint64_t>(index)));
  return (static_cast<float>(bits >> 40) + 0.5F) / 16777216.0F;
}

struct FakeSentence {
  std::vector<std::int64_t> ids;
  std::vector<bool> masked;
  std::map<std::int64_t, std::map<std::int64_t, float>> gates;  // layer -> token -> value
  std::uint64_t hash = 0;
  std::map<std::int64_t, std::uint64_t> scaled;  // layer -> hash of what was scaled in it
  // Of what the layers below `layer` give.
  std::uint64_t hash_below(std::int64_t layer) const {
    std::uint64_t result = hash;
    for (auto at = scaled.begin(); at != scaled.end() && at->first < layer; ++at) {
      result = mix(result ^ at->second);
    }
    return result;
  }
  std::int64_t length() const { return static_cast<std::int64_t>(ids.size()); }
};

std::vector<FakeSentence> sentences_of(const model::PackedBatch& batch,
                                       std::span<const model::Intervention> interventions,
                                       std::uint64_t seed) {
  std::vector<FakeSentence> result(static_cast<std::size_t>(batch.sentences()));
  for (std::size_t s = 0; s < result.size(); ++s) {
    result[s].ids.assign(batch.ids.begin() + batch.offsets[s], batch.ids.begin() + batch.offsets[s + 1]);
    result[s].masked.assign(result[s].ids.size(), false);
  }
  const auto at = [&](std::int64_t sentence) -> FakeSentence& {
    return result.at(static_cast<std::size_t>(sentence));
  };
  for (const model::Intervention& intervention : interventions) {
    if (const auto* replace = std::get_if<model::ReplaceToken>(&intervention)) {
      at(replace->sentence).ids.at(static_cast<std::size_t>(replace->token)) = replace->id;
    } else if (const auto* mask = std::get_if<model::MaskToken>(&intervention)) {
      at(mask->sentence).masked.at(static_cast<std::size_t>(mask->token)) = true;
    } else if (const auto* head = std::get_if<model::ScaleHead>(&intervention)) {
      for (FakeSentence& sentence : result) {
        std::uint64_t& hash = sentence.scaled[head->layer];
        hash = mix(hash ^ static_cast<std::uint64_t>(head->head * 1000) ^
                   static_cast<std::uint64_t>(head->factor * 256));
      }
    } else if (const auto* set = std::get_if<model::SetGate>(&intervention)) {
      for (std::int64_t s = 0; s < batch.sentences(); ++s) {
        for (std::int64_t t = 0; t < at(s).length(); ++t) {
          if (set->sentence.value_or(s) == s && set->token.value_or(t) == t) {
            at(s).gates[set->layer][t] = static_cast<float>(set->value);
          }
        }
      }
    }
  }
  for (FakeSentence& sentence : result) {
    sentence.hash = mix(seed);
    for (const std::int64_t id : sentence.ids) {
      sentence.hash = mix(sentence.hash ^ static_cast<std::uint64_t>(id));
    }
  }
  return result;
}

// [head, query, key]. causal: no query sees a later key.
std::vector<float> attention_map(const FakeSentence& sentence, const QuantityName& name, std::int64_t heads,
                                 bool causal) {
  const std::int64_t length = sentence.length();
  const std::uint64_t seed = hash_text(name.with(Reduction::full).text(), sentence.hash_below(name.layer()));
  std::vector<float> map(static_cast<std::size_t>(heads * length * length));
  for (std::int64_t row = 0; row < heads * length; ++row) {
    float sum = 0;
    for (std::int64_t key = 0; key < length; ++key) {
      const std::int64_t index = row * length + key;
      const bool masked =
          (sentence.masked[static_cast<std::size_t>(key)] && length > 1) || (causal && key > row % length);
      const float value = masked ? 0.0F : std::exp(4.0F * uniform(seed, index));
      map[static_cast<std::size_t>(index)] = value;
      sum += value;
    }
    for (std::int64_t key = 0; key < length; ++key) {
      map[static_cast<std::size_t>(row * length + key)] /= sum;
    }
  }
  return map;
}

// Of one row, what its reduction keeps: numbers as the schema has them, beside norms and entropies.
std::vector<float> row_detail(std::span<const float> row, std::size_t query, Reduction reduction) {
  if (reduction == Reduction::sink) {
    return {row.front()};
  }
  if (reduction == Reduction::distance) {
    std::vector<float> sums(16, 0.0F);
    for (std::size_t key = 0; key < row.size(); ++key) {
      const std::size_t far = std::max(query, key) - std::min(query, key);
      std::size_t place = 0;
      for (std::size_t reach = 0; reach < far; reach = reach == 0 ? 1 : 2 * reach) {
        ++place;
      }
      sums.at(std::min<std::size_t>(place, sums.size() - 1)) += row[key];
    }
    return sums;
  }
  std::vector<std::size_t> keys(row.size());
  std::iota(keys.begin(), keys.end(), std::size_t{0});
  std::erase_if(keys, [&](std::size_t key) { return row[key] == 0.0F; });
  std::stable_sort(keys.begin(), keys.end(), [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  const bool of_keys = reduction == Reduction::top_key;
  std::vector<float> top(static_cast<std::size_t>(model::kTopKeys), of_keys ? -1.0F : 0.0F);
  for (std::size_t rank = 0; rank < std::min(top.size(), keys.size()); ++rank) {
    top[rank] = of_keys ? static_cast<float>(keys[rank]) : row[keys[rank]];
  }
  return top;
}

bool is_row_detail(Reduction reduction) {
  return reduction == Reduction::sink || reduction == Reduction::distance || reduction == Reduction::top ||
         reduction == Reduction::top_key;
}

std::vector<float> reduced_attention(const FakeSentence& sentence, const QuantityName& name,
                                     std::int64_t heads, bool causal) {
  const std::vector<float> map = attention_map(sentence, name, heads, causal);
  const std::int64_t length = sentence.length();
  if (name.reduction() == Reduction::full) {
    return map;
  }
  if (name.reduction() == Reduction::mean_heads) {
    std::vector<float> mean(static_cast<std::size_t>(length * length), 0.0F);
    for (std::size_t i = 0; i < map.size(); ++i) {
      mean[i % mean.size()] += map[i] / static_cast<float>(heads);
    }
    return mean;
  }
  if (is_row_detail(name.reduction())) {
    std::vector<float> details;
    for (std::int64_t row = 0; row < heads * length; ++row) {
      const std::vector<float> one = row_detail(
          std::span(map).subspan(static_cast<std::size_t>(row * length), static_cast<std::size_t>(length)),
          static_cast<std::size_t>(row % length), name.reduction());
      details.insert(details.end(), one.begin(), one.end());
    }
    return details;
  }
  std::vector<float> rows(static_cast<std::size_t>(heads * length), 0.0F);
  if (name.reduction() == Reduction::norm) {
    const std::uint64_t seed = hash_text(name.text(), sentence.hash);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = 3.0F * uniform(seed, static_cast<std::int64_t>(i));
    }
    return rows;
  }
  for (std::size_t i = 0; i < map.size(); ++i) {
    float& row = rows[i / static_cast<std::size_t>(length)];
    if (name.reduction() == Reduction::row_max) {
      row = std::max(row, map[i]);
    } else if (map[i] > 0) {
      row -= map[i] * std::log(map[i]);
    }
  }
  return rows;
}

std::vector<float> gate_values(const FakeSentence& sentence, const QuantityName& name, std::int64_t d_model) {
  const std::uint64_t seed =
      hash_text(name.with(Reduction::full).text(), sentence.hash_below(name.layer() + 1));
  std::vector<float> full(static_cast<std::size_t>(sentence.length() * d_model));
  std::vector<float> mean(static_cast<std::size_t>(sentence.length()), 0.0F);
  const auto layer = sentence.gates.find(name.layer());
  for (std::size_t i = 0; i < full.size(); ++i) {
    full[i] = uniform(seed, static_cast<std::int64_t>(i));
    const std::size_t token = i / static_cast<std::size_t>(d_model);
    if (layer != sentence.gates.end() && layer->second.count(static_cast<std::int64_t>(token)) > 0) {
      full[i] = layer->second.at(static_cast<std::int64_t>(token));
    }
    mean[token] += full[i] / static_cast<float>(d_model);
  }
  return name.reduction() == Reduction::mean ? mean : full;
}

std::vector<float> values_of(const FakeSentence& sentence, const QuantitySchema& schema, std::int64_t heads,
                             std::int64_t d_model, bool causal) {
  if (schema.name.quantity() == Quantity::attention) {
    return reduced_attention(sentence, schema.name, heads, causal);
  }
  if (schema.name.quantity() == Quantity::gate) {
    return gate_values(sentence, schema.name, d_model);
  }
  const std::uint64_t seed = hash_text(schema.name.text(), sentence.hash);
  std::vector<float> values(static_cast<std::size_t>(schema.elements(sentence.length())));
  const bool share = schema.name.reduction() == Reduction::share;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = uniform(seed, static_cast<std::int64_t>(i));
    values[i] = share ? 0.25F * value : 2.0F * value - 1.0F;
  }
  return values;
}

// What a model of an invented system gives.
std::vector<QuantitySchema> quantities_of(const SystemDescription& system, const model::ModelConfig& config) {
  std::vector<QuantitySchema> list;
  const auto add = [&](const QuantityName& name, std::vector<Axis> axes, std::vector<std::int64_t> extents,
                       const char* units) {
    list.push_back({name, std::move(axes), std::move(extents), DType::float32, units, name.text()});
  };
  const std::int64_t d = config.encoder.d_model;
  for (const StackDescription& stack : system.stacks) {
    const auto vectors = [&](const QuantityName& name) {
      add(name, {Axis::token, Axis::d_model}, {0, d}, "1");
    };
    vectors({stack.stack, 0, Part::none, Quantity::output});
    for (std::int64_t layer = 1; layer <= stack.layers; ++layer) {
      vectors({stack.stack, layer, Part::none, Quantity::output});
      if (stack.gate == GateKind::weight) {
        const QuantityName gate(stack.stack, layer, Part::none, Quantity::gate);
        vectors(gate);
        add(gate.with(Reduction::mean), {Axis::token}, {0}, "1");
      }
      for (const Part part : stack.parts) {
        if (part.attends()) {
          const QuantityName map(stack.stack, layer, part, Quantity::attention);
          add(map, {Axis::head, Axis::query, Axis::key}, {stack.heads, 0, 0}, "probability");
          add(map.with(Reduction::row_entropy), {Axis::head, Axis::query}, {stack.heads, 0}, "nats");
          add(map.with(Reduction::row_max), {Axis::head, Axis::query}, {stack.heads, 0}, "probability");
          add(map.with(Reduction::mean_heads), {Axis::query, Axis::key}, {0, 0}, "probability");
          add(map.with(Reduction::norm), {Axis::head, Axis::query}, {stack.heads, 0}, "1");
        }
        const QuantityName output(stack.stack, layer, part, Quantity::output);
        add(output.with(Reduction::norm), {Axis::token}, {0}, "1");
        add(output.with(Reduction::share), {Axis::token}, {0}, "1");
      }
    }
  }
  for (const auto& [task, tags] : config.tasks) {
    add(QuantityName::tag_scores(task), {Axis::token, Axis::tag}, {0, static_cast<std::int64_t>(tags.size())},
        "1");
  }
  std::sort(list.begin(), list.end(),
            [](const QuantitySchema& left, const QuantitySchema& right) { return left.name < right.name; });
  return list;
}

}  // namespace

SystemDescription invented_system(std::int64_t layers, std::int64_t heads) {
  const auto attention = [](const char* name, const char* shorter, const char* label, PartState query,
                            PartState key, OrderGroup order, PartColour colour) {
    return Part::describe({.name = name,
                           .label = label,
                           .short_name = shorter,
                           .tip = std::string(label) + ", as its makers call it",
                           .query = query,
                           .key = key,
                           .order = order,
                           .colour = colour});
  };
  const Part sky = attention("sky", "s", "sky view", PartState::incremental, PartState::incremental,
                             OrderGroup::high, PartColour::purple);
  const Part tree = attention("tree", "t", "tree view", PartState::incremental, PartState::previous,
                              OrderGroup::middle, PartColour::orange);
  const Part ground = attention("ground", "g", "ground view", PartState::previous, PartState::incremental,
                                OrderGroup::middle, PartColour::green);
  const Part root = Part::describe({.name = "root",
                                    .label = "root",
                                    .short_name = "r",
                                    .role = PartRole::carried,
                                    .map = PartMap::none,
                                    .query = PartState::previous,
                                    .key = PartState::previous,
                                    .order = OrderGroup::low,
                                    .colour = PartColour::blue});
  const Part glance = attention("glance", "gl", "glance back", PartState::whole, PartState::whole,
                                OrderGroup::any, PartColour::vermillion);
  return {{{.stack = Stack::named("reader"),
            .label = "Weather reader",
            .layers = layers,
            .heads = heads,
            .gate = GateKind::weight,
            .parts = {sky, tree, ground, root}},
           {.stack = Stack::named("writer"),
            .label = "Weather writer",
            .causal = true,
            .layers = layers - 1,
            .heads = heads,
            .parts = {glance}}}};
}

FakeModel::FakeModel(FakeModelOptions options) : options_(std::move(options)) {
  config_.encoder.kind =
      options_.graph ? model::EncoderKind::graph_transformer : model::EncoderKind::transformer;
  config_.encoder.layers = options_.layers;
  config_.encoder.heads = options_.heads;
  config_.encoder.d_model = options_.d_model;
  config_.encoder.attention_dim = options_.d_model;
  config_.encoder.ffn_dim = 2 * options_.d_model;
  config_.vocab_size = options_.vocabulary;
  config_.tasks["pos"] = options_.tags;
  card_.name = "fake";
  card_.architecture = "encoder";
  card_.encoder_kind = options_.graph ? "graph_transformer" : "transformer";
  card_.fusion = options_.graph ? "weight_gate" : "";
  card_.first_layer = options_.graph ? "incremental" : "";
  card_.layers = options_.layers;
  card_.heads = options_.heads;
  card_.d_model = options_.d_model;
  card_.attention_dim = options_.d_model;
  card_.ffn_dim = 2 * options_.d_model;
  card_.vocabulary = options_.vocabulary;
  card_.tokenizer = options_.tokenizer;
  card_.config_json = model::to_json(config_);
  card_.weights_sha256 = std::string(63, '0') + static_cast<char>('0' + options_.seed % 10);
  card_.tokenizer_sha256 = std::string(64, '1');
  card_.tasks = config_.tasks;
  if (!options_.system.stacks.empty()) {
    card_.encoder_kind = "weather";
    card_.fusion.clear();
    card_.first_layer.clear();
    card_.layers = options_.system.main().layers;
    card_.heads = options_.system.main().heads;
  }
}

std::vector<QuantitySchema> FakeModel::quantities() const {
  return options_.system.stacks.empty() ? model::quantities(config_)
                                        : quantities_of(options_.system, config_);
}

SystemDescription FakeModel::system() const {
  return options_.system.stacks.empty() ? model::Model::system() : options_.system;
}

void FakeModel::run(const model::PackedBatch& batch, std::span<const model::Intervention> interventions,
                    std::span<model::Observer* const> observers) const {
  const std::int64_t number = ++runs_;
  if (on_run_) {
    on_run_(number);
  }
  const std::vector<FakeSentence> sentences = sentences_of(batch, interventions, options_.seed);
  std::vector<QuantitySchema> schemas = quantities();
  if (options_.system.stacks.empty()) {
    for (QuantitySchema& exact : model::decomposition_quantities(config_)) {
      schemas.push_back(std::move(exact));
    }
  }
  const SystemDescription described = system();
  for (const QuantitySchema& schema : schemas) {
    std::vector<std::pair<model::Observer*, DType>> wanting;
    for (model::Observer* const observer : observers) {
      if (const auto wanted = observer->wants(schema.name)) {
        wanting.emplace_back(observer, *wanted);
      }
    }
    if (wanting.empty()) {
      continue;
    }
    const StackDescription* const stack = described.find(schema.name.stack());
    const bool causal = !options_.system.stacks.empty() && stack != nullptr &&
                        stack->causal;  // known ones are not masked here
    std::vector<float> flat;
    std::vector<std::int64_t> offsets = {0};
    for (const FakeSentence& sentence : sentences) {
      const std::vector<float> values = values_of(sentence, schema, options_.heads, options_.d_model, causal);
      flat.insert(flat.end(), values.begin(), values.end());
      offsets.push_back(static_cast<std::int64_t>(flat.size()));
    }
    const HostTensor tensor = HostTensor::of<float>({static_cast<std::int64_t>(flat.size())}, flat);
    for (const auto& [observer, dtype] : wanting) {
      if (!observer->observe(schema.name, {tensor.to(dtype), offsets})) {
        throw Interrupted("running the fake model: cancelled");
      }
    }
  }
}

std::vector<std::vector<model::Hypothesis>> FakeModel::translate(const model::PackedBatch&,
                                                                 const model::BeamOptions&,
                                                                 std::stop_token) const {
  throw UsageError("translating: the model has no decoder");
}

FakeTokenizer::FakeTokenizer(std::int64_t vocabulary)
    : vocabulary_([&] {
        std::vector<std::string> tokens = {"<s>", "<pad>", "</s>", "<unk>"};
        while (static_cast<std::int64_t>(tokens.size()) < vocabulary) {
          tokens.push_back("w" + std::to_string(tokens.size()));
        }
        return tokens;
      }()) {}

Sentence FakeTokenizer::encode(std::string_view text, std::int64_t number) const {
  std::vector<std::string> words;
  std::string word;
  for (const char character : text) {
    if (character != ' ') {
      word.push_back(character);
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) {
    words.push_back(word);
  }
  return encode_words(words, number);
}

Sentence FakeTokenizer::encode_words(std::span<const std::string> words, std::int64_t number) const {
  Sentence sentence;
  sentence.number = number;
  for (const std::string& word : words) {
    if (!sentence.text.empty()) {
      sentence.text += ' ';
    }
    const auto begin = static_cast<std::int64_t>(sentence.text.size());
    sentence.text += word;
    const ByteSpan bytes{begin, static_cast<std::int64_t>(sentence.text.size())};
    const auto ordinary = static_cast<std::uint64_t>(vocabulary_.size() - 4);
    const auto id = 4 + static_cast<std::int64_t>(hash_text(word, 7) % ordinary);
    sentence.tokens.push_back({word, id, static_cast<std::int64_t>(sentence.words.size()), bytes});
    sentence.words.push_back({word, bytes});
  }
  sentence.tokens.push_back({"</s>", 2, -1, {}});
  return sentence;
}

}  // namespace mog::test
