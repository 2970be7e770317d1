#include "app/gui/session/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <vector>

// Outside of every namespace, as Qt asks.
static void open_catalogues() {
  Q_INIT_RESOURCE(mog_translations);
}

namespace mog::gui {
namespace {

QString in_use = QStringLiteral("en");

QString of_desktop() {
  for (const QString& language : QLocale::system().uiLanguages()) {
    QString code = language.left(2).toLower();
    if (language_names().contains(code)) {
      return code;
    }
  }
  return QStringLiteral("en");
}

}  // namespace

QStringList language_names() {
  return {QStringLiteral("system"), QStringLiteral("en"), QStringLiteral("de")};
}

QString language_text(const QString& name) {
  if (name == QLatin1String("en")) {
    return QStringLiteral("English");
  }
  return name == QLatin1String("de") ? QStringLiteral("Deutsch")
                                     : QCoreApplication::translate("Language", "As the &system");
}

QString language_named(const QString& name) {
  const bool known = language_names().contains(name) && name != language_names().front();
  return known ? name : of_desktop();
}

QString language_in_use() {
  return in_use;
}

QString install_language(QCoreApplication& application, const QString& name) {
  open_catalogues();
  static std::vector<QTranslator*> installed;
  for (QTranslator* translator : installed) {
    QCoreApplication::removeTranslator(translator);
    delete translator;
  }
  installed.clear();
  QString language = language_named(name);
  in_use = language;
  // Numbers have the form of the language of their text. Figures, files and commands are English. Groups of
  // digits stand apart by commas in English alone: a German point could be taken for a decimal one.
  QLocale numbers = language == QLatin1String("en") ? QLocale::c() : QLocale(language);
  numbers.setNumberOptions(language == QLatin1String("en") ? QLocale::DefaultNumberOptions
                                                           : QLocale::OmitGroupSeparator);
  QLocale::setDefault(numbers);
  if (language == QLatin1String("en")) {
    return language;
  }
  const auto install = [&application](const QString& file, const QString& folder) {
    auto* translator = new QTranslator(&application);
    if (translator->load(file, folder)) {
      QCoreApplication::installTranslator(translator);
      installed.push_back(translator);
    } else {
      delete translator;
    }
  };
  // Standard buttons and names of keys: ours, then Qt's own catalogue where it is installed, which knows
  // more.
  const QString ours = QStringLiteral(":/translations");
  install(QStringLiteral("qt_") + language, ours);
  install(QStringLiteral("qtbase_") + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
  install(QStringLiteral("mog_") + language, ours);
  return language;
}

}  // namespace mog::gui
