/* plugin.c - loaded by test_symbols: calls back from another file. SPDX-License-Identifier: MIT */
void plugin_call(void (*back)(void));

void plugin_call(void (*back)(void))
{
    back();
}
