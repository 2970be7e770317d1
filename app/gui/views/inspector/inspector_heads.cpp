// What stands above the sections of the inspector.
#include <set>

#include "app/gui/session/intervention_text.h"
#include "app/gui/session/part_text.h"
#include "app/gui/views/inspector/inspector_page.h"
#include "app/gui/views/inspector/inspector_view.h"

namespace mog::gui {
namespace {

QString bold(const QString& text) {
  return QStringLiteral("<b>%1</b>").arg(text.toHtmlEscaped());
}

Badge::Content level(app::ClaimLevel claim) {
  return {level_text(claim), Badge::Colour::level, Part::none, QString::fromUtf8(app::text(claim).data())};
}

QString leaves_text(const QStringList& leaves) {
  return bold(leaves.join(QLatin1Char(' ')));
}

QString operand_layer(std::int64_t layer, std::int64_t of_join) {
  return layer == 0            ? QString()
         : layer + 1 < of_join ? InspectorView::tr(", layer %1, carried").arg(layer)
                               : InspectorView::tr(", layer %1").arg(layer);
}

// What the recording keeps of a sentence, in the terms of its description.
QString recorded_text(const RecordingHeader& header) {
  std::set<QString> kinds;
  for (const QuantitySchema& schema : header.quantities) {
    const QuantityName& name = schema.name;
    if (name.of_task() && name.quantity() == Quantity::logits) {
      kinds.insert(InspectorView::tr("tags"));
    } else if (name.quantity() == Quantity::attention &&
               (name.reduction() == Reduction::full || name.reduction() == Reduction::mean_heads)) {
      kinds.insert(InspectorView::tr("attention"));
    } else if (name.quantity() == Quantity::carry) {
      kinds.insert(InspectorView::tr("carry weights"));
    } else if (name.quantity() == Quantity::gate) {
      kinds.insert(InspectorView::tr("gates"));
    } else if (name.reduction() == Reduction::share) {
      kinds.insert(InspectorView::tr("shares of parts"));
    }
  }
  const QStringList all(kinds.begin(), kinds.end());
  return all.isEmpty() ? InspectorView::tr("other quantities") : list_text(all);
}

}  // namespace

InspectorHead InspectorView::headOf(const InspectorQuestion& question, const InspectorFacts& facts) const {
  switch (question.subject) {
    case Subject::join:
      return headOfJoin(question, facts);
    case Subject::cell:
      return headOfCell(question, facts);
    case Subject::word:
      return headOfWord(question, facts);
    default:
      return headOfSentence(question, facts);
  }
}

InspectorHead InspectorView::headOfJoin(const InspectorQuestion& question,
                                        const InspectorFacts& facts) const {
  const app::JoinFacts& join = *question.join;
  const JoinWords words = words_of(join, facts.grammar_words);
  const StackDescription& stack = question.source->header().stack();
  InspectorHead head;
  head.place = tr("Join, %1").arg(place_text(stack, join.layer, join.part));
  head.title = tr("%1 takes in %2").arg(bold(words.query), bold(words.key));
  head.badges = {{operands_text(join.part), Badge::Colour::part, join.part,
                  QString::fromStdString(join.part.description().tip)},
                 {words_text(join.order), Badge::Colour::plain, Part::none, {}},
                 {tr("kind %1").arg(join.kind), Badge::Colour::kind, Part::none, {}},
                 level(app::ClaimLevel::summary)};
  head.sentence = join_sentence(join, words);
  head.facts = {{tr("edge"), QStringLiteral("%1 %2 %3 %4 %5")
                                 .arg(bold(words.query))
                                 .arg(join.query + 1)
                                 .arg(QChar(0x2192))
                                 .arg(bold(words.key))
                                 .arg(join.key + 1)},
                {tr("left"), leaves_text(words.left_leaves) + operand_layer(join.left_layer, join.layer)},
                {tr("right"), leaves_text(words.right_leaves) + operand_layer(join.right_layer, join.layer)},
                {tr("makes"), leaves_text(words.left_leaves + words.right_leaves)}};
  return head;
}

InspectorHead InspectorView::headOfCell(const InspectorQuestion& question,
                                        const InspectorFacts& facts) const {
  const QString query = facts.textOf(*question.token);
  const QString key = facts.textOf(*question.key);
  const RecordingHeader& header = question.source->header();
  InspectorHead head;
  head.place = tr("Cell, %1").arg(place_text(header.stack(), question.layer, question.part));
  if (question.head > 0) {
    head.place += QStringLiteral(", ") + tr("head %1").arg(question.head);
  }
  head.title = question.token == question.key ? tr("%1 reads itself").arg(bold(query))
                                              : tr("%1 reads %2").arg(bold(query), bold(key));
  if (question.part != Part::none && header.stack().with(PartRole::attention).size() > 1) {
    head.badges.push_back({part_text(question.part), Badge::Colour::part, question.part,
                           QString::fromStdString(question.part.description().tip)});
  }
  head.badges.push_back(level(question.head > 0 && question.part != Part::none ? app::ClaimLevel::frozen
                                                                               : app::ClaimLevel::summary));
  if (facts.unseen) {
    head.title = tr("%1 does not see %2").arg(bold(query), bold(key));
    const QString why = *question.key > *question.token
                            ? tr("This model reads from left to right: what comes later is not seen.")
                            : tr("It lies outside the window of this layer.");
    head.sentence = {why.toHtmlEscaped(), why};
  } else if (facts.weight) {
    head.sentence = cell_sentence(query, key, question.head, *facts.weight, facts.rank, facts.cells);
  }
  return head;
}

InspectorHead InspectorView::headOfWord(const InspectorQuestion& question,
                                        const InspectorFacts& facts) const {
  const QString word =
      token_name(facts.sentence, *question.token, pieces_of(question.source->header().model.tokenizer));
  InspectorHead head;
  const bool special = facts.sentence.tokens.at(static_cast<std::size_t>(*question.token)).word < 0;
  head.place = (special ? tr("Special token %1 of %2") : tr("Token %1 of %2"))
                   .arg(*question.token + 1)
                   .arg(facts.sentence.tokens.size());
  head.title = tr("%1 at layer %2").arg(bold(word)).arg(question.layer);
  head.badges = {level(app::ClaimLevel::summary)};
  if (graph_of_ == placeOf(question)) {
    head.sentence = word_sentence(word, question.layer, graph_.words, facts.grammar_words);
  }
  return head;
}

InspectorHead InspectorView::headOfSentence(const InspectorQuestion& question,
                                            const InspectorFacts& facts) const {
  const RecordingHeader& header = question.source->header();
  const StackDescription& stack = header.stack();
  const WorkspaceItem* item = workspace().selectedItem();
  InspectorHead head;
  const std::int64_t number = question.source->number(question.index);
  head.place = tr("Sentence %1").arg(number);
  head.title = bold(words_text(std::ssize(facts.sentence.words)));
  if (item != nullptr && item->kind == WorkspaceItem::Kind::typed) {
    const TypedSentence& typed = item->typed.at(static_cast<std::size_t>(question.index));
    if (typed.parent >= 0) {
      const TypedSentence& parent = item->typed.at(static_cast<std::size_t>(typed.parent));
      head.place = tr("Variant of sentence %1").arg(typed.parent + 1);
      head.title = bold(change_text(typed, &parent, facts.sentence));
      head.badges = {level(app::ClaimLevel::causal),
                     {words_text(std::ssize(facts.sentence.words)), Badge::Colour::plain, Part::none, {}}};
    }
  }
  const QString hint =
      stack.recurrent() ? tr("Click a word, or a cell of a map: what it is stands here.")
                        : tr("Click a word, a cell of a map, or a join of a graph: what it is stands here.");
  head.sentence = {hint.toHtmlEscaped(), hint};
  const auto layers = stack.layers == 1 ? tr("1 layer") : tr("%1 layers").arg(stack.layers);
  head.facts = {{tr("model"), bold(QString::fromStdString(header.model.name))},
                {tr("system"), QString::fromStdString(stack.label).toHtmlEscaped()},
                {tr("size"), stack.heads > 0 ? tr("%1, %2 heads").arg(layers).arg(stack.heads) : layers},
                {tr("tokens"), QString::number(facts.sentence.tokens.size())},
                {tr("recorded"), recorded_text(header).toHtmlEscaped()}};
  return head;
}

}  // namespace mog::gui
