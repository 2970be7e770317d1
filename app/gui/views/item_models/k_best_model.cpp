#include "app/gui/views/item_models/k_best_model.h"
#include "app/gui/widgets/number_box.h"

#include <QLocale>
#include <algorithm>
#include <utility>

namespace mog::gui {

QString kind_text(int kind) {
  switch (kind) {
    case 0:
      return KBestModel::tr("0 word");
    case 1:
      return KBestModel::tr("1 simple");
    case 2:
      return KBestModel::tr("2 overlap");
    case 3:
      return KBestModel::tr("3 overlap and loop");
    case 4:
      return KBestModel::tr("4 loop");
    default:
      return QString::number(kind);
  }
}

namespace {

// An expression is read from left to right in every script: "(a)->b" with words that run from right to left
// would be turned round as a whole. Each such word is isolated from what stands around it (Unicode's first
// strong isolate), and the whole begins from the left.
QString from_left_to_right(const QString& expression) {
  constexpr QChar kFromLeft(0x200E);
  constexpr QChar kIsolate(0x2068);
  constexpr QChar kEnd(0x2069);
  const auto leftwards = [](QChar letter) {
    return letter.direction() == QChar::DirR || letter.direction() == QChar::DirAL;
  };
  if (std::none_of(expression.cbegin(), expression.cend(), leftwards)) {
    return expression;
  }
  QString result(kFromLeft);
  QString word;
  const auto end_word = [&] {
    const bool alone = std::any_of(word.cbegin(), word.cend(), leftwards);
    result += alone ? kIsolate + word + kEnd : word;
    word.clear();
  };
  for (qsizetype i = 0; i < expression.size(); ++i) {
    const QChar letter = expression[i];
    const bool arrow = letter == QLatin1Char('-') && expression.mid(i, 2) == QLatin1String("->");
    if (arrow || letter == QLatin1Char(' ') || letter == QLatin1Char('(') || letter == QLatin1Char(')')) {
      end_word();
      result += arrow ? QStringLiteral("->") : QString(letter);
      i += arrow ? 1 : 0;
    } else {
      word += letter;
    }
  }
  end_word();
  return result;
}

}  // namespace

KBestModel::KBestModel(QObject* parent) : QAbstractTableModel(parent) {}

void KBestModel::setDerivations(std::vector<analysis::Derivation> derivations, Mode mode) {
  beginResetModel();
  mode_ = mode;
  derivations_ = std::move(derivations);
  endResetModel();
}

int KBestModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(derivations_.size());
}

int KBestModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant KBestModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) {
    return {};
  }
  const analysis::Derivation& derivation = derivations_[static_cast<std::size_t>(index.row())];
  const analysis::KBestEntry& entry = derivation.entry;
  if (role == Qt::TextAlignmentRole) {
    return index.column() > kKind ? int(Qt::AlignLeft | Qt::AlignVCenter)
                                  : int(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole) {
    return index.column() == kExpression ? from_left_to_right(QString::fromStdString(derivation.annotated))
           : index.column() == kKind     ? kind_text(entry.kind)
           : index.column() == kMass     ? tr("%1 derivations read off as this expression")
                                           .arg(in_language(QString::number(entry.derivations, 'g', 6)))
                                     : from_left_to_right(QString::fromStdString(derivation.text));
  }
  if (role != Qt::DisplayRole) {
    return {};
  }
  const QLocale locale;
  switch (index.column()) {
    case kRank:
      return entry.rank;
    case kWeight:
      return locale.toString(entry.weight, 'g', 3);
    case kMass:
      return locale.toString(entry.mass, 'g', 3);
    case kOrder:
      return entry.order;
    case kKind:
      return entry.kind;
    case kExpression:
      return from_left_to_right(QString::fromStdString(derivation.text));
    default:
      return {};
  }
}

QVariant KBestModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole && section == kExpression) {
    return int(Qt::AlignLeft | Qt::AlignVCenter);
  }
  if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) {
    return {};
  }
  const bool tip = role == Qt::ToolTipRole;
  switch (section) {
    case kRank:
      return mode_ == Mode::by_weight ? (tip ? tr("Place by weight") : tr("k"))
                                      : (tip ? tr("Words with repeats") : tr("Leaves"));
    case kWeight:
      return tip ? tr("Probability of the best derivation") : tr("Weight");
    case kMass:
      return tip ? tr("Sum over all derivations of the same expression") : tr("Mass");
    case kOrder:
      return tip ? tr("Different words") : tr("Order");
    case kKind:
      return tip ? tr("Of the last join: 1 simple, 2 overlap, 3 overlap and loop, 4 inherited loop; 0: a "
                      "word")
                 : tr("Kind");
    case kExpression:
      return tip ? tr("Canonical text") : tr("Expression");
    default:
      return {};
  }
}

}  // namespace mog::gui
