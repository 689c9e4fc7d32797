/* words.h - events and values of synchronisers as people write them: WRITE 'a' -> none.
 * SPDX-License-Identifier: MIT
 */
#ifndef SYNC_WORDS_H
#define SYNC_WORDS_H

#include <sennit/sync.h>

/* 'a', or what it is called; none: there is no file; DIR: a directory. */
void words_value(struct sn_text *out, const struct sn_sync_names *names, uint32_t value);

/* {'a', 'b'} */
void words_values(struct sn_text *out, const struct sn_sync_names *names, uint64_t values);

/* An event without its node; with its file if there are several. */
void words_event(struct sn_text *out, const struct sn_sync_names *names, uint32_t n_nodes,
                 bool has_files, const struct sn_sync_event *event);

void words_file(struct sn_text *out, const struct sn_sync_names *names, uint32_t file);

#endif
