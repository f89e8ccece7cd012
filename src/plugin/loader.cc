#include "plugin/loader.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/error.h"

namespace fencepost::plugin {

namespace {

namespace fs = std::filesystem;

/// An object that needs longer than this to load hangs.
constexpr std::chrono::seconds kLoadTimeMax{20};

bool has_factory(const PluginDescriptor& plugin) {
  struct Check {
    bool operator()(const SourcePlugin& source) const { return source.connector != nullptr && source.task != nullptr; }
    bool operator()(const SinkPlugin& sink) const { return sink.connector != nullptr && sink.task != nullptr; }
    bool operator()(const Factory<Converter>& make) const { return make != nullptr; }
    bool operator()(const Factory<HeaderConverter>& make) const { return make != nullptr; }
    bool operator()(const Factory<Transformation>& make) const { return make != nullptr; }
    bool operator()(const Factory<Predicate>& make) const { return make != nullptr; }
    bool operator()(const Factory<ConfigProvider>& make) const { return make != nullptr; }
  };
  return std::visit(Check{}, plugin.factory);
}

/// Loads an object into this process and asks it for its plugins.
Result<std::vector<PluginDescriptor>> load(const std::string& file) {
  void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) return failure(ErrorKind::Failed, std::string("it cannot be loaded: ") + dlerror());
  void* symbol = dlsym(object, kPluginEntryPoint);
  if (symbol == nullptr) {
    return failure(ErrorKind::Failed, fmt::format("it exports no {}; FENCEPOST_EXPORT_PLUGINS defines it", kPluginEntryPoint));
  }
  using EntryPoint = const PluginModule* (*)();
  const PluginModule* module = reinterpret_cast<EntryPoint>(symbol)();
  if (module == nullptr) return failure(ErrorKind::Failed, "its entry point gave nothing");
  if (module->sdk_version != kSdkVersion) {
    return failure(ErrorKind::Failed,
                   fmt::format("it was built against SDK version {}, this worker has version {}; build it again",
                               module->sdk_version, kSdkVersion));
  }
  std::vector<PluginDescriptor> plugins;
  try {
    module->list(plugins);
  } catch (const std::exception& error) {
    return failure(ErrorKind::Failed, std::string("it cannot list its plugins: ") + error.what());
  } catch (...) {
    return failure(ErrorKind::Failed, "it cannot list its plugins");
  }
  for (const PluginDescriptor& plugin : plugins) {
    if (plugin.class_name.empty()) return failure(ErrorKind::Failed, "one of its plugins has no class name");
    if (!has_factory(plugin)) return failure(ErrorKind::Failed, "its plugin " + plugin.class_name + " has no factory");
  }
  return plugins;
}

/// The read end of a pipe whose write end is in the child; closed at the end of its life.
struct Descriptor {
  explicit Descriptor(int fd) : value(fd) {}
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value;
};

[[noreturn]] void try_in_child(const std::string& file, int complaints) {
  const auto plugins = load(file);
  if (!plugins) {
    const std::string& text = plugins.error().message();
    [[maybe_unused]] const ssize_t written = ::write(complaints, text.data(), std::min<std::size_t>(text.size(), 1000));
  }
  // Without the object's own exit handlers: they belong to the parent's copy.
  ::_exit(plugins ? 0 : 1);
}

/// Everything the child says until it closes its end; nothing when it does not in time.
std::optional<std::string> read_to_end(int fd) {
  const auto deadline = std::chrono::steady_clock::now() + kLoadTimeMax;
  std::string text;
  std::array<char, 1024> buffer{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    const int events = left > 0 ? ::poll(&ready, 1, static_cast<int>(left)) : 0;
    if (events == 0) return std::nullopt;
    if (events < 0) continue;
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

/// Whether a child process survives loading the object.
Result<void> probe(const std::string& file) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return failure(ErrorKind::Unavailable, "no pipe could be made to try it first");
  const Descriptor read_end(ends[0]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    try_in_child(file, ends[1]);
  }
  ::close(ends[1]);
  if (child < 0) return failure(ErrorKind::Unavailable, "no process could be made to try it first");
  const auto complaint = read_to_end(read_end.value);
  if (!complaint) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!complaint) return failure(ErrorKind::Timeout, fmt::format("it did not finish loading within {} s", kLoadTimeMax.count()));
  if (WIFSIGNALED(status))
    return failure(ErrorKind::Failed, fmt::format("it crashes when it is loaded ({})", ::strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0) {
    return failure(ErrorKind::Failed, complaint->empty() ? "it ends the process when it is loaded" : *complaint);
  }
  return {};
}

bool is_shared_object(const fs::path& path) { return path.extension() == ".so"; }

/// Shared objects of one entry of the path, in the order of their names.
std::vector<std::string> shared_objects(const std::string& entry, const Log& log) {
  std::error_code error;
  if (fs::is_regular_file(entry, error))
    return is_shared_object(entry) ? std::vector<std::string>{entry} : std::vector<std::string>{};
  std::vector<std::string> found;
  for (fs::recursive_directory_iterator at(entry, fs::directory_options::skip_permission_denied, error), end; !error && at != end;
       at.increment(error)) {
    if (at.depth() >= 1) at.disable_recursion_pending();
    if (is_shared_object(at->path()) && fs::is_regular_file(at->path(), error)) found.push_back(at->path().string());
  }
  if (error) log.warn(fmt::format("plugin.path: '{}' cannot be searched: {}", entry, error.message()));
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<PluginDescriptor> load_plugins(const std::vector<std::string>& plugin_path, const Log& log) {
  std::vector<PluginDescriptor> out;
  for (const std::string& entry : plugin_path) {
    for (const std::string& file : shared_objects(entry, log)) {
      const auto survived = probe(file);
      if (!survived) {
        log.error(fmt::format("plugin {} is left out: {}", file, survived.error().message()));
        continue;
      }
      auto plugins = load(file);
      if (!plugins) {
        log.error(fmt::format("plugin {} is left out: {}", file, plugins.error().message()));
        continue;
      }
      for (PluginDescriptor& plugin : *plugins) {
        log.info(fmt::format("loaded {} {} {} from {}", to_string(plugin.kind()), plugin.class_name, plugin.version, file));
        out.push_back(std::move(plugin));
      }
    }
  }
  return out;
}

std::vector<PluginDescriptor> merge_plugins(std::vector<PluginDescriptor> built_in, std::vector<PluginDescriptor> loaded,
                                            const Log& log) {
  for (PluginDescriptor& plugin : loaded) {
    const bool taken = std::any_of(built_in.begin(), built_in.end(), [&](const PluginDescriptor& other) {
      return other.kind() == plugin.kind() && other.class_name == plugin.class_name;
    });
    if (taken) {
      log.warn(fmt::format("plugin.path: the {} {} is left out, there is one of that name already", to_string(plugin.kind()),
                           plugin.class_name));
    } else {
      built_in.push_back(std::move(plugin));
    }
  }
  return built_in;
}

}  // namespace fencepost::plugin
