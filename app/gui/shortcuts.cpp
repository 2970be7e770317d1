#include "app/gui/shortcuts.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace mog::gui {

QList<ShortcutGroup> shortcut_groups() {
  const auto tr = [](const char* text) { return ShortcutPage::tr(text); };
  return {{tr("Look"),
           {{tr("Left, Right"), tr("token before, next token")},
            {tr("Up, Down"), tr("layer before, next layer")},
            {QStringLiteral("[ ]"), tr("head before, next head; before the first: the mean")},
            {QStringLiteral("1 2 3 4"), tr("part: high, middle 1, middle 2, low")},
            {QStringLiteral("0"), tr("all parts, averaged")},
            {QStringLiteral("W"), tr("words or pieces")},
            {QStringLiteral("S"), tr("special tokens: in the matrix, in matrix and arcs, nowhere")},
            {QStringLiteral("T"), tr("threshold of the arcs")},
            {QStringLiteral("X"), tr("take the head out of the means, or in again")},
            {tr("Shift+X"), tr("only this head in the means; once more: all")},
            {QStringLiteral("D"), tr("hold this sentence to compare others with it, or let go")},
            {QStringLiteral("P"), tr("pin the token under the pointer, or let go")},
            {tr("Page Up, Page Down"), tr("sentence before, next sentence")}}},
          {tr("Pictures"),
           {{tr("Ctrl+wheel, + -"), tr("zoom")},
            {tr("wheel, drag"), tr("move a zoomed picture")},
            {QStringLiteral("*"), tr("fit into the view")},
            {tr("Ctrl+K"), tr("copy the mog command that makes the same figure")},
            {tr("Ctrl+Shift+C"), tr("copy the read-out")},
            {tr("Ctrl+E"), tr("export the view as SVG, PDF or PNG, with its numbers")}}},
          {tr("Work"),
           {{tr("Ctrl+O"), tr("open a model or a recording")},
            {tr("Ctrl+Shift+O"), tr("open a file, e.g. recording.h5")},
            {tr("Ctrl+S, Ctrl+Shift+S"), tr("save the session, under another name")},
            {tr("Ctrl+Z, Ctrl+Shift+Z"), tr("undo, redo")},
            {tr("Ctrl+L"), tr("type a sentence")},
            {tr("Ctrl+R"), tr("run the typed sentence")},
            {QStringLiteral("/"), tr("find in the sentences")},
            {tr("Esc"), tr("show all sentences again; let go of the token")},
            {tr("F1"), tr("this page")},
            {tr("Ctrl+Q"), tr("quit")}}}};
}

ShortcutPage::ShortcutPage(QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Keys"));
  auto* column = new QVBoxLayout(this);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(24);
  grid->setVerticalSpacing(4);
  int line = 0;
  for (const ShortcutGroup& group : shortcut_groups()) {
    auto* title = new QLabel(group.title, this);
    QFont bold = title->font();
    bold.setBold(true);
    title->setFont(bold);
    grid->setRowMinimumHeight(line, line == 0 ? 0 : 28);
    grid->addWidget(title, line++, 0, 1, 2, Qt::AlignBottom);
    for (const ShortcutRow& row : group.rows) {
      auto* keys = new QLabel(row.keys, this);
      auto* meaning = new QLabel(row.meaning, this);
      keys->setTextInteractionFlags(Qt::TextSelectableByKeyboard | Qt::TextSelectableByMouse);
      grid->addWidget(keys, line, 0);
      grid->addWidget(meaning, line++, 1);
    }
  }
  column->addLayout(grid);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  column->addWidget(buttons);
}

}  // namespace mog::gui
