@0xd1a5f2c39b7e4806;
# The protocol between the Retinue worker and its companions, version 1.0.
#
# This schema is normative together with protocol/PROTOCOL.md, which says who sends what when. Every
# message on the socket is one Envelope in the standard Cap'n Proto stream framing. Fields are only
# ever added; a reader ignores what it does not know.
#
# Timestamps are microseconds since the Unix epoch. Vectors are Data holding packed little-endian
# numbers, so that every language can read them in place.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("retinue::wire");

struct Envelope {
  union {
    unknown @0 :Void;           # what a newer peer's message looks like to an older reader
    # session
    hello @1 :Hello;            # C -> W
    welcome @2 :Welcome;        # W -> C
    reject @3 :Reject;          # W -> C
    ping @4 :Ping;              # both
    pong @5 :Pong;              # both
    log @6 :Log;                # C -> W
    drain @7 :Drain;            # W -> C
    goodbye @8 :Goodbye;        # both
    # jobs
    openJob @9 :OpenJob;        # W -> C
    jobReady @10 :JobReady;     # C -> W
    jobFailed @11 :JobFailed;   # C -> W
    updateJob @12 :UpdateJob;   # W -> C
    closeJob @13 :CloseJob;     # W -> C
    # work
    batch @14 :Batch;               # W -> C
    batchDone @15 :BatchDone;       # C -> W
    batchFailed @16 :BatchFailed;   # C -> W
    loadStates @17 :LoadStates;     # C -> W
    statesLoaded @18 :StatesLoaded; # W -> C
  }
}

# --- session

struct Version {
  major @0 :UInt16;
  minor @1 :UInt16;
}

struct Hello {
  minVersion @0 :Version;
  maxVersion @1 :Version;
  sdk @2 :Text;             # "retinue-cpp 0.1.0"
  language @3 :Text;        # "c++"
  pid @4 :UInt64;           # 0 when not known
  token @5 :Text;
  companion @6 :Text;       # the name under `companions` in the spec
  functions @7 :List(Function);
  capabilities @8 :List(Text);
}

struct Function {
  name @0 :Text;
  processesTimers @1 :Bool;
  processesVisits @2 :Bool;
}

struct Welcome {
  version @0 :Version;
  sessionId @1 :UInt64;
  worker @2 :Text;              # "retinue 0.1.0"
  pipeline @3 :Text;
  heartbeatIntervalUs @4 :Int64;
  limits @5 :Limits;
  capabilities @6 :List(Text);  # those of the Hello that the worker grants
}

struct Limits {
  frameBytes @0 :UInt64;
  valueBytes @1 :UInt64;
  keyBytes @2 :UInt64;
  batchRows @3 :UInt32;
  batchesInFlight @4 :UInt32;   # a job
}

struct Reject {
  error @0 :ErrorInfo;
  minVersion @1 :Version;   # what the worker speaks
  maxVersion @2 :Version;
}

struct Ping { nonce @0 :UInt64; }
struct Pong { nonce @0 :UInt64; }

struct Log {
  level @0 :LogLevel;
  message @1 :Text;
  job @2 :UInt64;           # 0 when not about a job
  fields @3 :List(LogField);
  timestampUs @4 :Int64;
}
enum LogLevel { debug @0; info @1; warning @2; error @3; }
struct LogField { name @0 :Text; value @1 :Text; }

# Finish what is out, take nothing more, then say Goodbye.
struct Drain { deadlineUs @0 :Int64; }
struct Goodbye { reason @0 :Text; }

# The codes are ErrorCode of protocol/base/error.h, documented in docs/errors/.
struct ErrorInfo {
  code @0 :UInt16;
  message @1 :Text;
  remedy @2 :Text;
}

# --- jobs: one partition of one computation on one session

struct OpenJob {
  job @0 :UInt64;
  computation @1 :Text;
  partition @2 :UInt32;
  partitionCount @3 :UInt32;
  kind @4 :ComputationKind;
  function @5 :Text;
  keySchema @6 :Schema;
  streams @7 :List(Stream);
  internalStates @8 :List(InternalStateSpec);
  externalStates @9 :List(RowStateSpec);
  joinedStates @10 :List(RowStateSpec);
  parameters @11 :Data;         # YSON map
  dynamicParameters @12 :Data;  # YSON map
  lowestKeyHash @13 :UInt64;    # the partition's range, both ends included
  highestKeyHash @14 :UInt64;
}

enum ComputationKind { transform @0; orderedSource @1; swiftMap @2; }

struct Stream {
  name @0 :Text;
  role @1 :StreamRole;
  revision @2 :UInt32;
  schema @3 :Schema;            # empty for timers and visits
}
enum StreamRole { input @0; output @1; timer @2; visit @3; }

struct Schema { columns @0 :List(ColumnSchema); }
struct ColumnSchema {
  name @0 :Text;
  type @1 :ColumnType;
  required @2 :Bool;
  expression @3 :Text;
}
enum ColumnType { invalid @0; int64 @1; uint64 @2; double @3; boolean @4; string @5; any @6; }

struct InternalStateSpec {
  name @0 :Text;
  format @1 :StateFormat;
  protoType @2 :Text;           # full message name, for proto
  autoPreload @3 :Bool = true;
}
enum StateFormat { raw @0; yson @1; proto @2; }

struct RowStateSpec {
  name @0 :Text;                # begins with "/"
  keySchema @1 :Schema;
  valueSchema @2 :Schema;
  autoPreload @3 :Bool = true;
}

struct JobReady { job @0 :UInt64; }
struct JobFailed {
  job @0 :UInt64;
  error @1 :ErrorInfo;
}

# What changed, of a job that is open. Takes effect with the next Batch.
struct UpdateJob {
  job @0 :UInt64;
  dynamicParameters @1 :Data;   # null: unchanged
  streams @2 :List(Stream);     # new schema revisions; empty: unchanged
}

struct CloseJob {
  job @0 :UInt64;
  reason @1 :Text;
}

# --- rows

struct RowBatch {
  rowCount @0 :UInt32;
  columns @1 :List(ColumnData); # in the schema's order
}

struct ColumnData {
  type @0 :ColumnType;
  validity @1 :Data;  # bitmap, bit i of byte i/8 (least significant first) set: row i is present.
                      # Null: every row is present.
  values @2 :Data;    # int64, uint64, double: 8 bytes a row, little-endian. boolean: a bitmap.
                      # string, any: the bytes of all rows, one after the other.
  offsets @3 :Data;   # string, any: rowCount + 1 uint32 into values, beginning with 0.
}

# --- work

struct Batch {
  job @0 :UInt64;
  epoch @1 :UInt64;
  attempt @2 :UInt32;           # 1 the first time this batch is shipped
  deadlineUs @3 :Int64;
  nowUs @4 :Int64;
  watermarks @5 :List(Watermark);
  keys @6 :RowBatch;            # one row a key, by OpenJob.keySchema; keyIndexes refer to its rows
  messages @7 :List(MessageGroup);
  timers @8 :List(TimerGroup);
  visits @9 :List(VisitGroup);
  internalStates @10 :List(InternalStates);
  externalStates @11 :List(RowStates);
  joinedStates @12 :List(RowStates);
}

struct Watermark {
  stream @0 :Text;
  timestampUs @1 :Int64;
}

# The messages of one stream, in order. `orders` place every input of the batch in one total order:
# the positions of all groups together are 0 .. n-1. A companion MUST process the inputs of one key
# in that order.
struct MessageGroup {
  stream @0 :Text;
  revision @1 :UInt32;
  rows @2 :RowBatch;
  keyIndexes @3 :Data;          # uint32 a row
  orders @4 :Data;              # uint32 a row. Null: 0 .. rowCount-1
  runs @5 :List(MessageRun);    # their counts add up to rowCount
  eventTimestamps @6 :Data;     # int64 a row. Null: each message's system timestamp
  late @7 :Data;                # bitmap of messages behind the watermark. Null: none
}

# Consecutive messages with consecutive ids: id i of the run is (sequence, firstIndex + i).
struct MessageRun {
  count @0 :UInt32;
  sequence @1 :UInt64;
  firstIndex @2 :UInt32;
  systemTimestampUs @3 :Int64;
}

struct TimerGroup {
  stream @0 :Text;
  count @1 :UInt32;
  keyIndexes @2 :Data;          # uint32 each
  orders @3 :Data;              # uint32 each; never null
  triggers @4 :Data;            # int64 each
  eventTimestamps @5 :Data;     # int64 each. Null: equal to the triggers
}

struct VisitGroup {
  stream @0 :Text;
  count @1 :UInt32;
  keyIndexes @2 :Data;          # uint32 each
  orders @3 :Data;              # uint32 each; never null
  eventTimestamps @4 :Data;     # int64 each. Null: equal to nowUs
  pass @5 :UInt64;
}

# One named internal state for the keys of the batch. A key is loaded or not; a loaded key has a
# value (maybe of no bytes) or is absent.
struct InternalStates {
  name @0 :Text;
  format @1 :StateFormat;
  loaded @2 :Data;              # bitmap a key. Null: every key is loaded
  values @3 :ColumnData;        # type string, one row a key; not valid: absent
}

# An external or joined state: whole rows.
struct RowStates {
  name @0 :Text;
  revision @1 :UInt32;
  loaded @2 :Data;              # bitmap a key. Null: every key is loaded
  present @3 :Data;             # bitmap a key. Null: every loaded key has a row
  rows @4 :RowBatch;            # one row a key; absent and not loaded keys have all null
  unreadable @5 :Data;          # bitmap: the source could not be read, nothing is known. Null: none
}

struct BatchDone {
  job @0 :UInt64;
  epoch @1 :UInt64;
  attempt @2 :UInt32;
  outputs @3 :List(OutputGroup);
  timers @4 :List(NewTimers);
  cancelledTimers @5 :List(CancelledTimers);
  internalStates @6 :List(InternalStateDelta);
  externalStates @7 :List(RowStateDelta);
  cost @8 :Cost;
}

struct Cost {
  cpuTimeNs @0 :UInt64;
  wallTimeNs @1 :UInt64;
}

# The messages emitted to one stream, in the order they were emitted.
struct OutputGroup {
  stream @0 :Text;
  revision @1 :UInt32;
  rows @2 :RowBatch;
  parents @3 :Data;             # uint32 order positions of the inputs each row comes from
  parentOffsets @4 :Data;       # rowCount + 1 uint32 into parents. Null: exactly one parent a row
  eventTimestamps @5 :Data;     # int64 a row. Null: the minimum over the row's parents
}

struct NewTimers {
  stream @0 :Text;
  keyIndexes @1 :Data;          # uint32 each
  triggers @2 :Data;            # int64 each
  eventTimestamps @3 :Data;     # int64 each. Null: equal to the triggers
  parents @4 :Data;             # uint32 order positions, one each
}

struct CancelledTimers {
  stream @0 :Text;
  keyIndexes @1 :Data;          # uint32 each
  triggers @2 :Data;            # int64 each
}

# Only what changed: one entry a key, at most. A key that is not mentioned keeps its state.
struct InternalStateDelta {
  name @0 :Text;
  keyIndexes @1 :Data;          # uint32 each, ascending
  values @2 :ColumnData;        # type string, one row an entry; not valid: clear the state
}

struct RowStateDelta {
  name @0 :Text;
  revision @1 :UInt32;
  keyIndexes @2 :Data;          # uint32 each, ascending
  cleared @3 :Data;             # bitmap an entry. Null: none
  columns @4 :List(UInt32);     # which columns of the schema `rows` carries. Empty: all
  rows @5 :RowBatch;            # one row an entry, of those columns; the others keep their values
}

# The whole batch failed; nothing of it is committed.
struct BatchFailed {
  job @0 :UInt64;
  epoch @1 :UInt64;
  attempt @2 :UInt32;
  error @3 :ErrorInfo;
  hasInput @4 :Bool;            # `order` names the input that failed
  order @5 :UInt32;
  exceptionType @6 :Text;
  trace @7 :Text;               # as the language prints it, innermost last
}

# States of keys of the batch that were not preloaded.
struct LoadStates {
  job @0 :UInt64;
  epoch @1 :UInt64;
  request @2 :UInt64;           # echoed
  states @3 :List(Text);
  keyIndexes @4 :Data;          # uint32 each
}

struct StatesLoaded {
  job @0 :UInt64;
  epoch @1 :UInt64;
  request @2 :UInt64;
  internalStates @3 :List(InternalStates);  # rows of all keys of the batch; `loaded` marks these
  externalStates @4 :List(RowStates);
  joinedStates @5 :List(RowStates);
  error @6 :ErrorInfo;                      # code 0: none
}
