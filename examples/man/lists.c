/* lists.c - sn_list_begin, sn_list_next, sn_list_end, sn_ints, sn_string and sn_bytes: lists of
 * values. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>
#include <string.h>

/* Words become one text, separated by commas, in which all of them are. */
static void joined_texts_contain_their_parts(void)
{
    struct sn_list list = sn_list_begin("words", 0, 8);
    char all[128] = "";

    while (sn_list_next(&list)) {
        const char *word = sn_string("word", "abc", 1, 10);

        if (strlen(all) + strlen(word) + 2 > sizeof(all)) {
            sn_list_end(&list);
            break;
        }
        if (list.n > 1)
            (void)strncat(all, ",", 2);
        (void)strncat(all, word, sizeof(all) - strlen(all) - 1);
        sn_assert(strstr(all, word) != NULL);
    }
}

static void a_sum_is_the_same_from_either_end(void)
{
    size_t n;
    int64_t *xs = sn_ints("xs", 0, 50, -1000, 1000, &n);
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += xs[i];
    for (size_t i = n; i > 0; i--)
        sum -= xs[i - 1];
    sn_assert(sum == 0);
}

static void bytes_are_counted(void)
{
    size_t n;
    const unsigned char *bytes = sn_bytes("bytes", 0, 100, &n);
    size_t zeroes = 0;

    for (size_t i = 0; i < n; i++)
        zeroes += bytes[i] == 0;
    sn_assert(zeroes <= n);
}

static const struct sn_test tests[] = {
    SN_PROPERTY(joined_texts_contain_their_parts),
    SN_PROPERTY(a_sum_is_the_same_from_either_end),
    SN_PROPERTY(bytes_are_counted),
    {0},
};
static const struct sn_suite suite = {.name = "lists", .tests = tests};

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
