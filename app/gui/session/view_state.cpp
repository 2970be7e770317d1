#include "app/gui/session/view_state.h"

#include <QElapsedTimer>
#include <QUndoCommand>
#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "app/gui/session/language.h"
#include "app/workflow/common/former_names.h"

namespace mog::gui {
namespace {

constexpr int kMergeMs = 1000;
constexpr int kMostSteps = 500;
constexpr std::size_t kLongestText = 200;

// What a setting is at first, how it is called in "Undo …", and what it may be.
struct Setting {
  QString name;
  ViewState::Value initial;
  QString text;
  QStringList choices;  // of a text; empty: any short one
  double low = 0;       // of a number, and of the numbers of a list
  double high = 0;
  std::optional<app::NameOf> names{};  // of a text: names that had others in earlier versions
};

ViewState::Value value_of_today(const Setting& setting, const ViewState::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return setting.names && text != nullptr ? std::string(app::name_of_today(*setting.names, *text)) : value;
}

const std::vector<Setting>& settings() {
  using namespace setting;
  const auto words = [](std::initializer_list<const char*> list) {
    QStringList result;
    for (const char* word : list) {
      result.push_back(QString::fromLatin1(word));
    }
    return result;
  };
  static std::map<QString, std::vector<Setting>> in_languages;  // the texts are those of the window
  std::vector<Setting>& all = in_languages[language_in_use()];
  if (!all.empty()) {
    return all;
  }
  all = {
      {kAttentionShow, std::string("both"), ViewState::tr("matrix and arcs"),
       words({"both", "matrix", "arcs"}), 0, 0},
      {kAttentionPieces, true, ViewState::tr("words or pieces"), {}, 0, 0},
      {kAttentionSpecial, std::string("matrix"), ViewState::tr("special tokens"),
       words({"matrix", "both", "none"}), 0, 0},
      {kAttentionThreshold, -1.0, ViewState::tr("threshold"), {}, -1, kGreatestThreshold},
      {kAttentionBlock, std::vector<double>{0, 0}, ViewState::tr("block of a pair"), {}, 0, 1000},
      {kHeadsOff, std::vector<double>{}, ViewState::tr("heads"), {}, 1, 100000},
      {kGatesShow, std::string("layers"), ViewState::tr("gates"), words({"layers", "dimensions"}), 0, 0},
      {kGraphsShow, std::string("tree"), ViewState::tr("tree or arcs"), words({"tree", "arcs"}), 0, 0},
      {kGraphsList, std::string("by-leaves"), ViewState::tr("list of graphs"), words({"by-leaves", "best"}),
       0, 0, app::NameOf::mode},
      {kAttentionColours, std::string("root"), ViewState::tr("colours of the maps"), words({"root", "even"}),
       0, 0},
      {kWeightsMeasure, std::string("gate"), ViewState::tr("quantity"),
       words({"gate", "share", "entropy", "max", "leaves"}), 0, 0, app::NameOf::quantity},
      {kWeightsShow, std::string("length"), ViewState::tr("weight by length or layer"),
       words({"length", "layer", "difference"}), 0, 0},
      {kCompareWhat, std::string("attention"), ViewState::tr("what is compared"),
       words({"attention", "gate", "corpus"}), 0, 0},
      {kCompareMeasure, std::string("gate"), ViewState::tr("quantity"),
       words({"gate", "share", "entropy", "max", "leaves"}), 0, 0, app::NameOf::quantity},
      {kComparePairs, std::string("text"), ViewState::tr("pairs"), words({"text", "partial", "number"}), 0,
       0},
      {kFiguresKind, std::string("leaves-by-layer"), ViewState::tr("figure"), {}, 0, 0, app::NameOf::figure},
      {kFiguresQuantity, std::string(), ViewState::tr("quantity"), {}, 0, 0},
      {kLayout, std::string("look"), ViewState::tr("layout"), words({"look", "count", "compare", "syntax"}),
       0, 0},
      {kTypedWords, std::string("auto"), ViewState::tr("words of typed sentences"),
       words({"auto", "spaces", "ud-en", "characters"}), 0, 0},
      {kDecomposed, std::string("score"), ViewState::tr("what is decomposed"),
       words({"score", "weight", "values", "state", "sources"}), 0, 0},
      {kFlowThreshold, -1.0, ViewState::tr("threshold of the flow"), {}, -1, 1},
      {kFlowState, std::string(), ViewState::tr("state of the flow"), {}, 0, 0},
  };
  return all;
}

const Setting* find(const QString& name) {
  const auto at = std::find_if(settings().begin(), settings().end(),
                               [&name](const Setting& one) { return one.name == name; });
  return at == settings().end() ? nullptr : &*at;
}

bool allowed(const Setting& setting, const ViewState::Value& value) {
  if (value.index() != setting.initial.index()) {
    return false;
  }
  const auto inside = [&setting](double number) {
    return std::isfinite(number) && number >= setting.low && number <= setting.high;
  };
  if (const auto* number = std::get_if<double>(&value)) {
    return inside(*number);
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return setting.choices.isEmpty() ? text->size() <= kLongestText
                                     : setting.choices.contains(QString::fromStdString(*text));
  }
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    const std::size_t fixed = std::get<std::vector<double>>(setting.initial).size();
    return std::all_of(list->begin(), list->end(),
                       [&](double number) { return inside(number) && number == std::floor(number); }) &&
           (fixed == 0 || list->size() == fixed);
  }
  return true;
}

}  // namespace

class SettingCommand : public QUndoCommand {
 public:
  SettingCommand(ViewState& state, const QString& name, ViewState::Value before, ViewState::Value after)
      : QUndoCommand(find(name)->text),
        state_(state),
        name_(name),
        before_(std::move(before)),
        after_(std::move(after)) {
    clock_.start();
  }
  // Of numbers only: a switch that goes forth and back is two steps.
  int id() const override { return std::holds_alternative<double>(after_) ? 1 : -1; }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* next = static_cast<const SettingCommand*>(other);
    if (next->name_ != name_ || clock_.elapsed() > kMergeMs) {
      return false;
    }
    after_ = next->after_;
    clock_.restart();
    setObsolete(after_ == before_);
    return true;
  }

  void undo() override { state_.apply(name_, before_); }
  void redo() override { state_.apply(name_, after_); }

 private:
  ViewState& state_;
  QString name_;
  ViewState::Value before_;
  ViewState::Value after_;
  QElapsedTimer clock_;
};

ViewState::ViewState(QObject* parent) : QObject(parent), history_(new QUndoStack(this)) {
  history_->setUndoLimit(kMostSteps);
  for (const Setting& one : settings()) {
    values_.emplace(one.name, one.initial);
  }
}

const ViewState::Value& ViewState::value(const QString& name) const {
  return values_.at(name);
}

bool ViewState::flag(const QString& name) const {
  return std::get<bool>(value(name));
}
double ViewState::number(const QString& name) const {
  return std::get<double>(value(name));
}
QString ViewState::choice(const QString& name) const {
  return QString::fromStdString(std::get<std::string>(value(name)));
}
std::vector<std::int64_t> ViewState::list(const QString& name) const {
  std::vector<std::int64_t> result;
  for (const double one : std::get<std::vector<double>>(value(name))) {
    result.push_back(static_cast<std::int64_t>(one));
  }
  return result;
}

void ViewState::set(const QString& name, const Value& value) {
  const Setting* known = find(name);
  if (known == nullptr || !allowed(*known, value) || values_.at(name) == value) {
    return;
  }
  history_->push(new SettingCommand(*this, name, values_.at(name), value));
}

void ViewState::apply(const QString& name, const Value& value) {
  values_[name] = value;
  Q_EMIT changed(name);
}

std::map<std::string, ViewState::Value> ViewState::values() const {
  std::map<std::string, Value> result;
  for (const auto& [name, value] : values_) {
    result.emplace(name.toStdString(), value);
  }
  return result;
}

QStringList ViewState::restore(const std::map<std::string, Value>& stored) {
  history_->clear();
  QStringList refused;
  std::map<std::string, Value> values;
  for (const auto& [name, value] : stored) {
    const Setting* known = find(QString::fromStdString(name));
    values.emplace(name, known == nullptr ? value : value_of_today(*known, value));
    if (known == nullptr || !allowed(*known, values.at(name))) {
      refused.push_back(QString::fromStdString(name));
    }
  }
  for (const Setting& one : settings()) {
    const auto at = values.find(one.name.toStdString());
    const Value wanted = at != values.end() && allowed(one, at->second) ? at->second : one.initial;
    if (values_.at(one.name) != wanted) {
      apply(one.name, wanted);
    }
  }
  return refused;
}

std::vector<std::int64_t> heads_of_mean(const ViewState& state, std::int64_t heads) {
  const auto off = state.list(setting::kHeadsOff);
  std::vector<std::int64_t> on;
  for (std::int64_t head = 1; head <= heads; ++head) {
    if (std::find(off.begin(), off.end(), head) == off.end()) {
      on.push_back(head);
    }
  }
  const bool all = static_cast<std::int64_t>(on.size()) == heads;
  return all ? std::vector<std::int64_t>{} : on;
}

}  // namespace mog::gui
