#include "daemon/shell.h"

#include <sys/random.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <variant>

#include "daemon/clock.h"
#include "plugin/connector_validation.h"

namespace fencepost::daemon {
namespace {

// Validation may ask the source system and take seconds; more than a few at once would only queue up there.
constexpr std::size_t kValidationThreads = 2;
constexpr std::size_t kValidationsWaitingMax = 1'000;

std::optional<rest::RequestSignature> signature_of(const std::optional<herder::SignedRequest>& signature) {
  if (!signature) return std::nullopt;
  return rest::RequestSignature{signature->algorithm, signature->mac_base64};
}

}  // namespace

class Shell::Visitor {
 public:
  explicit Visitor(Shell& shell) : shell_(shell), parts_(shell.parts_) {}

  void operator()(const herder::Note& order) const {
    const Log log = order.context.empty() ? parts_.log : parts_.log.with_context(order.context);
    log.write(order.level, order.text);
  }
  void operator()(const herder::ReadConfigLog& order) const { parts_.stores.configs().read_to_end(order.request); }
  void operator()(const herder::WriteConfigRecords& order) const { parts_.stores.configs().write(order); }
  void operator()(const herder::ClaimConfigLog&) const { parts_.stores.configs().claim(); }
  void operator()(const herder::ReleaseConfigLog&) const { parts_.stores.configs().release(); }
  void operator()(const herder::WriteStatusRecord& order) const { parts_.stores.statuses().write(order); }

  void operator()(const herder::JoinGroup& order) const { parts_.wire.group().join(order.protocols); }
  void operator()(const herder::SendAssignments& order) const { parts_.wire.group().sync(order.generation, order.assignments); }
  void operator()(const herder::ConfirmMembership& order) const { parts_.wire.group().confirm(order.request); }
  void operator()(const herder::LeaveGroup& order) const {
    auto promise = std::make_shared<std::promise<void>>();
    shell_.left_ = promise->get_future();
    parts_.wire.group().leave(order.reason, [promise] { promise->set_value(); });
  }

  void operator()(const herder::Reply& order) const { parts_.rest.reply(order.request, order.response); }
  void operator()(const herder::ValidateConfig& order) const {
    const bool queued = shell_.validations_.run([parts = &parts_, order] {
      const auto infos = plugin::validate_connector(parts->plugins, parts->config, order.config);
      std::optional<Error> error;
      if (!infos) {
        error = infos.error();
      } else if (auto refusal = infos->refusal()) {
        error = Error(ErrorKind::InvalidConfig, std::move(*refusal));
      }
      parts->events.put(herder::ConfigValidated{order.request, std::move(error)});
    });
    if (!queued) {
      parts_.events.put(herder::ConfigValidated{
          order.request, Error(ErrorKind::Unavailable, "too many configs wait for their validation; try again in a moment")});
    }
  }

  void operator()(const herder::AskLeaderToFence& order) const {
    parts_.leader.fence(order.leader_url, order.connector, signature_of(order.signature), answer_of(order.request));
  }
  void operator()(const herder::SendTaskConfigsToLeader& order) const {
    parts_.leader.send_task_configs(order.leader_url, order.connector, order.body, signature_of(order.signature),
                                    answer_of(order.request));
  }
  void operator()(const herder::FenceProducers& order) const {
    parts_.wire.with_fencer_of(order.config, [events = &parts_.events, order](Result<fencer::Fencer*> fencer) {
      if (!fencer) return void(events->put(herder::ProducersFenced{order.request, fencer.error()}));
      (*fencer)->fence({.transactional_ids = order.transactional_ids},
                       [events, request = order.request](const fencer::Fenced& fenced) {
                         events->put(herder::ProducersFenced{request, fencer::first_failure(fenced)});
                       });
    });
  }
  void operator()(const herder::MakeSessionKey& order) const {
    std::string key(order.key_bytes, '\0');
    if (getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
      const std::string why = std::error_code(errno, std::generic_category()).message();
      parts_.events.put(herder::SessionKeyMade{
          order.request, failure(ErrorKind::Unavailable, "the system gave no random bytes (getrandom: " + why + ")")});
      return;
    }
    parts_.events.put(herder::SessionKeyMade{order.request, std::move(key)});
  }
  void operator()(const herder::SetLoggerLevel& order) const {
    (void)parts_.loggers.set(order.logger, order.level, wall_clock());
  }
  void operator()(const herder::Terminate&) const { shell_.terminated_ = true; }

  template <class RuntimeOrder>
  void operator()(const RuntimeOrder& order) const {
    parts_.runtime.execute(herder::Action(order));
  }

 private:
  [[nodiscard]] rest::LeaderClient::Done answer_of(RequestId request) const {
    return [events = &parts_.events, request](std::optional<Error> error) {
      events->put(herder::LeaderAnswered{request, std::move(error)});
    };
  }

  Shell& shell_;
  const Parts& parts_;
};

Shell::Shell(Parts parts) : parts_(std::move(parts)), validations_(kValidationThreads, kValidationsWaitingMax) {}

Shell::~Shell() {
  validations_.close();
  // The coordinator hears of the leaving, or the client gives up by its own deadline.
  if (left_) left_->wait();
}

void Shell::execute(const herder::Action& action) { std::visit(Visitor(*this), action); }

}  // namespace fencepost::daemon
