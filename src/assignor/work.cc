#include "assignor/work.h"

#include <algorithm>

namespace fencepost::assignor {
namespace {

template <class Set>
void remove_from(Set& set, const Set& other) {
  for (const auto& item : other) set.erase(item);
}

template <class Set>
bool meet(const Set& a, const Set& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& item) { return b.contains(item); });
}

template <class T, class Set>
std::vector<T> take_from(std::vector<T>& list, const Set& set) {
  const auto kept = std::stable_partition(list.begin(), list.end(), [&](const T& item) { return !set.contains(item); });
  std::vector<T> out(std::make_move_iterator(kept), std::make_move_iterator(list.end()));
  list.erase(kept, list.end());
  return out;
}

}  // namespace

bool JavaLess::operator()(std::string_view a, std::string_view b) const {
  const auto [at, bt] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at == a.end() || bt == b.end()) return at == a.end() && bt != b.end();
  const auto x = static_cast<unsigned char>(*at);
  const auto y = static_cast<unsigned char>(*bt);
  // Lead bytes from F0 stand for surrogate pairs (D800 and up), which UTF-16 puts before EE and EF (E000 to FFFF).
  if (x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0)) return x >= 0xF0;
  return x < y;
}

bool JavaLess::operator()(const TaskId& a, const TaskId& b) const {
  if (a.connector != b.connector) return (*this)(std::string_view(a.connector), std::string_view(b.connector));
  return a.task < b.task;
}

void Work::add(const Work& other) {
  connectors.insert(other.connectors.begin(), other.connectors.end());
  tasks.insert(other.tasks.begin(), other.tasks.end());
}

void Work::remove(const Work& other) {
  remove_from(connectors, other.connectors);
  remove_from(tasks, other.tasks);
}

Work Work::without(const Work& other) const {
  Work out = *this;
  out.remove(other);
  return out;
}

bool Work::intersects(const Work& other) const { return meet(connectors, other.connectors) || meet(tasks, other.tasks); }

Work all_of(const Configured& configured) {
  Work out;
  for (const auto& [connector, tasks] : configured) {
    out.connectors.insert(connector);
    for (std::int32_t i = 0; i < tasks; ++i) out.tasks.insert({connector, i});
  }
  return out;
}

Load Load::take(const Work& work) { return {take_from(connectors, work.connectors), take_from(tasks, work.tasks)}; }

Work work_of(const Load& load) {
  Work out;
  out.connectors.insert(load.connectors.begin(), load.connectors.end());
  out.tasks.insert(load.tasks.begin(), load.tasks.end());
  return out;
}

}  // namespace fencepost::assignor
