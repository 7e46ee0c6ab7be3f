#include "worker/source/make_source.h"

#include <utility>

#include "worker/source/input_paths.h"
#include "worker/source/interrupt.h"
#include "worker/source/lines_source.h"
#include "worker/source/record_parser.h"
#include "worker/source/source_position.h"

namespace retinue::worker {

Result<std::unique_ptr<Source>> make_source(const SourceSpec& spec,
                                            const TableSchema& stream_schema,
                                            std::string_view position, int stdin_fd) {
  RETINUE_ASSIGN(auto parser, make_record_parser(spec, stream_schema));
  SourcePosition committed;
  if (!position.empty()) {
    RETINUE_ASSIGN(committed, decode_position(position));
  }
  RETINUE_ASSIGN(auto inputs, expand_input_paths(spec.paths, [&](const std::string& path) {
                   return committed.find(path);
                 }));
  RETINUE_ASSIGN(auto interrupt, Interrupt::create());
  const LinesSource::Options options{spec.compression, spec.on_bad_line, stdin_fd};
  return std::unique_ptr<Source>(std::make_unique<LinesSource>(
      std::move(inputs), stream_schema, std::move(parser), std::move(interrupt), options));
}

}  // namespace retinue::worker
