/* sometimes_plugin.c - see sometimes_plugin.h. SPDX-License-Identifier: MIT */
#include "sometimes_plugin.h"

void plugin_note(int came)
{
    note_in_header(came);
    sn_sometimes(came < 0, "in a shared object");
}
