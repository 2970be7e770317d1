#include "app/gui/views/inspector/inspector_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/figure_data/map_sides.h"
#include "app/gui/session/part_text.h"
#include "app/gui/widgets/number_box.h"

namespace mog::gui {
namespace {

// The place of these texts in the catalogue.
struct Text {
  Q_DECLARE_TR_FUNCTIONS(Inspector)
};

const QChar kMinus(0x2212);

// Words of a sentence, by the name of their place in its pattern: "{key}".
using Named = std::vector<std::pair<QString, QString>>;

// In one go from left to right: a word of the text may look like a place.
InspectorSentence sentence_of(const QString& pattern, const Named& words) {
  InspectorSentence result;
  for (qsizetype at = 0; at < pattern.size();) {
    const auto word = std::find_if(words.begin(), words.end(), [&](const auto& one) {
      return QStringView(pattern).mid(at).startsWith(one.first);
    });
    if (word == words.end()) {
      result.rich += QString(pattern[at]).toHtmlEscaped();
      result.plain += pattern[at++];
      continue;
    }
    result.rich += QStringLiteral("<b>%1</b>").arg(word->second.toHtmlEscaped());
    result.plain += word->second;
    at += word->first.size();
  }
  return result;
}

QString name_at(const std::vector<std::string>& words, std::int64_t word) {
  return word >= 0 && word < std::ssize(words) ? QString::fromStdString(words[static_cast<std::size_t>(word)])
                                               : QString::number(word + 1);
}

QString state_text(PartState state) {
  switch (state) {
    case PartState::previous:
      return Text::tr("older");
    case PartState::incremental:
      return Text::tr("new");
    case PartState::whole:
      break;
  }
  return {};
}

// "M2"; of parts without a short name their label.
QString brief_text(Part part) {
  const std::string_view name = part.short_name();
  return name.empty() || name.size() > 3
             ? part_text(part)
             : QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).toUpper();
}

QString gate_text(Quantity quantity) {
  switch (quantity) {
    case Quantity::reset:
      return Text::tr("reset gate");
    case Quantity::input_gate:
      return Text::tr("input gate");
    case Quantity::forget_gate:
      return Text::tr("forget gate");
    case Quantity::output_gate:
      return Text::tr("output gate");
    default:
      return Text::tr("gate");
  }
}

bool repeats(const std::vector<std::int64_t>& leaves) {
  return std::set<std::int64_t>(leaves.begin(), leaves.end()).size() < leaves.size();
}

}  // namespace

QString number_text(double value) {
  const double size = std::abs(value);
  if (value == 0 || !std::isfinite(value)) {
    return value == 0 ? QStringLiteral("0") : QStringLiteral("–");
  }
  if (size < 0.00095) {
    return short_number(value, 'e', 1);
  }
  const int digits = size >= 0.095 ? 2 : size >= 0.0095 ? 3 : 4;
  return QLocale().toString(value, 'f', size >= 10 ? 1 : digits);
}

QString difference_text(double value) {
  const QString text = number_text(std::abs(value));
  return value < 0 ? kMinus + text : QLatin1Char('+') + text;
}

QString list_text(const QStringList& words, qsizetype most) {
  if (words.size() <= 1) {
    return words.join(QString());
  }
  if (words.size() > most) {
    return Text::tr("%1 and %2 others")
        .arg(words.mid(0, most - 1).join(QStringLiteral(", ")))
        .arg(words.size() - most + 1);
  }
  return Text::tr("%1 and %2").arg(words.mid(0, words.size() - 1).join(QStringLiteral(", ")), words.back());
}

QString rank_text(std::int64_t rank) {
  if (rank <= 1) {
    return Text::tr("the largest");
  }
  const std::int64_t last = rank % 10;
  const bool teens = rank % 100 >= 11 && rank % 100 <= 13;
  const QString number = teens || last == 0 || last > 3 ? Text::tr("%1th").arg(rank)
                         : last == 1                    ? Text::tr("%1st").arg(rank)
                         : last == 2                    ? Text::tr("%1nd").arg(rank)
                                                        : Text::tr("%1rd").arg(rank);
  return Text::tr("the %1 largest").arg(number);
}

QString words_text(std::int64_t words) {
  return words == 1 ? Text::tr("1 word") : Text::tr("%1 words").arg(words);
}

QString level_text(app::ClaimLevel level) {
  switch (level) {
    case app::ClaimLevel::algebra:
      return Text::tr("0 algebra");
    case app::ClaimLevel::frozen:
      return Text::tr("1 exact");
    case app::ClaimLevel::summary:
      return Text::tr("2 summary");
    case app::ClaimLevel::causal:
      return Text::tr("3 causal");
    case app::ClaimLevel::none:
      break;
  }
  return {};
}

QString operands_text(Part part) {
  const QString query = state_text(part.description().query);
  const QString key = state_text(part.description().key);
  return query.isEmpty() || key.isEmpty() ? part_text(part) : Text::tr("%1 with %2").arg(query, key);
}

QString place_text(const StackDescription& stack, std::int64_t layer, Part part, bool brief) {
  const QString of_layer = Text::tr("layer %1").arg(layer);
  const auto parts = stack.with(PartRole::attention).size() + stack.directions().size();
  return part == Part::none || parts <= 1
             ? of_layer
             : of_layer + QStringLiteral(", ") + (brief ? brief_text(part) : part_text(part));
}

JoinWords words_of(const app::JoinFacts& join, const std::vector<std::string>& words) {
  JoinWords result{name_at(words, join.query), name_at(words, join.key), {}, {}, {}, {}};
  const auto others = [&words](const std::vector<std::int64_t>& leaves, std::int64_t owner) {
    QStringList names;
    std::set<std::int64_t> seen = {owner};
    for (const std::int64_t leaf : leaves) {
      if (seen.insert(leaf).second) {
        names.push_back(name_at(words, leaf));
      }
    }
    return names;
  };
  result.left = others(join.left_words, join.query);
  result.right = others(join.right_words, join.key);
  for (const std::int64_t leaf : join.left_words) {
    result.left_leaves.push_back(name_at(words, leaf));
  }
  for (const std::int64_t leaf : join.right_words) {
    result.right_leaves.push_back(name_at(words, leaf));
  }
  return result;
}

InspectorSentence join_sentence(const app::JoinFacts& join, const JoinWords& words) {
  const bool left = !words.left.isEmpty();
  const bool right = !words.right.isEmpty();
  const bool fresh_left = join.left_layer + 1 >= join.layer;
  const bool fresh_right = join.right_layer + 1 >= join.layer;
  const QString holder = !left ? QStringLiteral("{query}")
                         : fresh_left
                             ? Text::tr("{query}, which has just joined {held},")
                             : Text::tr("{query}, which holds {held} since layer %1,").arg(join.left_layer);
  const QString taken = join.query == join.key ? Text::tr("itself")
                        : !right               ? QStringLiteral("{key}")
                        : fresh_right
                            ? Text::tr("{key}, which has just joined {taken}")
                            : Text::tr("{key}, which holds {taken} since layer %1").arg(join.right_layer);
  return sentence_of(Text::tr("%1 reads %2.").arg(holder, taken),
                     {{QStringLiteral("{query}"), words.query},
                      {QStringLiteral("{key}"), words.key},
                      {QStringLiteral("{held}"), list_text(words.left)},
                      {QStringLiteral("{taken}"), list_text(words.right)}});
}

KindText kind_text(const app::JoinFacts& join, const JoinWords& words) {
  const bool left = repeats(join.left_words);
  const bool right = repeats(join.right_words);
  switch (join.kind) {
    case 2:
      return {Text::tr("the operands share a word"),
              Text::tr("A word stands in what %1 had and in what it takes in.").arg(words.query)};
    case 3:
      return {Text::tr("an overlap that closes a loop"),
              Text::tr("What %1 takes in leads back to a word that it holds already.").arg(words.query)};
    case 4:
      return {
          left && right ? Text::tr("a loop inherited from both sides")
          : right       ? Text::tr("a loop inherited from the right")
          : left        ? Text::tr("a loop inherited from the left")
                        : Text::tr("an inherited loop"),
          Text::tr("Words read each other in an operand before this join; the join itself adds no loop.")};
    default:
      return {Text::tr("plain"), Text::tr("The operands share no word, and there is no loop.")};
  }
}

InspectorSentence cell_sentence(const QString& query, const QString& key, std::int64_t head, double weight,
                                std::int64_t rank, std::int64_t cells) {
  QString pattern = head > 0
                        ? Text::tr("{weight} of what {query} reads with head %1 comes from {key}.").arg(head)
                        : Text::tr("{weight} of what {query} reads comes from {key}, on average over heads.");
  if (rank > 0) {
    pattern +=
        QLatin1Char(' ') + (cells == 1 ? Text::tr("It is the only cell.")
                                       : Text::tr("It is %1 of %2 cells.").arg(rank_text(rank)).arg(cells));
  }
  return sentence_of(pattern, {{QStringLiteral("{query}"), query},
                               {QStringLiteral("{key}"), key},
                               {QStringLiteral("{weight}"), number_text(weight)}});
}

InspectorSentence word_sentence(const QString& word, std::int64_t layer,
                                const std::vector<std::int64_t>& of_graph,
                                const std::vector<std::string>& words) {
  std::vector<std::int64_t> sorted = of_graph;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  QString text;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool beside = i > 0 && sorted[i] == sorted[i - 1] + 1;
    text += (i == 0   ? QString()
             : beside ? QStringLiteral(" ")
                      : QStringLiteral(" … ")) +
            name_at(words, sorted[i]);
  }
  return sentence_of(sorted.size() <= 1 ? Text::tr("Layer %1 of {word} is mostly the word itself.").arg(layer)
                                        : Text::tr("Layer %1 of {word} is mostly {words}.").arg(layer),
                     {{QStringLiteral("{word}"), word}, {QStringLiteral("{words}"), text}});
}

QString token_name(const Sentence& sentence, std::int64_t token, Pieces pieces) {
  if (token < 0 || token >= std::ssize(sentence.tokens)) {
    return QString::number(token + 1);
  }
  const Token& found = sentence.tokens[static_cast<std::size_t>(token)];
  return QString::fromStdString(found.word >= 0 && found.word < std::ssize(sentence.words)
                                    ? sentence.words[static_cast<std::size_t>(found.word)].text
                                    : analysis::shown_text(found, pieces));
}

ChangeText text_of(const analysis::RunChange& change, const Sentence& sentence, const RecordingHeader& header,
                   bool brief) {
  const Pieces pieces = pieces_of(header.model.tokenizer);
  const QString word = token_name(sentence, change.token, pieces);
  const StackDescription& stack = header.stack();
  QString place = place_text(stack, change.name.layer(), change.name.part(), brief);
  if (change.head > 0) {
    place += QStringLiteral(", ") + Text::tr("head %1").arg(change.head);
  }
  // A narrow column cuts the end: what tells two rows of one word apart comes first there.
  const auto of = [&](const QString& what) {
    return brief ? place + QStringLiteral(": ") + what : what + QStringLiteral(", ") + place;
  };
  switch (change.what) {
    case analysis::RunChange::What::gate:
      return {word, of(gate_text(change.name.quantity()))};
    case analysis::RunChange::What::attention:
      return {
          QStringLiteral("%1 %2 %3").arg(word, QChar(0x2192), token_name(sentence, change.key, pieces)),
          of(change.name.quantity() == Quantity::carry ? Text::tr("carry weight") : Text::tr("attention"))};
    case analysis::RunChange::What::share:
      return {word,
              Text::tr("share of %1, layer %2").arg(part_text(change.name.part())).arg(change.name.layer())};
    case analysis::RunChange::What::head:
      return {word, of(Text::tr("output of a head"))};
    case analysis::RunChange::What::tag:
      break;
  }
  const auto& tasks = header.model.tasks;
  const auto task = tasks.find(change.name.task());
  const QString tag = task != tasks.end() && change.tag < std::ssize(task->second)
                          ? QString::fromStdString(task->second[static_cast<std::size_t>(change.tag)])
                          : QString::number(change.tag + 1);
  const QString task_name = QString::fromStdString(change.name.task());
  return {word, brief ? QStringLiteral("%1 (%2)").arg(tag, task_name)
                      : Text::tr("probability of %1 (%2)").arg(tag, task_name)};
}

}  // namespace mog::gui
