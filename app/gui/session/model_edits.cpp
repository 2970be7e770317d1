#include "app/gui/session/model_edits.h"

#include <QCoreApplication>

#include "app/gui/session/part_text.h"

namespace mog::gui {
namespace {

// The place of these texts in the catalogue.
class ModelEdits {
  Q_DECLARE_TR_FUNCTIONS(ModelEdits)
};

QString token_text(const Sentence& sentence, std::int64_t token) {
  if (token < 0 || token >= static_cast<std::int64_t>(sentence.tokens.size())) {
    return QString::number(token + 1);
  }
  const Token& found = sentence.tokens[static_cast<std::size_t>(token)];
  const std::string& text = found.word >= 0 && found.word < static_cast<std::int64_t>(sentence.words.size())
                                ? sentence.words[static_cast<std::size_t>(found.word)].text
                                : found.text;
  return QStringLiteral("“%1”").arg(QString::fromStdString(text));
}

// Cutting is scaling by 0.
QString scaled(const QString& what, double factor) {
  return factor == 0 ? ModelEdits::tr("cut %1").arg(what) : ModelEdits::tr("%1 × %2").arg(what).arg(factor);
}

class Text {
  Q_DECLARE_TR_FUNCTIONS(ModelEdits)

 public:
  explicit Text(const Sentence& sentence) : sentence_(sentence) {}
  QString operator()(const model::MaskToken& edit) const {
    return tr("mask %1").arg(token_text(sentence_, edit.token));
  }
  QString operator()(const model::ReplaceToken& edit) const {
    return tr("token %1 becomes number %2").arg(token_text(sentence_, edit.token)).arg(edit.id);
  }
  QString operator()(const model::ScaleHead& edit) const {
    return scaled(tr("head %1 of layer %2, %3").arg(edit.head).arg(edit.layer).arg(part_text(edit.part)),
                  edit.factor);
  }
  QString operator()(const model::ScalePart& edit) const {
    return scaled(tr("%1 of layer %2").arg(part_text(edit.part)).arg(edit.layer), edit.factor);
  }
  QString operator()(const model::ScaleLayer& edit) const {
    return scaled(tr("attention of layer %1").arg(edit.layer), edit.factor);
  }
  QString operator()(const model::SetGate& edit) const {
    return edit.token ? tr("gate of layer %1 at %2 = %3")
                            .arg(edit.layer)
                            .arg(token_text(sentence_, *edit.token))
                            .arg(edit.value)
                      : tr("gate of layer %1 = %2").arg(edit.layer).arg(edit.value);
  }
  QString operator()(const model::CutLogitTerm& edit) const {
    const std::string_view term = model::name(edit.term);
    return tr("cut %1 of the scores of layer %2")
        .arg(QString::fromUtf8(term.data(), static_cast<qsizetype>(term.size())))
        .arg(edit.layer);
  }
  QString operator()(const model::ZeroEmbedding& edit) const {
    return tr("embedding of %1 = 0").arg(token_text(sentence_, edit.token));
  }

 private:
  const Sentence& sentence_;
};

// The token that an edit is about, if it is about one.
std::optional<std::int64_t> token_of(const model::Intervention& edit) {
  if (const auto* mask = std::get_if<model::MaskToken>(&edit)) {
    return mask->token;
  }
  if (const auto* replace = std::get_if<model::ReplaceToken>(&edit)) {
    return replace->token;
  }
  if (const auto* gate = std::get_if<model::SetGate>(&edit)) {
    return gate->token;
  }
  if (const auto* zero = std::get_if<model::ZeroEmbedding>(&edit)) {
    return zero->token;
  }
  return std::nullopt;
}

model::Intervention with_token(model::Intervention edit, std::int64_t token) {
  if (auto* mask = std::get_if<model::MaskToken>(&edit)) {
    mask->token = token;
  } else if (auto* replace = std::get_if<model::ReplaceToken>(&edit)) {
    replace->token = token;
  } else if (auto* gate = std::get_if<model::SetGate>(&edit)) {
    gate->token = token;
  } else if (auto* zero = std::get_if<model::ZeroEmbedding>(&edit)) {
    zero->token = token;
  }
  return edit;
}

std::int64_t first_token(const Sentence& sentence, std::int64_t word) {
  for (std::size_t token = 0; token < sentence.tokens.size(); ++token) {
    if (sentence.tokens[token].word == word) {
      return static_cast<std::int64_t>(token);
    }
  }
  return -1;
}

}  // namespace

QString edit_text(const model::Intervention& edit, const Sentence& sentence) {
  return std::visit(Text{sentence}, edit);
}

QString change_text(const TypedSentence& typed, const TypedSentence* parent, const Sentence& sentence) {
  if (parent == nullptr) {
    return {};
  }
  if (typed.text != parent->text) {
    return ModelEdits::tr("other words: %1").arg(QString::fromStdString(typed.text));
  }
  QStringList parts;
  for (std::size_t i = parent->edits.size(); i < typed.edits.size(); ++i) {
    const QString text = edit_text(typed.edits[i], sentence);
    if (!parts.contains(text)) {  // the pieces of a word
      parts.push_back(text);
    }
  }
  return parts.join(QStringLiteral(", "));
}

std::vector<std::int64_t> tokens_of_word(const Sentence& sentence, std::int64_t token) {
  const std::int64_t word = sentence.tokens.at(static_cast<std::size_t>(token)).word;
  std::vector<std::int64_t> tokens;
  for (std::size_t i = 0; i < sentence.tokens.size(); ++i) {
    if (static_cast<std::int64_t>(i) == token || (word >= 0 && sentence.tokens[i].word == word)) {
      tokens.push_back(static_cast<std::int64_t>(i));
    }
  }
  return tokens;
}

ReplacedWord replace_word(const Sentence& sentence, const std::vector<model::Intervention>& edits,
                          std::int64_t word, const std::string& by, const model::Tokenizer& tokenizer) {
  const ByteSpan place = sentence.words.at(static_cast<std::size_t>(word)).bytes;
  ReplacedWord result;
  result.text = sentence.text.substr(0, static_cast<std::size_t>(place.begin)) + by +
                sentence.text.substr(static_cast<std::size_t>(place.end));
  const Sentence changed = tokenizer.encode(result.text);
  const std::int64_t more =
      static_cast<std::int64_t>(changed.words.size()) - static_cast<std::int64_t>(sentence.words.size());
  for (const model::Intervention& edit : edits) {
    const auto token = token_of(edit);
    if (!token) {
      result.edits.push_back(edit);
      continue;
    }
    const std::int64_t of_word = sentence.tokens.at(static_cast<std::size_t>(*token)).word;
    if (of_word == word) {
      continue;
    }
    // A special token keeps its place from the end, a word its piece.
    const std::int64_t moved = of_word < 0 ? *token + static_cast<std::int64_t>(changed.tokens.size()) -
                                                 static_cast<std::int64_t>(sentence.tokens.size())
                                           : first_token(changed, of_word > word ? of_word + more : of_word) +
                                                 *token - first_token(sentence, of_word);
    if (moved >= 0 && moved < static_cast<std::int64_t>(changed.tokens.size())) {
      result.edits.push_back(with_token(edit, moved));
    }
  }
  return result;
}

}  // namespace mog::gui
