#include "builtin/plugins.h"

#include "builtin/connectors/file_stream_sink.h"
#include "builtin/connectors/file_stream_source.h"
#include "builtin/converters/json_converter.h"
#include "builtin/converters/plain_converters.h"
#include "builtin/converters/primitive_converters.h"
#include "builtin/converters/simple_header_converter.h"
#include "builtin/version.h"

namespace fencepost::builtin {

namespace {

template <class Interface, class Class>
Factory<Interface> make() {
  return [] { return std::make_unique<Class>(); };
}

/// One class for keys, values and headers.
template <class Class>
void add_converter(std::vector<PluginDescriptor>& out, const char* name) {
  out.push_back({name, kVersion, make<Converter, Class>()});
  out.push_back({name, kVersion, make<HeaderConverter, Class>()});
}

}  // namespace

std::vector<PluginDescriptor> plugins() {
  std::vector<PluginDescriptor> out;
  out.push_back({"org.apache.kafka.connect.file.FileStreamSourceConnector", kVersion,
                 SourcePlugin{make<SourceConnector, FileStreamSourceConnector>(), make<SourceTask, FileStreamSourceTask>(),
                              "org.apache.kafka.connect.file.FileStreamSourceTask"}});
  out.push_back({"org.apache.kafka.connect.file.FileStreamSinkConnector", kVersion,
                 SinkPlugin{make<SinkConnector, FileStreamSinkConnector>(), make<SinkTask, FileStreamSinkTask>(),
                            "org.apache.kafka.connect.file.FileStreamSinkTask"}});
  add_converter<JsonConverter>(out, "org.apache.kafka.connect.json.JsonConverter");
  add_converter<StringConverter>(out, "org.apache.kafka.connect.storage.StringConverter");
  add_converter<ByteArrayConverter>(out, "org.apache.kafka.connect.converters.ByteArrayConverter");
  add_converter<BooleanConverter>(out, "org.apache.kafka.connect.converters.BooleanConverter");
  add_converter<ShortConverter>(out, "org.apache.kafka.connect.converters.ShortConverter");
  add_converter<IntegerConverter>(out, "org.apache.kafka.connect.converters.IntegerConverter");
  add_converter<LongConverter>(out, "org.apache.kafka.connect.converters.LongConverter");
  add_converter<FloatConverter>(out, "org.apache.kafka.connect.converters.FloatConverter");
  add_converter<DoubleConverter>(out, "org.apache.kafka.connect.converters.DoubleConverter");
  out.push_back(
      {"org.apache.kafka.connect.storage.SimpleHeaderConverter", kVersion, make<HeaderConverter, SimpleHeaderConverter>()});
  return out;
}

}  // namespace fencepost::builtin
