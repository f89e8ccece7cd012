#include "daemon/builtins.h"

#include "builtin/connectors/file_stream_sink.h"
#include "builtin/connectors/file_stream_source.h"
#include "builtin/converters/json_converter.h"
#include "builtin/converters/plain_converters.h"
#include "builtin/converters/primitive_converters.h"
#include "builtin/converters/simple_header_converter.h"
#include "builtin/predicates/predicates.h"
#include "builtin/transforms/filter.h"
#include "builtin/transforms/insert_field.h"
#include "builtin/transforms/regex_router.h"
#include "builtin/version.h"
#include "mirror/mirror_source_connector.h"
#include "mirror/mirror_source_task.h"

namespace fencepost::daemon {
namespace {

template <class Connector, class Task>
PluginDescriptor source(const char* class_name, const char* task_class) {
  return {class_name, builtin::kVersion,
          SourcePlugin{[] { return std::make_unique<Connector>(); }, [] { return std::make_unique<Task>(); }, task_class}};
}

template <class Connector, class Task>
PluginDescriptor sink(const char* class_name, const char* task_class) {
  return {class_name, builtin::kVersion,
          SinkPlugin{[] { return std::make_unique<Connector>(); }, [] { return std::make_unique<Task>(); }, task_class}};
}

template <class Interface, class Plugin>
PluginDescriptor plugin(const char* class_name) {
  return {class_name, builtin::kVersion, Factory<Interface>([] { return std::make_unique<Plugin>(); })};
}

/// A transformation of the record's key or of its value.
template <class Transform, builtin::RecordPart part>
PluginDescriptor transform_of(const char* class_name) {
  return {class_name, builtin::kVersion, Factory<Transformation>([] { return std::make_unique<Transform>(part); })};
}

}  // namespace

std::vector<PluginDescriptor> builtin_plugins() {
  using builtin::RecordPart;
  return {
      source<builtin::FileStreamSourceConnector, builtin::FileStreamSourceTask>(
          "org.apache.kafka.connect.file.FileStreamSourceConnector", "org.apache.kafka.connect.file.FileStreamSourceTask"),
      sink<builtin::FileStreamSinkConnector, builtin::FileStreamSinkTask>("org.apache.kafka.connect.file.FileStreamSinkConnector",
                                                                          "org.apache.kafka.connect.file.FileStreamSinkTask"),
      {"org.apache.kafka.connect.mirror.MirrorSourceConnector", builtin::kVersion,
       SourcePlugin{[refresher = std::make_shared<mirror::Refresher>()] {
                      return std::make_unique<mirror::MirrorSourceConnector>(refresher);
                    },
                    [] { return std::make_unique<mirror::MirrorSourceTask>(); },
                    "org.apache.kafka.connect.mirror.MirrorSourceTask"}},
      plugin<Converter, builtin::JsonConverter>("org.apache.kafka.connect.json.JsonConverter"),
      plugin<HeaderConverter, builtin::JsonConverter>("org.apache.kafka.connect.json.JsonConverter"),
      plugin<HeaderConverter, builtin::SimpleHeaderConverter>("org.apache.kafka.connect.storage.SimpleHeaderConverter"),
      plugin<Converter, builtin::StringConverter>("org.apache.kafka.connect.storage.StringConverter"),
      plugin<HeaderConverter, builtin::StringConverter>("org.apache.kafka.connect.storage.StringConverter"),
      plugin<Converter, builtin::BooleanConverter>("org.apache.kafka.connect.converters.BooleanConverter"),
      plugin<HeaderConverter, builtin::BooleanConverter>("org.apache.kafka.connect.converters.BooleanConverter"),
      plugin<Converter, builtin::ShortConverter>("org.apache.kafka.connect.converters.ShortConverter"),
      plugin<HeaderConverter, builtin::ShortConverter>("org.apache.kafka.connect.converters.ShortConverter"),
      plugin<Converter, builtin::IntegerConverter>("org.apache.kafka.connect.converters.IntegerConverter"),
      plugin<HeaderConverter, builtin::IntegerConverter>("org.apache.kafka.connect.converters.IntegerConverter"),
      plugin<Converter, builtin::LongConverter>("org.apache.kafka.connect.converters.LongConverter"),
      plugin<HeaderConverter, builtin::LongConverter>("org.apache.kafka.connect.converters.LongConverter"),
      plugin<Converter, builtin::FloatConverter>("org.apache.kafka.connect.converters.FloatConverter"),
      plugin<HeaderConverter, builtin::FloatConverter>("org.apache.kafka.connect.converters.FloatConverter"),
      plugin<Converter, builtin::DoubleConverter>("org.apache.kafka.connect.converters.DoubleConverter"),
      plugin<HeaderConverter, builtin::DoubleConverter>("org.apache.kafka.connect.converters.DoubleConverter"),
      plugin<Converter, builtin::ByteArrayConverter>("org.apache.kafka.connect.converters.ByteArrayConverter"),
      plugin<HeaderConverter, builtin::ByteArrayConverter>("org.apache.kafka.connect.converters.ByteArrayConverter"),
      plugin<Transformation, builtin::Filter>("org.apache.kafka.connect.transforms.Filter"),
      transform_of<builtin::InsertField, RecordPart::Key>("org.apache.kafka.connect.transforms.InsertField$Key"),
      transform_of<builtin::InsertField, RecordPart::Value>("org.apache.kafka.connect.transforms.InsertField$Value"),
      plugin<Transformation, builtin::RegexRouter>("org.apache.kafka.connect.transforms.RegexRouter"),
      plugin<Predicate, builtin::HasHeaderKey>("org.apache.kafka.connect.transforms.predicates.HasHeaderKey"),
      plugin<Predicate, builtin::RecordIsTombstone>("org.apache.kafka.connect.transforms.predicates.RecordIsTombstone"),
      plugin<Predicate, builtin::TopicNameMatches>("org.apache.kafka.connect.transforms.predicates.TopicNameMatches"),
  };
}

}  // namespace fencepost::daemon
