// A tokenizer that cuts every word of two letters and more behind its first.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/workflow/record/live_run.h"
#include "tests/support/fake_model.h"

namespace mog::test {

class HalvingTokenizer final : public model::Tokenizer {
 public:
  Sentence encode(std::string_view text, std::int64_t number) const override {
    Sentence sentence = whole_.encode(text, number);
    std::vector<Token> tokens;
    for (const Token& token : sentence.tokens) {
      tokens.push_back(token);
      if (token.word >= 0 && token.text.size() > 1) {
        tokens.back().text = token.text.substr(0, 1) + "@@";
        tokens.push_back(token);
        tokens.back().text = token.text.substr(1);
      }
    }
    sentence.tokens = std::move(tokens);
    return sentence;
  }
  Sentence encode_words(std::span<const std::string> words, std::int64_t number) const override {
    return whole_.encode_words(words, number);
  }
  const model::Vocabulary& vocabulary() const override { return whole_.vocabulary(); }
  std::string_view kind() const override { return whole_.kind(); }

 private:
  FakeTokenizer whole_;
};

inline app::LoadedModel halving_model() {
  app::LoadedModel loaded;
  loaded.model = std::make_shared<const FakeModel>(FakeModelOptions{.tokenizer = "bpe"});
  loaded.tokenizer = std::make_shared<const HalvingTokenizer>();
  return loaded;
}

}  // namespace mog::test
