#include "app/gui/session/intervention_text.h"

#include <QCoreApplication>
#include <QLocale>

#include "app/gui/session/part_text.h"

namespace mog::gui {
namespace {

// The place of these texts in the catalogue.
class InterventionText {
  Q_DECLARE_TR_FUNCTIONS(InterventionText)
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
  return factor == 0 ? InterventionText::tr("cut %1").arg(what)
                     : InterventionText::tr("%1 × %2").arg(what, QLocale().toString(factor, 'g', 6));
}

class Text {
  Q_DECLARE_TR_FUNCTIONS(InterventionText)

 public:
  explicit Text(const Sentence& sentence) : sentence_(sentence) {}
  QString operator()(const model::MaskToken& intervention) const {
    return tr("mask %1").arg(token_text(sentence_, intervention.token));
  }
  QString operator()(const model::ReplaceToken& intervention) const {
    return tr("token %1 becomes number %2")
        .arg(token_text(sentence_, intervention.token))
        .arg(intervention.id);
  }
  QString operator()(const model::ScaleHead& intervention) const {
    return scaled(tr("head %1 of layer %2, %3")
                      .arg(intervention.head)
                      .arg(intervention.layer)
                      .arg(part_text(intervention.part)),
                  intervention.factor);
  }
  QString operator()(const model::ScalePart& intervention) const {
    return scaled(tr("%1 of layer %2").arg(part_text(intervention.part)).arg(intervention.layer),
                  intervention.factor);
  }
  QString operator()(const model::ScaleLayer& intervention) const {
    return scaled(tr("attention of layer %1").arg(intervention.layer), intervention.factor);
  }
  QString operator()(const model::ScaleFeedForward& intervention) const {
    return scaled(tr("feed-forward block of layer %1").arg(intervention.layer), intervention.factor);
  }
  QString operator()(const model::SetGate& intervention) const {
    return intervention.token ? tr("gate of layer %1 at %2 = %3")
                                    .arg(intervention.layer)
                                    .arg(token_text(sentence_, *intervention.token))
                                    .arg(QLocale().toString(intervention.value, 'g', 6))
                              : tr("gate of layer %1 = %2")
                                    .arg(intervention.layer)
                                    .arg(QLocale().toString(intervention.value, 'g', 6));
  }
  QString operator()(const model::CutLogitTerm& intervention) const {
    const std::string_view term = model::name(intervention.term);
    return tr("cut %1 of the scores of layer %2")
        .arg(QString::fromUtf8(term.data(), static_cast<qsizetype>(term.size())))
        .arg(intervention.layer);
  }
  QString operator()(const model::CutGraphTerm& intervention) const {
    const std::string_view term = model::name(intervention.term);
    const QString text = QString::fromUtf8(term.data(), static_cast<qsizetype>(term.size()));
    return intervention.head
               ? tr("cut %1 of head %2 of layer %3").arg(text).arg(*intervention.head).arg(intervention.layer)
               : tr("cut %1 of layer %2").arg(text).arg(intervention.layer);
  }
  QString operator()(const model::ZeroEmbedding& intervention) const {
    return tr("embedding of %1 = 0").arg(token_text(sentence_, intervention.token));
  }
  QString operator()(const model::ScaleCapsule& intervention) const {
    return scaled(tr("capsule %1 of layer %2").arg(intervention.capsule).arg(intervention.layer),
                  intervention.factor);
  }
  QString operator()(const model::ScaleGlobal& intervention) const {
    return scaled(tr("the global representation"), intervention.factor);
  }

 private:
  const Sentence& sentence_;
};

// The token that an intervention is about, if it is about one.
std::optional<std::int64_t> token_of(const model::Intervention& intervention) {
  if (const auto* mask = std::get_if<model::MaskToken>(&intervention)) {
    return mask->token;
  }
  if (const auto* replace = std::get_if<model::ReplaceToken>(&intervention)) {
    return replace->token;
  }
  if (const auto* gate = std::get_if<model::SetGate>(&intervention)) {
    return gate->token;
  }
  if (const auto* zero = std::get_if<model::ZeroEmbedding>(&intervention)) {
    return zero->token;
  }
  return std::nullopt;
}

model::Intervention with_token(model::Intervention intervention, std::int64_t token) {
  if (auto* mask = std::get_if<model::MaskToken>(&intervention)) {
    mask->token = token;
  } else if (auto* replace = std::get_if<model::ReplaceToken>(&intervention)) {
    replace->token = token;
  } else if (auto* gate = std::get_if<model::SetGate>(&intervention)) {
    gate->token = token;
  } else if (auto* zero = std::get_if<model::ZeroEmbedding>(&intervention)) {
    zero->token = token;
  }
  return intervention;
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

QString intervention_text(const model::Intervention& intervention, const Sentence& sentence) {
  return std::visit(Text{sentence}, intervention);
}

QString change_text(const TypedSentence& typed, const TypedSentence* parent, const Sentence& sentence) {
  if (parent == nullptr) {
    return {};
  }
  if (typed.text != parent->text) {
    return InterventionText::tr("other words: %1").arg(QString::fromStdString(typed.text));
  }
  QStringList parts;
  for (std::size_t i = parent->interventions.size(); i < typed.interventions.size(); ++i) {
    const QString text = intervention_text(typed.interventions[i], sentence);
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

ReplacedWord replace_word(const Sentence& sentence, const std::vector<model::Intervention>& interventions,
                          std::int64_t word, const std::string& by, const model::Tokenizer& tokenizer) {
  const ByteSpan place = sentence.words.at(static_cast<std::size_t>(word)).bytes;
  ReplacedWord result;
  result.text = sentence.text.substr(0, static_cast<std::size_t>(place.begin)) + by +
                sentence.text.substr(static_cast<std::size_t>(place.end));
  const Sentence changed = tokenizer.encode(result.text);
  const std::int64_t more =
      static_cast<std::int64_t>(changed.words.size()) - static_cast<std::int64_t>(sentence.words.size());
  for (const model::Intervention& intervention : interventions) {
    const auto token = token_of(intervention);
    if (!token) {
      result.interventions.push_back(intervention);
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
      result.interventions.push_back(with_token(intervention, moved));
    }
  }
  return result;
}

}  // namespace mog::gui
