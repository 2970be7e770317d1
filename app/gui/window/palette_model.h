// The rows of the palette that fit, under the names of their groups.
#pragma once

#include <QAbstractListModel>
#include <QStyledItemDelegate>
#include <cstdint>
#include <vector>

#include "app/gui/window/palette_match.h"

namespace mog::gui {

class PaletteModel : public QAbstractListModel {
  Q_OBJECT
 public:
  using QAbstractListModel::QAbstractListModel;
  static constexpr int kRowHeight = 32;
  static constexpr int kOfGroup = 6;  // rows of each group, where something is typed and several fit
  static constexpr int kMost = 1000;  // rows that are listed; who wants others types more

  // `rows` outlives the model, or is given anew.
  void show(const std::vector<PaletteRow>& rows, const QString& typed, const QStringList& recent);
  // nullptr: the name of a group.
  const PaletteEntry* entry(int row) const;
  int firstEntry() const;           // -1: nothing fits
  int next(int row, int by) const;  // over names of groups; `row` where there is none
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  struct Line {
    QString group;  // its name, where it begins
    const PaletteEntry* entry = nullptr;
  };
  std::vector<Line> lines_;
};

class PaletteDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace mog::gui
