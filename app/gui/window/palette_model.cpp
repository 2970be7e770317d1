#include "app/gui/window/palette_model.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <map>

#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {
constexpr int kMargin = 12;
}  // namespace

void PaletteModel::show(const std::vector<PaletteRow>& rows, const QString& typed,
                        const QStringList& recent) {
  beginResetModel();
  lines_.clear();
  const std::vector<std::size_t> found = find_rows(rows, typed, recent);
  const bool empty = typed.trimmed().isEmpty();
  std::map<QString, int> sizes;
  const auto group_of = [&](std::size_t at) {
    const PaletteEntry& entry = rows[at].entry;
    return empty && recent.contains(entry.name()) ? tr("Used lately") : entry.group;
  };
  for (const std::size_t at : found) {
    ++sizes[group_of(at)];
  }
  const int most = empty || sizes.size() < 2 ? kMost : kOfGroup;
  QString group;
  int listed = 0;  // of the group
  for (const std::size_t at : found) {
    if (const QString name = group_of(at); name != group) {
      group = name;
      listed = 0;
      const int size = sizes[name];
      lines_.push_back({size > most ? tr("%1: %2 of %3").arg(name).arg(most).arg(size) : name, nullptr});
    }
    if (listed++ < most) {
      lines_.push_back({{}, &rows[at].entry});
    }
  }
  endResetModel();
}

const PaletteEntry* PaletteModel::entry(int row) const {
  return row >= 0 && row < rowCount() ? lines_[static_cast<std::size_t>(row)].entry : nullptr;
}

int PaletteModel::firstEntry() const {
  return next(-1, 1);
}

int PaletteModel::next(int row, int by) const {
  for (int at = row + by; at >= 0 && at < rowCount(); at += by) {
    if (entry(at) != nullptr) {
      return at;
    }
  }
  return row;
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) {
    return {};
  }
  const Line& line = lines_[static_cast<std::size_t>(index.row())];
  if (line.entry == nullptr) {
    return role == Qt::DisplayRole || role == Qt::AccessibleTextRole ? QVariant(line.group) : QVariant();
  }
  const PaletteEntry& entry = *line.entry;
  switch (role) {
    case Qt::DisplayRole:
      return entry.title;
    case Qt::ToolTipRole:
      return entry.enabled || entry.why.isEmpty() ? entry.title : entry.why;
    case Qt::AccessibleTextRole: {
      QStringList said{entry.title};
      for (const QString& more : {entry.detail, entry.key, entry.enabled ? QString() : tr("not now")}) {
        if (!more.isEmpty()) {
          said.push_back(more);
        }
      }
      return said.join(QStringLiteral(", "));
    }
    case Qt::AccessibleDescriptionRole:
      return entry.why;
    default:
      return {};
  }
}

Qt::ItemFlags PaletteModel::flags(const QModelIndex& index) const {
  return entry(index.row()) == nullptr ? Qt::ItemFlags(Qt::NoItemFlags)
                                       : Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

QSize PaletteDelegate::sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& index) const {
  const auto* model = static_cast<const PaletteModel*>(index.model());
  return {100, model->entry(index.row()) == nullptr ? 26 : PaletteModel::kRowHeight};
}

void PaletteDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  const auto* entry = static_cast<const PaletteModel*>(index.model())->entry(index.row());
  const Roles roles = roles_of(option.palette);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  QFont small = option.font;
  small.setPixelSize(11);
  QRect room = option.rect.adjusted(kMargin, 0, -kMargin, 0);
  if (entry == nullptr) {
    small.setWeight(QFont::DemiBold);
    painter->setFont(small);
    painter->setPen(quiet_text(option.palette));
    painter->drawText(room.adjusted(0, 6, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                      index.data(Qt::DisplayRole).toString());
    painter->restore();
    return;
  }
  const bool chosen = option.state.testFlag(QStyle::State_Selected);
  if (chosen || option.state.testFlag(QStyle::State_MouseOver)) {
    painter->setPen(chosen ? QPen(roles.accent, is_high_contrast(option.palette) ? 2 : 1) : QPen(Qt::NoPen));
    painter->setBrush(chosen ? roles.tint : roles.hover);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(4.5, 1.5, -4.5, -1.5), 6, 6);
  }
  if (!entry->key.isEmpty()) {
    painter->setFont(small);
    const int wide = QFontMetrics(small).horizontalAdvance(entry->key) + 12;
    const QRectF badge(room.right() - wide + 1, room.center().y() - 9.5, wide, 20);
    painter->setPen(roles.border);
    painter->setBrush(roles.surface);
    painter->drawRoundedRect(badge, 4, 4);
    painter->setPen(roles.secondary);
    painter->drawText(badge, Qt::AlignCenter, entry->key);
    room.setRight(room.right() - wide - 10);
  }
  QFont type = option.font;
  type.setPixelSize(13);
  const QFontMetrics metrics(type);
  const QString beside = entry->enabled || entry->why.isEmpty() ? entry->detail : entry->why;
  const int title = std::min(metrics.horizontalAdvance(entry->title) + 2,
                             beside.isEmpty() ? room.width() : room.width() * 7 / 10);
  painter->setFont(type);
  painter->setPen(entry->enabled ? roles.ink
                                 : option.palette.color(QPalette::Disabled, QPalette::WindowText));
  painter->drawText(QRect(room.left(), room.top(), title, room.height()), Qt::AlignLeft | Qt::AlignVCenter,
                    metrics.elidedText(entry->title, Qt::ElideRight, title));
  if (!beside.isEmpty()) {
    type.setPixelSize(12);
    painter->setFont(type);
    painter->setPen(quiet_text(option.palette));
    const QRect left = room.adjusted(title + 12, 0, 0, 0);
    painter->drawText(left, Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(type).elidedText(beside, Qt::ElideRight, left.width()));
  }
  painter->restore();
}

}  // namespace mog::gui
