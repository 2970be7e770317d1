#include "app/gui/session/view_state.h"

#include <QElapsedTimer>
#include <QUndoCommand>
#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <utility>

namespace mog::gui {
namespace {

constexpr int kMergeMs = 1000;
constexpr int kMostSteps = 500;
constexpr std::size_t kLongestText = std::size_t{64} << 10U;  // bytes; some thousand arcs set by hand

ViewState::Value value_of_today(const Setting& setting, const ViewState::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return setting.names && text != nullptr ? std::string(app::name_of_today(*setting.names, *text)) : value;
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
      : QUndoCommand(ViewState::tr(state.find(name)->text)),
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

ViewState::ViewState(std::vector<Setting> settings, QObject* parent)
    : QObject(parent), settings_(std::move(settings)), history_(new QUndoStack(this)) {
  history_->setUndoLimit(kMostSteps);
  for (const Setting& one : settings_) {
    values_.emplace(one.name, one.initial);
  }
}

const Setting* ViewState::find(const QString& name) const {
  const auto at = std::find_if(settings_.begin(), settings_.end(),
                               [&name](const Setting& one) { return one.name == name; });
  return at == settings_.end() ? nullptr : &*at;
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
  const Value of_today = known == nullptr ? value : value_of_today(*known, value);
  if (known == nullptr || !allowed(*known, of_today) || values_.at(name) == of_today) {
    return;
  }
  history_->push(new SettingCommand(*this, name, values_.at(name), of_today));
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
  for (const Setting& one : settings_) {
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
