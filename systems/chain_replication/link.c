/* link.c - one end of a connection between neighbours in the chain. SPDX-License-Identifier: MIT */
#include "link.h"

static void transmit(struct link *link, uint32_t number);

void link_open(struct link *link, uint32_t self, uint32_t peer, uint32_t epoch)
{
    link->self = self;
    link->peer = peer;
    link->epoch = epoch;
    link->sent = 0;
    link->receipts = 0;
    link->taken = 0;
}

void link_close(struct link *link)
{
    link->peer = 0;
}

bool link_send(struct link *link, const struct chain_note *note)
{
    if (link->sent - link->receipts == LINK_NOTES_MAX)
        return false;
    link->sent++;
    link->notes[link->sent % LINK_NOTES_MAX] = *note;
    transmit(link, link->sent);
    return true;
}

/* A note that came already is acknowledged again: the first receipt may have been lost. */
bool link_on_segment(struct link *link, const struct chain_segment *segment)
{
    bool is_next = segment->number == link->taken + 1;

    if (link->peer == 0 || segment->from != link->peer || segment->epoch != link->epoch)
        return false;
    if (segment->receipt > link->receipts && segment->receipt <= link->sent)
        link->receipts = segment->receipt;
    if (segment->number == 0)
        return false;
    if (is_next)
        link->taken++;
    transmit(link, 0);
    return is_next;
}

void link_on_tick(struct link *link)
{
    if (link->peer == 0)
        return;
    for (uint32_t number = link->receipts + 1; number <= link->sent; number++)
        transmit(link, number);
}

/* Number 0 is a receipt without a note. */
static void transmit(struct link *link, uint32_t number)
{
    struct chain_segment segment = {
        .from = link->self,
        .epoch = link->epoch,
        .number = number,
        .receipt = link->taken,
    };

    if (number > 0)
        segment.note = link->notes[number % LINK_NOTES_MAX];
    link->send(link->io_self, link->peer, &segment);
}
