#include "app/gui/views/inspector/try_it.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/session/intervention_text.h"
#include "app/gui/views/inspector/change_rows.h"
#include "app/gui/views/inspector/inspector_facts.h"
#include "app/gui/views/inspector/section.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/number_box.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

constexpr std::size_t kShown = 6;  // the rest on demand

}  // namespace

TryIt::TryIt(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      field_(new QWidget(this)),
      word_(new QLineEdit(field_)),
      scaled_(new QComboBox(field_)),
      value_(new NumberBox(field_)),
      apply_(new QPushButton(tr("Try"), field_)),
      message_(new RoleLabel(RoleLabel::Role::quiet, this)),
      offer_(new OfferButton(this)),
      condition_(new RoleLabel(RoleLabel::Role::quiet, this)),
      rows_(new Rows(Rows::Kind::changes, tr("Largest changes of what was tried"), this)),
      note_(new RoleLabel(RoleLabel::Role::quiet, this)),
      all_(new QPushButton(this)),
      keep_(new QPushButton(tr("Keep as variant"), this)),
      compare_(new QPushButton(tr("Open in Compare"), this)) {
  build();
  connect(word_, &QLineEdit::returnPressed, this, &TryIt::applyField);
  connect(apply_, &QPushButton::clicked, this, &TryIt::applyField);
  connect(keep_, &QPushButton::clicked, this, [this] { keep(false); });
  connect(compare_, &QPushButton::clicked, this, [this] { keep(true); });
  connect(rows_, &Rows::chosen, this, &TryIt::choose);
  connect(all_, &QPushButton::clicked, this, [this] {
    list_all_ = !list_all_;
    listChanges();
  });
}

const WorkspaceModel* TryIt::itsModel() const {
  const WorkspaceItem* item = context_.workspace.selectedItem();
  return item == nullptr ? nullptr : context_.workspace.modelOf(*item);
}

// A model was closed, or another sentence chosen, and its numbers are on their way.
bool TryIt::ready() const {
  return itsModel() != nullptr && of_ == context_.selection.sentence();
}

TypedSentence TryIt::typedNow() const {
  const WorkspaceItem* item = context_.workspace.selectedItem();
  const auto index = static_cast<std::size_t>(context_.selection.sentence().index);
  return item->kind == WorkspaceItem::Kind::typed ? item->typed.at(index)
                                                  : TypedSentence{sentence_.text, {}, -1};
}

std::vector<std::int64_t> TryIt::tokens() const {
  return target_.token && *target_.token < std::ssize(sentence_.tokens)
             ? tokens_of_word(sentence_, *target_.token)
             : std::vector<std::int64_t>();
}

QString TryIt::targetWord() const {
  if (tokens().empty()) {
    return {};
  }
  const Token& token = sentence_.tokens[static_cast<std::size_t>(*target_.token)];
  return QString::fromStdString(
      token.word >= 0 ? sentence_.words.at(static_cast<std::size_t>(token.word)).text : token.text);
}

void TryIt::setTarget(const Target& target, const Sentence& sentence) {
  if (!(target == target_) && open_) {
    field_->hide();
    open_.reset();
  }
  target_ = target;
  sentence_ = sentence;
  of_ = context_.selection.sentence();
  fill();
}

void TryIt::say(const QString& text) {
  message_->setText(text);
  message_->setVisible(!text.isEmpty());
}

void TryIt::setModelOffer(Offer offer) {
  offer_->setOffer(itsModel() == nullptr ? std::move(offer) : Offer());
}

QRect TryIt::answer() const {
  return condition_->geometry().united(rows_->isHidden() ? message_->geometry() : rows_->geometry());
}

QString TryIt::message() const {
  return message_->isHidden() ? QString() : message_->text();
}

void TryIt::clear() {
  context_.jobs.cancelSlot(QStringLiteral("try-it"));
  tried_.reset();
  found_ = {};
  outputs_.clear();
  effects_.clear();
  list_all_ = false;
  say({});
  for (QWidget* one :
       {static_cast<QWidget*>(condition_), static_cast<QWidget*>(rows_), static_cast<QWidget*>(note_),
        static_cast<QWidget*>(all_), static_cast<QWidget*>(keep_), static_cast<QWidget*>(compare_)}) {
    one->hide();
  }
}

void TryIt::pressed(Choice choice) {
  if (!ready()) {
    return;
  }
  const QString word = targetWord();
  std::vector<model::Intervention> more;
  switch (choice) {
    case Choice::mask:
      for (const std::int64_t token : tokens()) {
        more.emplace_back(model::MaskToken{.sentence = 0, .token = token});
      }
      runMore(more, tr("if nothing may attend to “%1”").arg(word));
      return;
    case Choice::stand_in: {
      const auto standing = stand_in(itsModel()->loaded);
      for (const std::int64_t token : tokens()) {
        more.emplace_back(model::ReplaceToken{.sentence = 0, .token = token, .id = standing->id});
      }
      runMore(more,
              tr("if %1 stands in the place of “%2”").arg(QString::fromStdString(standing->text), word));
      return;
    }
    case Choice::head:
      for (const Part part : target_.parts) {
        more.emplace_back(
            model::ScaleHead{.layer = target_.layer, .part = part, .head = target_.head, .factor = 0});
      }
      runMore(more, tr("if head %1 of layer %2 is cut").arg(target_.head).arg(target_.layer));
      return;
    default:
      openField(choice);
  }
}

void TryIt::replaceWord() {
  const TypedSentence now = typedNow();
  const std::int64_t word = sentence_.tokens.at(static_cast<std::size_t>(*target_.token)).word;
  const QString by = word_->text().trimmed();
  ReplacedWord replaced = replace_word(sentence_, now.interventions, word, by.toStdString(),
                                       *tokenizer_of(itsModel()->loaded, now.words));
  run(std::move(replaced.text), std::move(replaced.interventions),
      by.isEmpty() ? tr("if %1 is left out").arg(targetWord()) : tr("if %1 is %2").arg(targetWord(), by));
}

void TryIt::runMore(const std::vector<model::Intervention>& more, const QString& condition) {
  const TypedSentence now = typedNow();
  std::vector<model::Intervention> all = now.interventions;
  all.insert(all.end(), more.begin(), more.end());
  run(now.text, std::move(all), condition);
}

void TryIt::run(std::string text, std::vector<model::Intervention> interventions, const QString& condition) {
  const auto asked =
      context_.workspace.tryChange(context_.selection.sentence(), std::move(text), std::move(interventions));
  if (!asked) {
    fill();
    return;
  }
  clear();
  say(tr("The model runs…"));
  struct Result {
    TriedChange tried;
    analysis::RunChanges changes;
    std::vector<app::NextToken> outputs;
  };
  context_.jobs.start(
      {.title = [] { return tr("Trying a change"); }, .slot = QStringLiteral("try-it"), .quiet = true}, this,
      [asked = *asked](const JobContext& job) {
        Result result{run_tried(asked, job.stop()), {}, {}};
        job.check();
        const TriedChange& tried = result.tried;
        result.changes =
            analysis::run_changes({*tried.before, tried.before_index}, {*tried.after, 0},
                                  {.heads = heads_of(tried),
                                   .at_most = kMostChanges,
                                   .left_out = set_by_hand(added_interventions(tried.first, tried.changed))});
        try {
          result.outputs = app::next_tokens(
              tried.loaded, {tried.before->sentence(tried.before_index), tried.first.interventions},
              {tried.after->sentence(0), tried.changed.interventions}, job.stop());
        } catch (const ModelError&) {
          // Nothing can be translated, before or after: the changes inside stand without output.
          result.outputs.clear();
        }
        return result;
      },
      [this, condition](Result result) {
        showTried(std::move(result.tried), std::move(result.changes), std::move(result.outputs), condition);
      },
      [this](const QString& message) { say(message.toHtmlEscaped()); });
}

void TryIt::showTried(TriedChange tried, analysis::RunChanges changes, std::vector<app::NextToken> outputs,
                      const QString& condition) {
  tried_ = std::move(tried);
  found_ = std::move(changes);
  outputs_ = std::move(outputs);
  list_all_ = false;
  effects_.clear();
  for (std::size_t i = 0; i < found_.largest.size(); ++i) {
    effects_.push_back({i, false, found_.largest[i].size});
  }
  // Measured as the probabilities of tags are.
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const double difference = std::abs(outputs_[i].after - outputs_[i].before);
    if (difference > analysis::kSmallestChange) {
      effects_.push_back({i, true, difference / analysis::kTagChange});
      ++found_.count;
    }
  }
  std::stable_sort(effects_.begin(), effects_.end(),
                   [](const Effect& left, const Effect& right) { return left.size > right.size; });
  say(found_.count == 0 ? tr("Nothing that was recorded changes.") : QString());
  condition_->setText(condition.toHtmlEscaped());
  condition_->show();
  keep_->show();
  compare_->show();
  listChanges();
  Q_EMIT answered();
  announce(*rows_);
}

void TryIt::listChanges() {
  const Sentence sentence = tried_->after->sentence(0);
  std::vector<Effect> shown = effects_;
  shown.resize(list_all_ ? shown.size() : std::min(kShown, shown.size()));
  std::vector<ValueRow> rows;
  rows.reserve(shown.size());
  for (const Effect& effect : shown) {
    rows.push_back(effect.output
                       ? output_row(outputs_[effect.at], effect.at, sentence_)
                       : change_rows({found_.largest[effect.at]}, sentence, tried_->after->header()).front());
  }
  rows_->setRows(std::move(rows));
  rows_->setVisible(!shown.empty());
  const bool set = !added_interventions(tried_->first, tried_->changed).empty();
  note_->setText(tr("What was set itself is left out."));
  note_->setVisible(set && !shown.empty());
  all_->setVisible(effects_.size() > kShown);
  all_->setText(list_all_ ? tr("Show the largest")
                          : tr("Show all %1 changes").arg(locale().toString(qlonglong{found_.count})));
}

// Tokens of the selected sentence, where it has those of the change.
void TryIt::choose(int row) {
  const Effect& effect = effects_.at(static_cast<std::size_t>(row));
  if (effect.output) {
    // The word of the source that it reads.
    if (const std::int64_t source = outputs_.at(effect.at).source; source >= 0) {
      context_.selection.setToken(source);
      context_.selection.setKey(std::nullopt);
    }
    return;
  }
  const analysis::RunChange& change = found_.largest.at(effect.at);
  std::int64_t token = -1;
  std::int64_t key = -1;
  for (const auto& [before, after] : analysis::paired_tokens(sentence_, tried_->after->sentence(0))) {
    token = after == change.token ? before : token;
    key = after == change.key ? before : key;
  }
  select_change(context_.selection, change, token, key);
}

void TryIt::keep(bool compare) {
  if (!tried_) {
    return;
  }
  const TriedChange tried = *tried_;
  const auto original = context_.workspace.keep(tried);
  if (!original) {
    say(tr("The sentence was closed: it cannot be kept."));
    return;
  }
  clear();
  if (compare) {
    context_.selection.setHeld(*original);
    Q_EMIT asked(QStringLiteral("compare"));
  }
}

}  // namespace mog::gui
