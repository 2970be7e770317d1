#include "app/gui/views/item_models/sentence_table_model.h"

#include <QLocale>
#include <cmath>
#include <limits>

#include "app/gui/views/common/gate_sums.h"

namespace mog::gui {
std::vector<SentenceRow> read_sentence_rows(const RecordingSource& source, std::int64_t first,
                                            std::int64_t count) {
  std::vector<SentenceRow> rows;
  std::vector<Sentence> sentences;
  std::int64_t tokens = 0;
  for (std::int64_t index = first; index < first + count; ++index) {
    sentences.push_back(source.sentence(index));
    tokens += static_cast<std::int64_t>(sentences.back().tokens.size());
  }
  const GateSums gates = gate_sums(source, first, count, tokens);
  std::size_t at = 0;
  for (const Sentence& sentence : sentences) {
    SentenceRow row;
    row.number = sentence.number;
    row.words = static_cast<std::int64_t>(sentence.words.size());
    row.tokens = static_cast<std::int64_t>(sentence.tokens.size());
    row.text = QString::fromStdString(sentence.text);
    double sum = 0;
    std::int64_t counted = 0;
    for (const Token& token : sentence.tokens) {
      if (token.word >= 0 && !gates.sums.empty()) {
        sum += gates.sums[at];
        ++counted;
      }
      ++at;
    }
    row.gate = counted == 0 ? std::numeric_limits<double>::quiet_NaN()
                            : sum / static_cast<double>(counted * gates.layers);
    rows.push_back(std::move(row));
  }
  return rows;
}

SentenceTableModel::SentenceTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void SentenceTableModel::clear() {
  beginResetModel();
  rows_.clear();
  endResetModel();
}

void SentenceTableModel::append(std::vector<SentenceRow> rows) {
  if (rows.empty()) {
    return;
  }
  const int first = static_cast<int>(rows_.size());
  beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
  std::move(rows.begin(), rows.end(), std::back_inserter(rows_));
  endInsertRows();
}

int SentenceTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int SentenceTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant SentenceTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) {
    return {};
  }
  const SentenceRow& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole) {
    return index.column() == kText ? QVariant(int(Qt::AlignLeft | Qt::AlignVCenter))
                                   : QVariant(int(Qt::AlignRight | Qt::AlignVCenter));
  }
  if (role == Qt::ToolTipRole && index.column() == kText) {
    return row.text;
  }
  if (role != Qt::DisplayRole && role != kSortRole) {
    return {};
  }
  const bool sort = role == kSortRole;
  switch (index.column()) {
    case kNumber:
      return sort ? QVariant(static_cast<qlonglong>(row.number)) : QLocale().toString(row.number);
    case kWords:
      return sort ? QVariant(static_cast<qlonglong>(row.words)) : QLocale().toString(row.words);
    case kTokens:
      return sort ? QVariant(static_cast<qlonglong>(row.tokens)) : QLocale().toString(row.tokens);
    case kGate:
      if (std::isnan(row.gate)) {
        return sort ? QVariant(-1.0) : QVariant(QString(QChar(0x2013)));
      }
      return sort ? QVariant(row.gate) : QVariant(QLocale().toString(row.gate, 'f', 3));
    case kText:
      return row.text;
    default:
      return {};
  }
}

QVariant SentenceTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) {
    return {};
  }
  const bool tip = role == Qt::ToolTipRole;
  switch (section) {
    case kNumber:
      return tip ? tr("Place in the corpus, from 1") : tr("No.");
    case kWords:
      return tip ? tr("Words of the corpus, before any splitting into pieces") : tr("Words");
    case kTokens:
      return tip ? tr("Inputs of the model, </s> counted") : tr("Tokens");
    case kGate:
      return tip ? tr("Gate weight (of high and middle order; GRU, LSTM: of the new value), mean over words, "
                      "dimensions and layers")
                 : tr("Gate");
    case kText:
      return tip ? tr("The sentence") : tr("Text");
    default:
      return {};
  }
}

}  // namespace mog::gui
