/* sennit/sometimes.h - what must happen in at least one trial.
 *
 * An assertion says what must never happen. That no assertion fails means little if the trials
 * never got to where it could: these say what a run must have shown before its silence counts.
 * docs/coverage.md says how they are reported.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_SOMETIMES_H
#define SENNIT_SOMETIMES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A place in the program that says so. Filled in by the macros. */
struct sn_site {
    const char *name;
    const char *file;
    const char *condition; /* as it is written; NULL: of sn_reachable, which has none */
    int line;
    bool seen[2]; /* by the library: it was reached; its condition held, too */
    unsigned number;
    struct sn_site *next;
};

/* The condition must hold here in at least one trial of a run. Name is a string constant, by which
 * it is reported. May be used wherever code of a test runs: in handlers, entry and exit actions,
 * monitors and functions that these call. Outside a trial it does nothing. */
#define sn_sometimes(cond_, name_)                                                                 \
    do {                                                                                           \
        SN_SITE_(name_, #cond_);                                                                   \
        bool sn_holds_ = (cond_) ? true : false;                                                   \
                                                                                                   \
        if (__builtin_expect(!sn_site_->seen[sn_holds_], 0))                                       \
            sn_site_meet_(sn_site_, sn_holds_);                                                    \
    } while (0)

/* At least one trial of a run must get here. Otherwise the same. */
#define sn_reachable(name_)                                                                        \
    do {                                                                                           \
        SN_SITE_(name_, NULL);                                                                     \
                                                                                                   \
        if (__builtin_expect(!sn_site_->seen[1], 0))                                               \
            sn_site_meet_(sn_site_, true);                                                         \
    } while (0)

/* A place that held in no trial of any run of this process so far; `after` is the one before it,
 * NULL at first. For programs with another runner, when they are done. Returns NULL if there are no
 * more. */
const struct sn_site *sn_site_unmet(const struct sn_site *after);

/* What the macros call. */
void sn_site_meet_(struct sn_site *site, bool holds);

/* Makes places known, so that those that nobody ever gets to are reported, too: called when the
 * program, or a shared object with such places, is loaded and unloaded. */
void sn_sites_load_(struct sn_site **first, struct sn_site **end);
void sn_sites_unload_(struct sn_site **first, struct sn_site **end);

#pragma GCC visibility pop
#ifdef __cplusplus
}

/* Functions of C++ may be in several objects at once, which sections cannot: here a variable is
 * initialised before main for each place. */
template <class Place> struct sn_site_at_ {
    static struct sn_site site;
    static struct sn_site_known_ {
        struct sn_site *entry;
        sn_site_known_() : entry(&site)
        {
            sn_sites_load_(&entry, &entry + 1);
        }
        ~sn_site_known_()
        {
            sn_sites_unload_(&entry, &entry + 1);
        }
    } known;
};
template <class Place> struct sn_site sn_site_at_<Place>::site = {
    Place::name(), Place::file(), Place::condition(), Place::line(), {false, false}, 0, NULL
};
template <class Place> typename sn_site_at_<Place>::sn_site_known_ sn_site_at_<Place>::known;

#define SN_SITE_(name_, condition_)                                                                \
    struct sn_place_ {                                                                             \
        static constexpr const char *name()                                                        \
        {                                                                                          \
            return name_;                                                                          \
        }                                                                                          \
        static constexpr const char *file()                                                        \
        {                                                                                          \
            return __FILE__;                                                                       \
        }                                                                                          \
        static constexpr const char *condition()                                                   \
        {                                                                                          \
            return condition_;                                                                     \
        }                                                                                          \
        static constexpr int line()                                                                \
        {                                                                                          \
            return __LINE__;                                                                       \
        }                                                                                          \
    };                                                                                             \
    struct sn_site *sn_site_ = sn_site_at_<sn_place_>::known.entry
#else

/* Each place leaves a pointer to itself in a section of the object that it is linked into, whose
 * ends the linker knows. */
#if defined(__has_attribute)
#if __has_attribute(retain)
#define SN_SITE_KEPT_ __attribute__((section("sn_sites"), used, retain))
#endif
#endif
#ifndef SN_SITE_KEPT_
#define SN_SITE_KEPT_ __attribute__((section("sn_sites"), used))
#endif

#define SN_SITE_(name_, condition_)                                                                \
    static struct sn_site sn_site_here_ = {name_,          __FILE__, condition_, __LINE__,         \
                                           {false, false}, 0,        NULL};                        \
    static struct sn_site *sn_site_entry_ SN_SITE_KEPT_ = &sn_site_here_;                          \
    struct sn_site *sn_site_ = &sn_site_here_

extern struct sn_site *__start_sn_sites[] __attribute__((weak, visibility("hidden")));
extern struct sn_site *__stop_sn_sites[] __attribute__((weak, visibility("hidden")));

/* Makes those of this object known when it is loaded. */
static __attribute__((constructor, used)) void sn_sites_here_load_(void)
{
    sn_sites_load_(__start_sn_sites, __stop_sn_sites);
}

/* ... and forgets them when it is not any more. */
static __attribute__((destructor, used)) void sn_sites_here_unload_(void)
{
    sn_sites_unload_(__start_sn_sites, __stop_sn_sites);
}
#endif

#endif
