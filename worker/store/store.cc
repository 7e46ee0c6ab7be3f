#include "worker/store/store.h"

#include "protocol/values/key_codec.h"

namespace retinue::worker {

void EpochCommit::clear() {
  partition = {};
  epoch = {};
  state_owner = {};
  states.clear();
  appends.clear();
  consumed_begin = {};
  consumed_end = {};
  dead_letters.clear();
  settled_dead_letters.clear();
  progress.clear();
}

void append_state_row_key(std::string& out, OwnerNumber owner, std::string_view hash_and_key,
                          StateNumber state) {
  append_big_endian(out, owner.value());
  out.append(hash_and_key);
  append_big_endian(out, state.value());
}

}  // namespace retinue::worker
