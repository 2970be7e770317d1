#include "model/foreign/hf_target.h"

#include <fmt/format.h>

#include <optional>

#include "io/recording/errors.h"
#include "model/foreign/hf_generation.h"
#include "model/foreign/import_advice.h"

namespace mog::model {
namespace {

// The tokens of the decoder's rows. Those behind the tokenizer's have a share in every probability and keep
// names of their own.
std::vector<std::string> target_tokens(const Vocabulary& vocabulary, std::int64_t rows) {
  std::vector<std::string> tokens;
  for (std::int64_t id = 0; id < rows; ++id) {
    tokens.push_back(id < vocabulary.size() ? vocabulary.token(id) : fmt::format("<row_{}>", id));
  }
  return tokens;
}

void set_decoder_ids(ModelConfig& config, const Generation& generation, HfConfig& file) {
  const auto role = [&](const char* key, std::optional<std::int64_t> id) {
    if (!id || *id >= config.target_vocab_size) {
      throw ModelError(
          fmt::format("{}: {}: expected an id below {} (here or in generation_config.json), found {}",
                      file.file(), key, config.target_vocab_size, id ? std::to_string(*id) : "none"));
    }
    return *id;
  };
  config.bos_id = role("decoder_start_token_id", generation.start);
  config.eos_id = role("eos_token_id", generation.end);
  if (generation.first) {
    config.decoder->first_id = role("forced_bos_token_id", generation.first);
  }
}

}  // namespace

void add_decoder(ForeignModel& model, const std::filesystem::path& folder, const TargetBlueprint& target,
                 const TensorPlan& plan, const ForeignTokenizer& source, HfConfig& file) {
  model.config.decoder = target.decoder;
  model.config.decoder->output_bias = plan.has(kOutputBias);
  model.config.target_vocab_size = target.vocabulary;
  model.target_positions = target.positions;
  std::optional<ForeignTokenizer> own =
      with_import_advice([&] { return read_foreign_target_tokenizer(folder); });
  const ForeignTokenizer& says = own ? *own : source;
  const Vocabulary& vocabulary = says.tokenizer->vocabulary();
  if (vocabulary.size() > target.vocabulary) {
    throw ModelError(
        fmt::format("opening the model {}: the tokenizer of translations has {} tokens, but the "
                    "embeddings of the decoder have {} rows",
                    folder.string(), vocabulary.size(), target.vocabulary));
  }
  if (!says.decodes) {
    throw ModelError(
        fmt::format("opening the model {}: how tokens become text again is not known for the decoder of its "
                    "tokenizer.json; known: ByteLevel, Metaspace, WordPiece{}",
                    folder.string(), kImportAdvice));
  }
  const Generation generation = read_generation(folder, file);
  set_decoder_ids(model.config, generation, file);
  model.notes.insert(model.notes.end(), generation.notes.begin(), generation.notes.end());
  const std::vector<std::string> tokens = target_tokens(vocabulary, target.vocabulary);
  model.target_vocabulary = std::make_shared<const Vocabulary>(tokens);
  model.config.tokenizer.target_vocab = "target_vocab.txt";
  model.tokenizer_files["target_vocab.txt"] = vocabulary_lines(*model.target_vocabulary, folder.string());
  if (own) {
    model.config.tokenizer.target_file = "target_tokenizer.json";
    model.tokenizer_files["target_tokenizer.json"] = own->files.at("tokenizer.json");
    model.target_tokenizer = own->tokenizer;
  }
}

}  // namespace mog::model
