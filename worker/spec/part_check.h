// What must hold between the parts of a spec, after each of them was read.
#pragma once

#include "worker/spec/problem.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

// Every stream, companion and computation that is named exists, and no list names one twice.
void check_references(const PipelineSpec& spec, Problems& problems);

// Every stream has one producer and at least one consumer, every cycle is fed from outside,
// and none is of one computation.
void check_graph(const PipelineSpec& spec, Problems& problems);

// Key columns are columns of every input stream; a source's stream has the columns it fills.
void check_schemas(const PipelineSpec& spec, Problems& problems);

// Dead-letter streams have columns of dead letters, and no other use.
void check_dead_letters(const PipelineSpec& spec, Problems& problems);

// Nothing is written by two, standard input and output are used once, and no source reads what the
// pipeline writes.
void check_files(const PipelineSpec& spec, Problems& problems);

// The path of a field of a computation or a sink.
std::string part_path(std::string_view section, std::string_view id, std::string_view field);

}  // namespace retinue::worker
