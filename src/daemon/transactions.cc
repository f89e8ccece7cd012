#include "daemon/transactions.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "exactly_once/transaction_health.h"
#include "json/writer.h"

namespace fencepost::daemon {
namespace {

using runtime::TransactionFigures;

constexpr Duration kAskTimeout{10'000};
constexpr Duration kAbortTimeout{30'000};

Time wall_clock() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

std::string iso(Time at) {
  const auto ms = at.time_since_epoch().count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

bool holds_one(const TransactionFigures& figures) {
  return figures.stage == runtime::TransactionStage::Open || figures.stage == runtime::TransactionStage::Committing ||
         figures.stage == runtime::TransactionStage::Aborting;
}

exactly_once::CoordinatorView view_of(const fencer::TransactionDetails& details) {
  exactly_once::CoordinatorView view{
      .state = details.state, .producer_id = details.producer_id, .epoch = details.epoch, .timeout = details.timeout};
  if (exactly_once::is_open(view)) view.started = details.started;
  return view;
}

void write_happening(json::Writer& out, const char* name, const std::optional<runtime::Happening>& happening) {
  out.key(name);
  if (!happening) {
    out.null();
  } else {
    out.begin_object().key("at").string(iso(happening->at)).key("what").string(happening->what).end_object();
  }
}

void write_run(json::Writer& out, const TransactionFigures& figures, Time now) {
  out.begin_object().key("running").boolean(figures.running).key("stage").string(to_string(figures.stage));
  out.key("open_ms");
  if (figures.open_since) {
    out.integer((now - *figures.open_since).count());
  } else {
    out.null();
  }
  out.key("uncommitted_records").integer(static_cast<std::int64_t>(figures.uncommitted_records));
  out.key("commits").integer(static_cast<std::int64_t>(figures.commits)).key("last_commit");
  if (figures.last_commit) {
    out.string(iso(*figures.last_commit));
  } else {
    out.null();
  }
  out.key("aborts").begin_object();
  for (std::size_t i = 0; i < runtime::kAbortCauses; ++i) {
    if (figures.aborts[i] == 0) continue;
    out.key(to_string(static_cast<runtime::AbortCause>(i))).integer(static_cast<std::int64_t>(figures.aborts[i]));
  }
  out.end_object();
  write_happening(out, "last_abort", figures.last_abort);
  out.key("fenced").begin_object();
  for (std::size_t i = 0; i < runtime::kFencers; ++i) {
    if (figures.fenced[i] == 0) continue;
    out.key(to_string(static_cast<runtime::Fencer>(i))).integer(static_cast<std::int64_t>(figures.fenced[i]));
  }
  out.end_object();
  write_happening(out, "fenced_by", figures.last_fenced);
  out.key("restarts").integer(static_cast<std::int64_t>(figures.restarts));
  write_happening(out, "last_restart", figures.last_restart);
  out.end_object();
}

void write_coordinator(json::Writer& out, const Result<fencer::TransactionDetails>& details, Time now) {
  if (!details) {
    // An id that no producer has used yet is no trouble: its task was idle so far.
    const bool unused = details.error().kind() == ErrorKind::NotFound;
    out.key("state").string(unused ? "Unused" : "Unknown");
    if (!unused) out.key("problem").string(details.error().message());
    return;
  }
  const exactly_once::CoordinatorView view = view_of(*details);
  out.key("state").string(view.state).key("producer_id").integer(view.producer_id).key("producer_epoch").integer(view.epoch);
  out.key("timeout_ms").integer(view.timeout.count()).key("open_ms");
  if (view.started) {
    out.integer((now - *view.started).count());
  } else {
    out.null();
  }
  out.key("open_since");
  if (view.started) {
    out.string(iso(*view.started));
  } else {
    out.null();
  }
  // From its first record in each partition to its markers, nobody reads beyond it with read_committed.
  out.key("holds_last_stable_offset").boolean(exactly_once::is_open(view) && !details->topics.empty());
  out.key("topics").begin_array();
  for (const std::string& topic : details->topics) out.string(topic);
  out.end_array();
}

}  // namespace

std::optional<std::int32_t> task_of_transactional_id(std::string_view id, std::string_view group, std::string_view connector) {
  const std::string prefix = fmt::format("{}-{}-", group, connector);
  if (!id.starts_with(prefix)) return std::nullopt;
  id.remove_prefix(prefix.size());
  std::int32_t task = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), task);
  const bool is_plain = !id.empty() && id.front() != '-' && (id.size() == 1 || id.front() != '0');
  if (error != std::errc() || end != id.data() + id.size() || !is_plain) return std::nullopt;
  return task;
}

/// One id, and what the worker that should run its task said before the coordinator was asked.
struct Transactions::Row {
  std::int32_t task = 0;
  std::string id;
  bool former = false;
  std::shared_ptr<runtime::TransactionRecord> record;
  bool held_before = false;
};

Transactions::Transactions(std::string group, WireClient& wire, std::shared_ptr<runtime::TransactionBoard> board, Log log)
    : group_(std::move(group)), wire_(wire), board_(std::move(board)), log_(std::move(log)) {}

std::string Transactions::id_of(const std::string& connector, std::int32_t task) const {
  return group_ + "-" + TaskId{connector, task}.to_string();
}

Transactions::Row Transactions::look_here(const rest::TransactionsQuery& query, std::int32_t task) const {
  Row row{.task = task, .id = id_of(query.connector, task), .former = false, .record = nullptr, .held_before = false};
  if (query.owner_problem.empty()) row.record = board_->find({query.connector, task});
  if (row.record) row.held_before = holds_one(row.record->figures());
  return row;
}

void Transactions::describe(const rest::TransactionsQuery& query, Done done) {
  wire_.with_fencer_of(query.config, [self = shared_from_this(), query, done = std::move(done)](Result<fencer::Fencer*> fencer) {
    if (!fencer) return done(Failure(fencer.error()));
    self->describe_with(**fencer, query, done);
  });
}

void Transactions::describe_with(fencer::Fencer& fencer, const rest::TransactionsQuery& query, Done done) {
  std::vector<Row> rows;
  rows.reserve(query.tasks.size());
  for (const std::int32_t task : query.tasks) rows.push_back(look_here(query, task));
  if (!query.former_tasks) return ask_coordinators(fencer, query, std::move(rows), std::move(done));
  fencer.list_transactions(
      kAskTimeout, [self = shared_from_this(), fencer = &fencer, query, rows = std::move(rows),
                    done = std::move(done)](const Result<std::vector<fencer::ListedTransaction>>& listed) mutable {
        if (!listed) {
          self->log_.warn("the coordinators' transactions could not be listed: " + listed.error().message());
        } else {
          for (const fencer::ListedTransaction& one : *listed) {
            const auto task = task_of_transactional_id(one.transactional_id, self->group_, query.connector);
            if (!task || *task < query.tasks_total || !exactly_once::is_open({.state = one.state})) continue;
            rows.push_back({.task = *task, .id = one.transactional_id, .former = true, .record = nullptr, .held_before = false});
          }
        }
        ask_coordinators(*fencer, query, std::move(rows), std::move(done));
      });
}

void Transactions::ask_coordinators(fencer::Fencer& fencer, const rest::TransactionsQuery& query, std::vector<Row> rows,
                                    Done done) {
  std::vector<std::string> ids;
  ids.reserve(rows.size());
  for (const Row& row : rows) ids.push_back(row.id);
  fencer.describe_transactions(
      std::move(ids), kAskTimeout,
      [query, rows = std::move(rows), done = std::move(done)](const fencer::Fencer::Described& described) {
        const Time now = wall_clock();
        std::vector<std::string> out;
        for (const Row& row : rows) {
          const auto found = described.find(row.id);
          const auto details =
              found == described.end()
                  ? Result<fencer::TransactionDetails>(failure(ErrorKind::Unavailable, "no coordinator answered"))
                  : found->second;
          std::optional<TransactionFigures> figures;
          if (row.record) figures = row.record->figures();
          const bool answers = query.owner_problem.empty();
          const exactly_once::OwnerView owner{.worker = row.former ? std::string() : query.owner,
                                              .answers = answers || row.former,
                                              .running = figures && figures->running,
                                              .open = figures && (row.held_before || holds_one(*figures))};
          const auto verdict =
              details ? exactly_once::judge_transaction(view_of(*details), owner, now) : exactly_once::TransactionVerdict{};
          std::string text;
          json::Writer json(text);
          json.begin_object().key("task").integer(row.task).key("transactional_id").string(row.id);
          json.key("worker_id").string(owner.worker).key("hangs").boolean(verdict.hangs);
          json.key("held_by").string(verdict.holder).key("advice").string(verdict.advice);
          write_coordinator(json, details, now);
          if (!answers) json.key("worker_problem").string(query.owner_problem);
          json.key("run");
          if (figures) {
            write_run(json, *figures, now);
          } else {
            json.null();
          }
          json.end_object();
          out.push_back(std::move(text));
        }
        done(std::move(out));
      });
}

void Transactions::abort(const rest::TransactionAbort& order, std::function<void(Result<std::string>)> done) {
  const std::string id = order.transactional_id ? *order.transactional_id : id_of(order.connector, *order.task);
  const auto task = task_of_transactional_id(id, group_, order.connector);
  if (!task) {
    return done(failure(ErrorKind::InvalidConfig,
                        fmt::format("'{}' is no transactional id of connector {}; its own are {}-{}-0, {}-{}-1 and so on", id,
                                    order.connector, group_, order.connector, group_, order.connector)));
  }
  const auto record = board_->find({order.connector, *task});
  const auto figures = record ? std::optional(record->figures()) : std::nullopt;
  if (figures && figures->running && holds_one(*figures) && !order.force) {
    return done(failure(ErrorKind::Conflict,
                        fmt::format("Task {}-{} runs on this worker and holds the transaction of {}: it ends it by itself. With "
                                    "force=true its records are thrown away, and it begins anew from its committed offsets",
                                    order.connector, *task, id)));
  }
  wire_.with_fencer_of(order.config,
                       [self = shared_from_this(), id, record, done = std::move(done)](Result<fencer::Fencer*> fencer) {
                         if (!fencer) return done(Failure(fencer.error()));
                         self->abort_with(**fencer, id, record, done);
                       });
}

void Transactions::abort_with(fencer::Fencer& fencer, const std::string& id,
                              const std::shared_ptr<runtime::TransactionRecord>& record,
                              std::function<void(Result<std::string>)> done) {
  fencer.describe_transactions(
      {id}, kAskTimeout,
      [self = shared_from_this(), fencer = &fencer, id, record,
       done = std::move(done)](const fencer::Fencer::Described& described) {
        const auto& details = described.at(id);
        if (!details && details.error().kind() != ErrorKind::NotFound) return done(Failure(details.error()));
        if (!details || !exactly_once::is_open(view_of(*details))) {
          std::string text;
          json::Writer out(text);
          out.begin_object().key("transactional_id").string(id).key("aborted").boolean(false);
          out.key("message").string("no transaction of this id is open").end_object();
          return done(std::move(text));
        }
        if (record && record->figures().running) record->expect_abort("its transaction was aborted through REST");
        self->log_.warn("aborts the transaction of " + id + ", as was asked for through REST");
        fencer->fence({.transactional_ids = {id}, .timeout = kAbortTimeout}, [id, done](const fencer::Fenced& fenced) {
          const auto& outcome = fenced.at(id);
          if (!outcome) return done(Failure(outcome.error()));
          std::string text;
          json::Writer out(text);
          out.begin_object().key("transactional_id").string(id).key("aborted").boolean(true);
          out.key("producer_id").integer(outcome->producer_id).key("producer_epoch").integer(outcome->epoch).end_object();
          done(std::move(text));
        });
      });
}

std::string Transactions::metrics() const {
  metrics::Samples samples;
  board_->measure(samples);
  return samples.to_prometheus();
}

}  // namespace fencepost::daemon
