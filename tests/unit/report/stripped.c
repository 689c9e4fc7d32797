/* stripped.c - loaded by test_symbols: of its two functions only the first one has a symbol, when
 * what is not needed is taken out of the file. SPDX-License-Identifier: MIT
 */
void stripped_call(void (*back)(void));
static void hidden(void (*back)(void)) __attribute__((noinline, noipa));

void stripped_call(void (*back)(void))
{
    hidden(back);
}

static void hidden(void (*back)(void))
{
    back();
}
