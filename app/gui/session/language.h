// The language of the window: English, German, or the desktop's. Figures, tables and the words of files stay
// English: they are the same for every reader.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <type_traits>
#include <utility>

class QCoreApplication;

namespace mog::gui {

// Words for the reader that outlive a change of the language: kept as what makes them, in the language of the
// moment they are read. What makes them holds values only.
class ReaderText {
 public:
  ReaderText() = default;
  // Names, which are the same in every language.
  ReaderText(const QString& words) : make_([words] { return words; }) {}
  template <class Make>
  requires std::is_invocable_r_v<QString, const Make&> ReaderText(Make make) : make_(std::move(make)) {}
  QString text() const { return make_ ? make_() : QString(); }

 private:
  std::function<QString()> make_;
};

// "system", "en", "de".
QStringList language_names();
// "Deutsch": as its readers call it; of "system" in the language of the window.
QString language_text(const QString& name);

// Texts of widgets that are there stay as they are; replaces what was installed before. "system", or a name
// that is none, follows the desktop, English where there is no catalogue. Returns the language in use: "en"
// or "de".
QString install_language(QCoreApplication& application, const QString& name);
// What it would return for a name; what it returned last.
QString language_named(const QString& name);
QString language_in_use();

}  // namespace mog::gui
