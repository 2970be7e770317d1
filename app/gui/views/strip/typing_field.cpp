#include "app/gui/views/strip/typing_field.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/widgets/accessibility.h"

namespace mog::gui {
namespace {
constexpr int kControl = 28;  // pixels high
}

TypingField::TypingField(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      typing_(new QLineEdit(this)),
      words_(new Combo(this)),
      run_(new QToolButton(this)) {
  typing_->setAccessibleName(tr("Type a sentence"));
  typing_->setClearButtonEnabled(true);
  typing_->setMinimumHeight(kControl);
  name_clear_button(*typing_);
  run_->setText(tr("Run"));
  run_->setToolTip(tr("Run the model on this sentence (Enter, Ctrl+R)"));
  set_label(*words_, tr("Words of the sentence"));
  words_->setToolTip(
      tr("How the text is cut into words: as the model says (auto), at spaces (text that is cut already), as "
         "English treebanks of Universal Dependencies are (ud-en), into characters"));
  for (const char* cut : {"auto", "spaces", "ud-en", "characters"}) {
    words_->addItem(QString::fromLatin1(cut));
  }
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  column->addWidget(typing_);
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  row->addWidget(words_);
  row->addStretch(1);
  row->addWidget(run_);
  column->addLayout(row);
  connect(&context_.workspace, &Workspace::itemAdded, this, &TypingField::update);
  connect(&context_.workspace, &Workspace::itemRemoved, this, &TypingField::update);
  connect(&context_.workspace, &Workspace::allRemoved, this, &TypingField::update);
  connect(&context_.workspace, &Workspace::modelChanged, this, &TypingField::update);
  connect(&context_.workspace, &Workspace::runningChanged, this, &TypingField::update);
  connect(&context_.selection, &SelectionModel::sentenceChanged, this, &TypingField::update);
  connect(typing_, &QLineEdit::returnPressed, this, qOverload<>(&TypingField::run));
  connect(typing_, &QLineEdit::textChanged, this, &TypingField::update);
  connect(run_, &QToolButton::clicked, this, qOverload<>(&TypingField::run));
  connect(words_, &QComboBox::textActivated, this,
          [this](const QString& cut) { context_.state.set(setting::kTypedWords, cut); });
  connect(&context_.state, &ViewState::changed, this, [this](const QString& name) {
    if (name == setting::kTypedWords) {
      words_->setCurrentText(context_.state.choice(name));
    }
  });
  update();
}

void TypingField::focusTyping() {
  typing_->setFocus(Qt::ShortcutFocusReason);
  typing_->selectAll();
}

void TypingField::run() {
  if (typing_->text().trimmed().isEmpty()) {
    focusTyping();
    return;
  }
  run(typing_->text());
  Q_EMIT ran();
  if (!typing_->hasFocus()) {
    typing_->setCursorPosition(0);
  }
}

void TypingField::run(const QString& text) {
  context_.workspace.runSentence(
      text, model::parse_word_cut(context_.state.choice(setting::kTypedWords).toStdString()));
}

void TypingField::update() {
  const WorkspaceModel* model = context_.workspace.currentModel();
  typing_->setEnabled(model != nullptr);
  words_->setVisible(model != nullptr);
  run_->setVisible(model != nullptr);
  typing_->setPlaceholderText(model == nullptr ? tr("Open a model first") : tr("Type a sentence"));
  typing_->setToolTip(model == nullptr ? tr("A sentence is run by a model: open one with Ctrl+O")
                                       : tr("A sentence for %1").arg(model->name));
  run_->setEnabled(!typing_->text().trimmed().isEmpty());
}

}  // namespace mog::gui
