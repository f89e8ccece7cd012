#include <utility>

#include "herder/core.h"

namespace fencepost::herder {

namespace {
constexpr int kPatchAttempts = 5;
}

// ---- who answers ----

void Herder::Core::forward(const RequestReceived& e, const std::string& url) {
  if (url.empty() || url == options_.advertised_url || e.hop == Hop::ForwardedTwice) return book_.refuse_rebalancing(e.request);
  book_.reply(e.request, ForwardTo{url});
}

bool Herder::Core::leads_or_forwards(const RequestReceived& e) {
  if (membership_.leads()) return true;
  forward(e, membership_.leader_url());
  return false;
}

void Herder::Core::change(RequestId request, const std::string& what, std::function<void(ConfigWriter::Done)> go) {
  change_as_leader(
      what,
      [this, request](const Error& error) {
        if (error.kind() == ErrorKind::Conflict) return book_.refuse_rebalancing(request);
        book_.reply(request, error);
      },
      [this, request, go = std::move(go)](const ConfigWriter::Done& done) {
        if (!book_.is_open(request)) return done();  // its client has been told that it timed out: then it must not happen
        go(done);
      });
}

// ---- configs ----

void Herder::Core::validate_then(RequestId request, const std::string& name, const Properties& config,
                                 std::function<void()> then) {
  const RequestId id = questions_.ask("validating the config of connector " + name, options_.request_timeout,
                                      [this, request, then = std::move(then)](const Answer& answer) {
                                        if (!answer) return book_.reply(request, answer.error());
                                        then();
                                      });
  turn_.order(ValidateConfig{.request = id, .connector = name, .config = config});
}

void Herder::Core::serve(const RequestReceived& e, const CreateConnector& r) {
  if (!leads_or_forwards(e)) return;
  validate_then(e.request, r.name, r.config,
                [this, request = e.request, r] { write_config(request, r.name, r.config, r.initial_state, true); });
}

void Herder::Core::serve(const RequestReceived& e, const PutConnectorConfig& r) {
  if (!leads_or_forwards(e)) return;
  validate_then(e.request, r.name, r.config,
                [this, request = e.request, r] { write_config(request, r.name, r.config, std::nullopt, false); });
}

void Herder::Core::write_config(RequestId request, const std::string& name, const Properties& config,
                                std::optional<TargetState> initial, bool must_be_new) {
  change(request, "writing the config of connector " + name,
         [this, request, name, config, initial, must_be_new](const ConfigWriter::Done& done) {
           const bool exists = configs_.contains(name);
           if (must_be_new && exists) {
             book_.reply(request, Error(ErrorKind::Conflict, "Connector " + name + " already exists"));
             return done();
           }
           Properties named = config;
           if (!named.contains("name")) named.set("name", name);
           std::vector<protocol::Record> records;
           if (initial) records.push_back(protocol::target_state_record(name, target_of(*initial)));
           records.push_back(protocol::connector_record(name, named));
           log_.write(std::move(records), true, "connector configuration of " + name,
                      [this, request, name, exists, done](const Answer& answer) {
                        if (!answer) {
                          book_.reply(request, answer.error());
                        } else if (exists) {
                          book_.reply(request, info_of(name));
                        } else {
                          book_.reply(request, Created{info_of(name)});
                        }
                        done();
                      });
         });
}

void Herder::Core::serve(const RequestReceived& e, const PatchConnectorConfig& r) {
  if (leads_or_forwards(e)) patch(e.request, r, kPatchAttempts);
}

// The merge is validated outside the queue of changes, as that may take long; if the config has moved meanwhile, it is merged
// anew.
void Herder::Core::patch(RequestId request, const PatchConnectorConfig& r, int attempts_left) {
  if (!known_or_404(request, r.name, "Connector ", " not found")) return;
  const Properties base = *configs_.config(r.name);
  Properties merged = base;
  for (const auto& [key, value] : r.patch) {
    if (value) {
      merged.set(key, value);
    } else {
      merged.erase(key);
    }
  }
  validate_then(request, r.name, merged, [this, request, r, base, merged, attempts_left] {
    const Properties* now = configs_.config(r.name);
    if (now == nullptr || !(*now == base)) {
      if (attempts_left > 1) return patch(request, r, attempts_left - 1);
      return book_.refuse(request, ErrorKind::Conflict,
                          "The config of connector " + r.name + " is being changed by others all the time.");
    }
    write_config(request, r.name, merged, std::nullopt, false);
  });
}

void Herder::Core::serve(const RequestReceived& e, const DeleteConnector& r) {
  if (!leads_or_forwards(e)) return;
  change(e.request, "deleting connector " + r.name, [this, request = e.request, name = r.name](const ConfigWriter::Done& done) {
    if (!known_or_404(request, name, "Connector ", " not found")) return done();
    std::vector<protocol::Record> records;
    // Task configs stay in the topic; nobody who reads it compacted may take them for those of the next connector of this name.
    if (configs_.find(name)->task_count > 0) records.push_back(protocol::commit_record(name, 0));
    records.push_back(protocol::connector_tombstone(name));
    records.push_back(protocol::target_state_tombstone(name));
    log_.write(std::move(records), true, "the deletion of connector " + name, [this, request, done](const Answer& answer) {
      if (answer) {
        book_.reply(request, Done{});
      } else {
        book_.reply(request, answer.error());
      }
      done();
    });
  });
}

// ---- target states ----

void Herder::Core::serve(const RequestReceived& e, const SetTargetState& r) {
  if (r.state == TargetState::Stopped) {
    if (leads_or_forwards(e)) stop_connector(e.request, r.name);
    return;
  }
  // Pausing and resuming is any worker's to write (KIP-980 leaves it so), through its plain producer.
  log_.read_to_end("the target state of " + r.name + " is to change", [this, request = e.request, r](const Answer& read) {
    if (!read) return book_.reply(request, read.error());
    if (!known_or_404(request, r.name, "Unknown connector ", "")) return;
    log_.write({protocol::target_state_record(r.name, target_of(r.state))}, false, "target state of connector " + r.name,
               [this, request](const Answer& answer) {
                 if (answer) return book_.reply(request, Accepted{});
                 book_.reply(request, answer.error());
               });
  });
}

// No tasks and the state, in one write: a connector that is STOPPED has none, whoever looks and whenever.
void Herder::Core::stop_connector(RequestId request, const std::string& name) {
  change(request, "stopping connector " + name, [this, request, name](const ConfigWriter::Done& done) {
    if (!known_or_404(request, name, "Unknown connector ", "")) return done();
    log_.write({protocol::commit_record(name, 0), protocol::target_state_record(name, protocol::TargetState::Stopped)}, true,
               "the stop of connector " + name, [this, request, done](const Answer& answer) {
                 if (answer) {
                   book_.reply(request, Done{});
                 } else {
                   book_.reply(request, answer.error());
                 }
                 done();
               });
  });
}

// ---- log levels ----

void Herder::Core::serve(const RequestReceived& e, const SetClusterLoggerLevel& r) {
  log_.write({protocol::logger_level_record(r.logger, r.level)}, false, "level of logger " + r.logger,
             [this, request = e.request](const Answer& answer) {
               if (answer) return book_.reply(request, Done{});
               book_.reply(request, answer.error());
             });
}

// ---- other workers ----

void Herder::Core::serve(const RequestReceived& e, const PublishTaskConfigs& r) {
  if (const auto verified = keys_.verify(membership_.protocol(), r.signature); !verified)
    return book_.reply(e.request, verified.error());
  if (!leads_or_forwards(e)) return;
  write_task_configs(r.connector, r.configs, [this, request = e.request](const Answer& answer) {
    if (answer) return book_.reply(request, Done{});
    book_.reply(request, answer.error());
  });
}

void Herder::Core::serve(const RequestReceived& e, const FenceZombies& r) {
  if (const auto verified = keys_.verify(membership_.protocol(), r.signature); !verified)
    return book_.reply(e.request, verified.error());
  if (!leads_or_forwards(e)) return;
  if (options_.exactly_once == ExactlyOnce::Disabled && warned_of_fence_.insert(r.connector).second) {
    turn_.note(
        LogLevel::Warn, r.connector,
        "another worker runs with exactly.once.source.support=enabled and has asked for a fence, but this one, the leader, "
        "is disabled: it fences, but it does not write the config topic in transactions, so once it is deposed nobody can "
        "keep it from writing there. Restart every worker with exactly.once.source.support=preparing before any gets "
        "enabled");
  }
  fencing_.fence(r.connector, [this, request = e.request](const Answer& answer) {
    if (answer) return book_.reply(request, Done{});
    book_.reply(request, answer.error());
  });
}

}  // namespace fencepost::herder
