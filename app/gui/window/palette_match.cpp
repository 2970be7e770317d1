#include "app/gui/window/palette_match.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace mog::gui {
namespace {

QStringList words_of(const QString& typed) {
  return folded(typed).simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

bool begins_word(const QString& text, const QString& word) {
  for (qsizetype at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at == 0 || !text[at - 1].isLetterOrNumber()) {
      return true;
    }
  }
  return false;
}

PaletteFit fit_of_words(const PaletteRow& row, const QStringList& words) {
  const auto all = [&words](const auto& holds) { return std::all_of(words.begin(), words.end(), holds); };
  if (all([&row](const QString& word) { return begins_word(row.title, word); })) {
    return row.title.startsWith(words.join(QLatin1Char(' '))) ? PaletteFit::begins : PaletteFit::word_begins;
  }
  if (all([&row](const QString& word) { return row.title.contains(word); })) {
    return PaletteFit::title;
  }
  return all([&row](const QString& word) { return row.title.contains(word) || row.rest.contains(word); })
             ? PaletteFit::beside
             : PaletteFit::none;
}

}  // namespace

QString folded(const QString& text) {
  QString letters = text.normalized(QString::NormalizationForm_KD);
  letters.removeIf([](QChar letter) { return letter.isMark(); });
  return letters.toCaseFolded().replace(QChar(0x00DF), QStringLiteral("ss"));  // ß
}

PaletteRow palette_row(PaletteEntry entry) {
  QString title = folded(entry.title);
  QString rest = folded(entry.detail + QLatin1Char(' ') + entry.group);
  return {std::move(entry), std::move(title), std::move(rest)};
}

PaletteFit fit_of(const PaletteRow& row, const QString& typed) {
  return fit_of_words(row, words_of(typed));
}

std::vector<std::size_t> find_rows(const std::vector<PaletteRow>& rows, const QString& typed,
                                   const QStringList& recent) {
  constexpr qsizetype kNever = std::numeric_limits<qsizetype>::max();
  const QStringList words = words_of(typed);
  struct Found {
    std::size_t row;
    PaletteFit fit;
    qsizetype used;  // places since
  };
  std::vector<Found> found;
  std::map<QString, std::tuple<PaletteFit, std::size_t>> groups;  // best fit, first row
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const PaletteFit fit = words.isEmpty() ? PaletteFit::begins : fit_of_words(rows[at], words);
    if (fit == PaletteFit::none) {
      continue;
    }
    const qsizetype used = recent.isEmpty() ? -1 : recent.indexOf(rows[at].entry.name());
    found.push_back({at, fit, used < 0 ? kNever : used});
    auto& group = groups.try_emplace(rows[at].entry.group, fit, at).first->second;
    std::get<PaletteFit>(group) = std::min(std::get<PaletteFit>(group), fit);
  }
  const auto key = [&](const Found& one) {
    const bool lately = words.isEmpty() && one.used != kNever;
    const auto group =
        lately ? std::tuple(PaletteFit::begins, std::size_t{0}) : groups.at(rows[one.row].entry.group);
    return std::tuple(!lately, group, one.fit, one.used, one.row);
  };
  std::sort(found.begin(), found.end(), [&key](const Found& a, const Found& b) { return key(a) < key(b); });
  std::vector<std::size_t> order;
  order.reserve(found.size());
  for (const Found& one : found) {
    order.push_back(one.row);
  }
  return order;
}

}  // namespace mog::gui
