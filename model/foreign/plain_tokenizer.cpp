#include <fmt/format.h>

#include <optional>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/foreign/checkpoint_file.h"
#include "model/tokenizer/bpe/bpe.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::model {
namespace {

constexpr std::uint64_t kMostCodesBytes = std::uint64_t{1} << 28U;

std::string lines(const std::vector<std::string>& tokens) {
  std::string text;
  for (const std::string& token : tokens) {
    if (token.find_first_of("\r\n") != std::string::npos) {
      throw ModelError(
          "opening the model: its vocabulary has a token with a line break, which vocab.txt cannot hold");
    }
    text += token + "\n";
  }
  return text;
}

}  // namespace

void set_plain_tokenizer(ForeignModel& model, const std::vector<std::string>& tokens,
                         const std::vector<std::string>& target,
                         const std::optional<std::filesystem::path>& codes) {
  ModelConfig& config = model.config;
  config.vocab_size = static_cast<std::int64_t>(tokens.size());
  config.tokenizer.kind = codes ? TokenizerKind::bpe : TokenizerKind::whitespace;
  config.tokenizer.vocab = "vocab.txt";
  model.tokenizer_files["vocab.txt"] = lines(tokens);
  std::optional<Bpe> bpe;
  if (codes) {
    config.tokenizer.codes = "bpe.codes";
    model.tokenizer_files["bpe.codes"] = io::read_file(*codes, "the codes of BPE", kMostCodesBytes);
    bpe = Bpe::read(*codes);
  }
  if (config.decoder) {
    config.target_vocab_size = static_cast<std::int64_t>(target.size());
    config.tokenizer.target_vocab = "target_vocab.txt";
    model.tokenizer_files["target_vocab.txt"] = lines(target);
    model.target_vocabulary = std::make_shared<const Vocabulary>(target);
  }
  model.tokenizer = make_text_tokenizer(Vocabulary(tokens), std::move(bpe), config.tokenizer,
                                        {config.eos_id, config.unk_id, config.bos_id});
}

}  // namespace mog::model
