/* stripped.c - loaded by test_symbols: of its two functions only the first one has a symbol, when
 * what is not needed is taken out of the file. SPDX-License-Identifier: MIT
 */
void stripped_call(void (*back)(void));
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

static void hidden(void (*back)(void)) APART;

void stripped_call(void (*back)(void))
{
    hidden(back);
}

static void hidden(void (*back)(void))
{
    back();
}
