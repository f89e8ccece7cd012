#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "json/parse.h"
#include "json/writer.h"
#include "rest/answers.h"
#include "rest/routes/handlers.h"
#include "rest/routes/task_number.h"

namespace fencepost::rest::routes {
namespace {

/// The URL of a worker of this group, by its id: all listen as this one does.
std::string url_of(const Services& services, const std::string& worker_id) {
  const std::string& own = services.advertised_url;
  return own.substr(0, own.find("://")) + "://" + worker_id + "/";
}

/// The tasks of a connector by the worker that they are on; those that are on none are under the empty name.
using Owners = std::map<std::string, std::vector<std::int32_t>>;

Owners owners_of(const herder::ConnectorView& view) {
  Owners out;
  for (const TaskId& task : view.info.tasks) {
    std::string worker;
    if (view.status) {
      for (const herder::TaskStateInfo& info : view.status->tasks) {
        if (info.task == task.task && info.state.state != "UNASSIGNED") worker = info.state.worker_id;
      }
    }
    out[worker].push_back(task.task);
  }
  return out;
}

/// A connector as the herder showed it last; answers the call where there is none.
const herder::ConnectorView* find_connector(const Call& call, const herder::View* views, std::optional<HttpReply>& refusal) {
  const auto at = views == nullptr ? herder::View::const_iterator() : views->find(call.parameter(0));
  if (views != nullptr && at != views->end()) return at->second.get();
  refusal = error_reply(404, "Connector " + call.parameter(0) + " not found");
  return nullptr;
}

/// Collects what the workers say of their tasks, and answers when all have spoken.
class Gathering : public std::enable_shared_from_this<Gathering> {
 public:
  Gathering(CallPtr call, std::size_t parts) : call_(std::move(call)), missing_(parts) {}

  void ask_here(TransactionsQuery query) {
    call_->services().port.transactions(std::move(query), [self = shared_from_this()](Result<std::vector<std::string>> rows) {
      if (rows) {
        self->add(*std::move(rows));
      } else {
        self->give_up(rows.error());
      }
    });
  }

  /// A worker that does not answer is named beside what its coordinator says.
  void ask_owner(const std::string& worker, const Properties& config, std::vector<std::int32_t> tasks) {
    call_->ask_worker(url_of(call_->services(), worker),
                      [self = shared_from_this(), worker, config, tasks = std::move(tasks)](Result<HttpReply> reply) {
                        std::string problem = reply ? fmt::format("it answered {}", reply->status) : reply.error().message();
                        if (reply && reply->status == 200) {
                          auto body = json::parse(reply->body);
                          const json::Value* list = body ? body->find("tasks") : nullptr;
                          if (list != nullptr && list->as_array() != nullptr) {
                            std::vector<std::string> rows;
                            for (const json::Value& row : *list->as_array()) rows.push_back(json::write(row));
                            return self->add(std::move(rows));
                          }
                          problem = "its answer cannot be read";
                        }
                        self->ask_here({self->call_->parameter(0), config, tasks, worker, problem, false, 0});
                      });
  }

 private:
  void add(std::vector<std::string> rows) {
    {
      const std::lock_guard lock(mutex_);
      for (std::string& row : rows) {
        const auto parsed = json::parse(row);
        const json::Value* task = parsed ? parsed->find("task") : nullptr;
        const json::Value* hangs = parsed ? parsed->find("hangs") : nullptr;
        if (hangs != nullptr && hangs->as_bool() != nullptr && *hangs->as_bool()) ++hanging_;
        rows_.emplace(task == nullptr ? -1 : task->as_int64().value_or(-1), std::move(row));
      }
      if (--missing_ > 0 || answered_) return;
      answered_ = true;
    }
    std::string body;
    json::Writer out(body);
    out.begin_object().key("connector").string(call_->parameter(0)).key("hanging").integer(hanging_).key("tasks").begin_array();
    for (const auto& [task, row] : rows_) out.raw(row);
    out.end_array().end_object();
    call_->answer(HttpReply::json(200, std::move(body)));
  }

  void give_up(const Error& error) {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(answered_, true)) return;
    }
    call_->answer(error_reply(status_of(error.kind()), error.message()));
  }

  CallPtr call_;
  std::mutex mutex_;
  std::size_t missing_;
  std::multimap<std::int64_t, std::string> rows_;
  std::int64_t hanging_ = 0;
  bool answered_ = false;
};

OrRefusal<TransactionAbort> read_abort(const Call& call) {
  TransactionAbort order{
      .connector = call.parameter(0), .config = {}, .task = {}, .transactional_id = {}, .force = call.flag("force")};
  if (const auto id = find_query(call.query(), "transactional_id")) order.transactional_id = std::string(*id);
  if (const auto task = find_query(call.query(), "task")) {
    order.task = parse_task_number(std::string(*task));
    if (!order.task) return tl::unexpected(Refusal{400, fmt::format("task is '{}'; use the number of a task", *task)});
  }
  if (!call.request().body.empty()) {
    const auto body = json::parse(call.request().body);
    if (!body || !body->is_object())
      return tl::unexpected(Refusal{400, "The body is no JSON object with task or transactional_id"});
    if (const json::Value* task = body->find("task")) {
      const auto number = task->as_int64();
      if (!number || *number < 0 || *number > INT32_MAX) return tl::unexpected(Refusal{400, "task is not the number of a task"});
      order.task = static_cast<std::int32_t>(*number);
    }
    if (const json::Value* id = body->find("transactional_id"); id != nullptr && id->as_string() != nullptr) {
      order.transactional_id = *id->as_string();
    }
    if (const json::Value* force = body->find("force"); force != nullptr && force->as_bool() != nullptr) {
      order.force = *force->as_bool();
    }
  }
  if (order.task.has_value() == order.transactional_id.has_value()) {
    return tl::unexpected(Refusal{400, "Name what to abort: either task or transactional_id, in the query or in a JSON body"});
  }
  return order;
}

void abort_here(const CallPtr& call, TransactionAbort order) {
  call->waits_for("the transaction's coordinator");
  call->services().port.abort_transaction(std::move(order), [call](Result<std::string> done) {
    if (done) return call->answer(HttpReply::json(200, *std::move(done)));
    call->answer(error_reply(status_of(done.error().kind()), done.error().message()));
  });
}

/// The number of the task that an order is about; an id's last number, as ids end in it.
std::int32_t task_of(const TransactionAbort& order) {
  if (order.task) return *order.task;
  return parse_task_number(order.transactional_id->substr(order.transactional_id->rfind('-') + 1)).value_or(-1);
}

void show_transactions(const CallPtr& call) {
  call->waits_for("what workers and coordinators say of the transactions");
  const auto views = call->services().port.connector_views();
  std::optional<HttpReply> refusal;
  const auto* view = find_connector(*call, views.get(), refusal);
  if (view == nullptr) return call->answer(*std::move(refusal));
  Owners owners = owners_of(*view);
  std::vector<std::pair<std::string, std::vector<std::int32_t>>> others;
  const bool tell_all = call->is_from_client();
  TransactionsQuery here{.connector = call->parameter(0),
                         .config = view->info.config,
                         .tasks = {},
                         .owner = {},
                         .owner_problem = {},
                         .former_tasks = tell_all,
                         .tasks_total = static_cast<std::int32_t>(view->info.tasks.size())};
  std::vector<std::int32_t> nobodys;
  for (auto& [worker, tasks] : owners) {
    if (worker.empty()) {
      nobodys = std::move(tasks);
    } else if (url_of(call->services(), worker) == call->services().advertised_url) {
      here.owner = worker;
      here.tasks = std::move(tasks);
    } else {
      others.emplace_back(worker, std::move(tasks));
    }
  }
  if (!tell_all) {
    others.clear();
    nobodys.clear();
  }
  const bool has_nobodys = !nobodys.empty();
  const auto gathering = std::make_shared<Gathering>(call, 1 + others.size() + (has_nobodys ? 1 : 0));
  gathering->ask_here(std::move(here));
  if (has_nobodys) gathering->ask_here({call->parameter(0), view->info.config, std::move(nobodys), {}, {}, false, 0});
  for (auto& [worker, tasks] : others) gathering->ask_owner(worker, view->info.config, std::move(tasks));
}

void abort_as_ordered(const CallPtr& call, TransactionAbort order) {
  const auto views = call->services().port.connector_views();
  std::optional<HttpReply> refusal;
  const auto* view = find_connector(*call, views.get(), refusal);
  if (view == nullptr) return call->answer(*std::move(refusal));
  order.config = view->info.config;
  if (call->is_from_client()) {
    for (const auto& [worker, tasks] : owners_of(*view)) {
      const bool owns = std::find(tasks.begin(), tasks.end(), task_of(order)) != tasks.end();
      if (!owns || worker.empty() || url_of(call->services(), worker) == call->services().advertised_url) continue;
      // The owner knows whether its task holds the transaction. Where it is gone, nobody does, and this worker can end it as
      // well.
      call->waits_for(fmt::format("worker {}, which runs the task", worker));
      call->ask_worker(url_of(call->services(), worker), [call, order = std::move(order)](Result<HttpReply> reply) {
        if (!reply) return abort_here(call, order);
        call->answer(HttpReply::json(reply->status, std::move(reply->body)));
      });
      return;
    }
  }
  abort_here(call, std::move(order));
}

}  // namespace

void get_transactions(const CallPtr& call) {
  call->once_started([call] { show_transactions(call); });
}

void abort_transaction(const CallPtr& call) {
  auto order = read_abort(*call);
  if (!order) return call->refuse(order.error());
  call->once_started([call, order = *std::move(order)] { abort_as_ordered(call, order); });
}

}  // namespace fencepost::rest::routes
