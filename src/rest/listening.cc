#include "rest/listening.h"

#include <fmt/format.h>
#include <pthread.h>

#include <future>
#include <thread>

namespace fencepost::rest {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr auto kSweepEvery = 250ms;

void sweep(const std::shared_ptr<IoThread>& thread) {
  thread->sweep.expires_after(kSweepEvery);
  thread->sweep.async_wait([thread](error_code error) {
    if (error || thread->closing) return;
    const auto now = SteadyClock::now();
    const auto connections = thread->connections;
    for (const auto& connection : connections) connection->check_deadline(now);
    sweep(thread);
  });
}

Result<std::vector<tcp::endpoint>> addresses_of(const Endpoint& endpoint, asio::io_context& context) {
  if (endpoint.host.empty()) {
    return std::vector<tcp::endpoint>{{tcp::v6(), endpoint.port}, {tcp::v4(), endpoint.port}};
  }
  error_code error;
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(endpoint.host, std::to_string(endpoint.port), tcp::resolver::passive, error);
  if (error || found.empty()) {
    return failure(ErrorKind::InvalidConfig, fmt::format("listeners: host '{}' of {} cannot be resolved ({}); use an address of "
                                                         "this machine, or leave it empty for all",
                                                         endpoint.host, to_string(endpoint), error.message()));
  }
  std::vector<tcp::endpoint> out;
  for (const auto& entry : found) out.push_back(entry.endpoint());
  return out;
}

error_code listen(tcp::acceptor& acceptor, const tcp::endpoint& address) {
  error_code error;
  error_code ignored;
  acceptor.open(address.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error && address.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only(false), ignored);
  if (!error) acceptor.bind(address, error);
  if (!error) acceptor.listen(1024, error);
  if (error) acceptor.close(ignored);
  return error;
}

}  // namespace

struct IoThreads::Running {
  std::shared_ptr<IoThread> io = std::make_shared<IoThread>();
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
  std::thread thread;
};

IoThreads::IoThreads(std::size_t count) {
  for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i) {
    auto& running = running_.emplace_back(std::make_unique<Running>());
    running->work.emplace(running->io->context.get_executor());
    sweep(running->io);
    running->thread = std::thread([io = running->io, i] {
      pthread_setname_np(pthread_self(), fmt::format("rest-{}", i).c_str());
      io->context.run();
    });
  }
}

IoThreads::~IoThreads() { close(0ms); }

const std::shared_ptr<IoThread>& IoThreads::next() { return running_[turn_++ % running_.size()]->io; }

const std::shared_ptr<IoThread>& IoThreads::first() const { return running_.front()->io; }

void IoThreads::close(std::chrono::milliseconds farewell) {
  std::vector<std::future<void>> empty;
  for (const auto& running : running_) {
    if (!running->thread.joinable()) continue;
    auto done = std::make_shared<std::promise<void>>();
    empty.push_back(done->get_future());
    // Looks again at each sweep's pace until the last connection has gone.
    asio::post(running->io->context, [io = running->io, done] {
      io->closing = true;
      auto timer = std::make_shared<asio::steady_timer>(io->context);
      auto look = std::make_shared<std::function<void()>>();
      *look = [io = io.get(), done, timer, weak = std::weak_ptr(look)] {
        const auto connections = io->connections;
        for (const auto& connection : connections) connection->finish();
        if (io->connections.empty()) return done->set_value();
        timer->expires_after(10ms);
        timer->async_wait([again = weak.lock()](error_code error) {
          if (!error) (*again)();
        });
      };
      (*look)();
    });
  }
  const auto until = std::chrono::steady_clock::now() + farewell;
  for (const auto& done : empty) done.wait_until(until);
  for (const auto& running : running_) {
    if (!running->thread.joinable()) continue;
    running->work.reset();
    running->io->context.stop();
    running->thread.join();
    // What is left of operations holds connections, which hold their thread: run the cancelled ones to their end.
    running->io->sweep.cancel();
    const auto connections = running->io->connections;
    for (const auto& connection : connections) connection->close();
    running->io->context.restart();
    running->io->context.poll();
  }
}

Listening::Listening(Endpoint endpoint, IoThreads& threads, Log log)
    : endpoint_(std::move(endpoint)),
      threads_(threads),
      log_(std::move(log)),
      home_(threads.first()),
      acceptor_(home_->context),
      pause_(home_->context) {}

Result<std::shared_ptr<Listening>> Listening::open(const Endpoint& endpoint, IoThreads& threads, const Log& log) {
  std::shared_ptr<Listening> out(new Listening(endpoint, threads, log));
  FENCEPOST_TRY(const auto addresses, addresses_of(endpoint, out->home_->context));
  error_code error;
  for (const auto& address : addresses) {
    error = listen(out->acceptor_, address);
    if (!error || error == asio::error::address_in_use) break;
  }
  if (error == asio::error::address_in_use) {
    return failure(ErrorKind::Unavailable, fmt::format("listeners: {} is in use already; stop what listens there or choose "
                                                       "another port",
                                                       to_string(endpoint)));
  }
  if (error) {
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("listeners: cannot listen on {}: {}", to_string(endpoint), error.message()));
  }
  out->endpoint_.port = out->acceptor_.local_endpoint(error).port();
  return out;
}

void Listening::start(std::shared_ptr<const ConnectionSettings> settings) {
  settings_ = std::move(settings);
  asio::post(home_->context, [self = shared_from_this()] { self->accept(); });
}

void Listening::stop() {
  asio::post(home_->context, [self = shared_from_this()] {
    error_code ignored;
    self->acceptor_.close(ignored);
    self->pause_.cancel();
  });
}

void Listening::accept() {
  if (!acceptor_.is_open()) return;
  auto thread = threads_.next();
  auto socket = std::make_shared<Socket>(thread->context.get_executor());
  acceptor_.async_accept(*socket, [self = shared_from_this(), thread, socket](error_code error) {
    if (error == asio::error::operation_aborted) return;
    if (error) {
      // Mostly: no file descriptor left. It passes when connections end.
      self->log_.warn(
          fmt::format("REST: a connection to {} could not be accepted: {}", to_string(self->endpoint_), error.message()));
      self->pause_.expires_after(100ms);
      self->pause_.async_wait([self](error_code cancelled) {
        if (!cancelled) self->accept();
      });
      return;
    }
    asio::post(thread->context, [thread, socket, settings = self->settings_] {
      auto connection = std::make_shared<Connection>(thread, std::move(*socket), settings);
      thread->connections.insert(connection);
      connection->start();
    });
    self->accept();
  });
}

}  // namespace fencepost::rest
