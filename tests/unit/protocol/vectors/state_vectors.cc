#include "protocol/frame/wire_values.h"
#include "tests/unit/protocol/vectors/vector_set.h"

namespace retinue::vectors {

namespace {

const Row kNoProfile = {Null{}, Null{}, Null{}};

std::vector<Row> four_keys() {
  return {key("a"), key("b"), key("c"), key("d")};
}

wire::Batch::Builder begin_visit_batch(wire::Envelope::Builder envelope) {
  auto batch = envelope.initBatch();
  batch.setJob(kJob);
  batch.setEpoch(kEpoch);
  batch.setAttempt(1);
  batch.setNowUs(kNowUs);
  write_rows_of(batch.initKeys(), key_schema(), four_keys());
  auto visits = batch.initVisits(1)[0];
  visits.setStream("sweep");
  visits.setCount(4);
  visits.setKeyIndexes(data(u32s({0, 1, 2, 3})));
  visits.setOrders(data(u32s({0, 1, 2, 3})));
  return batch;
}

// Key 0 has a value, 1 a value of no bytes, 2 is absent, 3 is not loaded.
void set_internal(wire::InternalStates::Builder state) {
  state.setName("counter");
  state.setLoaded(data(bits({true, true, true, false})));
  write_strings(state.initValues(), {std::string("12"), std::string(), Null{}, Null{}});
}

// Key 0 has a row, 1 a row of nulls, 2 none, 3 is not loaded.
void set_rows(wire::RowStates::Builder state, const char* name) {
  state.setName(name);
  state.setRevision(1);
  state.setLoaded(data(bits({true, true, true, false})));
  state.setPresent(data(bits({true, true, false, false})));
  write_rows_of(state.initRows(), profile_schema(),
                {{std::string("Ann"), uint64_t{3}, true}, kNoProfile, kNoProfile, kNoProfile});
}

void add_batches(VectorSet& set) {
  set.add("batch_internal_states", [](wire::Envelope::Builder envelope) {
    auto states = begin_visit_batch(envelope).initInternalStates(3);
    set_internal(states[0]);
    // Every key is loaded and has a value: neither bitmap is there.
    states[1].setName("settings");
    states[1].setFormat(wire::StateFormat::YSON);
    write_strings(states[1].initValues(),
                  {std::string("{}"), std::string("{a=1}"), std::string("[]"), std::string("#")});
    // Every key is loaded, none has a value.
    states[2].setName("history");
    states[2].setFormat(wire::StateFormat::PROTO);
    write_strings(states[2].initValues(), {Null{}, Null{}, Null{}, Null{}});
  });
  set.add("batch_row_states", [](wire::Envelope::Builder envelope) {
    auto batch = begin_visit_batch(envelope);
    set_rows(batch.initExternalStates(1)[0], "/profiles");
    auto joined = batch.initJoinedStates(2);
    // Of key 3 nothing is known: its source could not be read.
    set_rows(joined[0], "/countries");
    joined[0].setUnreadable(data(bits({false, false, false, true})));
    joined[1].setName("/cities");
    joined[1].setRevision(2);
    std::vector<Row> rows(4, Row{std::string("Oslo"), uint64_t{1}, false});
    write_rows_of(joined[1].initRows(), profile_schema(), rows);
  });
}

void add_loads(VectorSet& set) {
  set.add("load_states", [](wire::Envelope::Builder envelope) {
    auto load = envelope.initLoadStates();
    load.setJob(kJob);
    load.setEpoch(kEpoch);
    load.setRequest(5);
    auto states = load.initStates(2);
    states.set(0, "settings");
    states.set(1, "/countries");
    load.setKeyIndexes(data(u32s({1, 3})));
  });
  set.add("states_loaded", [](wire::Envelope::Builder envelope) {
    auto loaded = envelope.initStatesLoaded();
    loaded.setJob(kJob);
    loaded.setEpoch(kEpoch);
    loaded.setRequest(5);
    auto internal = loaded.initInternalStates(1)[0];
    internal.setName("settings");
    internal.setFormat(wire::StateFormat::YSON);
    internal.setLoaded(data(bits({false, true, false, true})));
    write_strings(internal.initValues(), {Null{}, std::string("{a=1}"), Null{}, Null{}});
    auto joined = loaded.initJoinedStates(1)[0];
    joined.setName("/countries");
    joined.setRevision(1);
    joined.setLoaded(data(bits({false, true, false, true})));
    joined.setPresent(data(bits({false, true, false, false})));
    write_rows_of(joined.initRows(), profile_schema(),
                  {kNoProfile, {std::string("Chile"), uint64_t{0}, true}, kNoProfile, kNoProfile});
  });
  set.add("states_loaded_error", [](wire::Envelope::Builder envelope) {
    auto loaded = envelope.initStatesLoaded();
    loaded.setJob(kJob);
    loaded.setEpoch(kEpoch);
    loaded.setRequest(6);
    write_error(loaded.initError(), {ErrorCode::kNotFound, "the job declares no state \"setings\""},
                "Name a state of the OpenJob.");
  });
}

}  // namespace

void add_state_vectors(VectorSet& set) {
  add_batches(set);
  add_loads(set);
}

}  // namespace retinue::vectors
