#include "app/gui/views/parse/set_arcs.h"

#include <QCryptographicHash>
#include <QStringList>
#include <algorithm>

#include "io/recording/errors.h"

namespace mog::gui {

using app::TreeArc;
using app::TreeConstraints;

namespace {

// Tells sentences apart in few letters.
QString key_of(const QString& sentence) {
  return QString::fromLatin1(
      QCryptographicHash::hash(sentence.toUtf8(), QCryptographicHash::Sha256).toHex().left(12));
}

}  // namespace

QString set_arcs_text(const TreeConstraints& arcs, const QString& sentence) {
  if (arcs.empty()) {
    return {};
  }
  QStringList words;
  const auto add = [&words](QChar sign, const std::vector<TreeArc>& list) {
    for (const TreeArc& arc : list) {
      words.push_back(sign + QString::fromStdString(app::tree_arc_text(arc)));
    }
  };
  add(QLatin1Char('+'), arcs.forced);
  add(QLatin1Char('-'), arcs.forbidden);
  return words.join(QLatin1Char(' ')) + QLatin1Char('|') + key_of(sentence);
}

TreeConstraints set_arcs_of(const QString& setting, const QString& sentence) {
  const qsizetype bar = setting.indexOf(QLatin1Char('|'));
  TreeConstraints arcs;
  if (bar < 0 || setting.mid(bar + 1) != key_of(sentence)) {
    return arcs;
  }
  for (const QString& word : setting.left(bar).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    try {
      const TreeArc arc = app::parse_tree_arc("arc", word.mid(1).toStdString());
      (word.startsWith(QLatin1Char('+')) ? arcs.forced : arcs.forbidden).push_back(arc);
    } catch (const UsageError&) {
      return {};  // a session that was edited
    }
  }
  return arcs;
}

ArcSetting setting_of(const TreeConstraints& arcs, const TreeArc& arc) {
  const auto has = [&arc](const std::vector<TreeArc>& list) {
    return std::find(list.begin(), list.end(), arc) != list.end();
  };
  return has(arcs.forced)      ? ArcSetting::forced
         : has(arcs.forbidden) ? ArcSetting::forbidden
                               : ArcSetting::none;
}

TreeConstraints with_arc(TreeConstraints arcs, const TreeArc& arc, ArcSetting set) {
  std::erase(arcs.forbidden, arc);
  std::erase_if(arcs.forced, [&](const TreeArc& other) {
    const bool same_word = other.dependent == arc.dependent;
    const bool same_root = arc.head == 0 && other.head == 0;
    return other == arc || (set == ArcSetting::forced && (same_word || same_root));
  });
  if (set != ArcSetting::none) {
    (set == ArcSetting::forced ? arcs.forced : arcs.forbidden).push_back(arc);
  }
  return arcs;
}

}  // namespace mog::gui
