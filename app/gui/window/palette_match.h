// What can be found in the palette, and what of it fits what is typed: the same text gives the same order.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

namespace mog::gui {

struct PaletteEntry {
  QString group;   // "Actions"
  QString title;   // "Export…"
  QString key;     // "Ctrl+E"
  QString detail;  // where it is from: "File"
  std::function<void()> run;
  bool enabled = true;
  QString why = {};  // it is not enabled
  // What is remembered of it when it was used.
  QString name() const { return group + QLatin1Char('\t') + title; }
};

// With the letters that are compared: without case and accents.
struct PaletteRow {
  PaletteEntry entry;
  QString title;
  QString rest;  // detail and group
};
PaletteRow palette_row(PaletteEntry entry);
QString folded(const QString& text);

// How well a row fits the words; smaller is better.
enum class PaletteFit : std::uint8_t {
  begins,       // the title begins with all that is typed
  word_begins,  // every word that is typed begins one of the title
  title,        // all words stand in the title
  beside,       // all stand in the title or beside it
  none,
};
PaletteFit fit_of(const PaletteRow& row, const QString& typed);

// Rows that fit, the groups together: the group with the best fit first, then as given; in a group by fit,
// then what was used lately, then as given. Nothing typed: everything, what was used lately first.
// `recent`: PaletteEntry::name, the last first.
std::vector<std::size_t> find_rows(const std::vector<PaletteRow>& rows, const QString& typed,
                                   const QStringList& recent);

}  // namespace mog::gui
