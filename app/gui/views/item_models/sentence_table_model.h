// The sentences of one recording as a table: number, words, tokens, mean gate, text.
#pragma once

#include <QAbstractTableModel>
#include <cstdint>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::gui {

struct SentenceRow {
  std::int64_t number = 0;  // in the corpus, from 1
  std::int64_t words = 0;
  std::int64_t tokens = 0;
  double gate = 0;  // mean over words and layers; NaN when not recorded
  QString text;
};

class SentenceTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kNumber, kWords, kTokens, kGate, kText, kColumns };
  // Numbers for sorting and filters; text as shown otherwise.
  static constexpr int kSortRole = Qt::UserRole;

  explicit SentenceTableModel(QObject* parent = nullptr);
  void clear();
  // Rows come in the order of the recording: row = index of the sentence.
  void append(std::vector<SentenceRow> rows);
  const SentenceRow& row(int row) const { return rows_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<SentenceRow> rows_;
};

// Reads rows [first, first + count). On a worker.
std::vector<SentenceRow> read_sentence_rows(const RecordingSource& source, std::int64_t first,
                                            std::int64_t count);

}  // namespace mog::gui
