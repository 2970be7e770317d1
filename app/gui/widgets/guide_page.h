// "What is this": the guide of all quantities and views (app/workflow/describe/guide.h) with a search.
#pragma once

#include <QDialog>
#include <QString>
#include <QStringList>
#include <vector>

#include "app/workflow/describe/guide.h"

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace mog::gui {

// A text of the guide in the language of the window.
QString guide_text(std::string_view text);

class GuidePage : public QDialog {
  Q_OBJECT
 public:
  // `own`: entries that the guide of `mog describe` has not.
  explicit GuidePage(QWidget* parent = nullptr, std::vector<const app::GuideEntry*> own = {});
  // An entry by its name, or a quantity by its own; `related` are offered below. Nothing of that name: the
  // list stays as it is.
  void showEntry(const QString& name, const QStringList& related = {});
  void search(const QString& words);
  QString shown() const { return shown_; }
  // Entries that the search leaves.
  int count() const;
  QString text() const;

 private:
  void fill();
  const app::GuideEntry* find(const QString& name) const;
  void print(const app::GuideEntry& entry);
  std::vector<const app::GuideEntry*> own_;
  QLineEdit* find_;
  QListWidget* list_;
  QTextBrowser* page_;
  QString shown_;
  QStringList related_;
};

}  // namespace mog::gui
