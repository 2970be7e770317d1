#include "open_any.h"

#include "io/checkpoint/safetensors.h"
#include "io/recording/errors.h"
#include "io/text/conllu.h"
#include "io/text/corpus.h"
#include "model/model_directory.h"
#include "model/tokenizer/bpe/bpe.h"
#include "model/tokenizer/counted_vocabulary.h"
#include "model/tokenizer/json/tokenizer_json.h"
#include "model/tokenizer/loading/foreign_tokenizer.h"
#include "model/tokenizer/tokenizer.h"

namespace mog::test {

std::optional<std::int64_t> open_any(const std::string& kind, const std::filesystem::path& path) {
  if (kind == "safetensors") {
    io::check_tensors(path);
  } else if (kind == "model_dir") {
    model::open_model_directory(path);
  } else if (kind == "bpe_codes") {
    model::Bpe::read(path);
  } else if (kind == "vocab_lines") {
    model::Vocabulary::read(path);
  } else if (kind == "vocab_counts") {
    model::read_counted_vocabulary(path);
  } else if (kind == "tokenizer_json") {
    model::open_tokenizer_json(path);
  } else if (kind == "sentencepiece") {
    // What is accepted must also cut texts.
    const auto tokenizer = model::read_foreign_tokenizer_file(path).tokenizer;
    for (const char* const text :
         {"The cats  sat.", "e\u0301 \ufb01 \u3000\u4e2d\U0001f600 \u0301\u00ad", "\u2581 <s> x"}) {
      tokenizer->encode(text);
    }
  } else if (kind == "text") {
    return io::summarize_corpus(path).sentences;
  } else if (kind == "conllu") {
    io::ConlluReader reader(path);
    io::TreebankSentence sentence;
    std::int64_t sentences = 0;
    while (reader.next(sentence)) {
      ++sentences;
    }
    return sentences;
  } else {
    throw UsageError("unknown kind " + kind);
  }
  return std::nullopt;
}

}  // namespace mog::test
