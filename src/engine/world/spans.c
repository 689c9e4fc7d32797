/* spans.c - see spans.h.
 *
 * What is left out, and why: what the loader protects after relocation (RELRO) cannot be written;
 * .got.plt only caches addresses, and putting it back would resolve each function again in each
 * trial; the loader's own data must agree with the mappings, which stay; sanitizers keep state
 * about the whole process; the root is the library's. SPDX-License-Identifier: MIT
 */
#include "engine/world/spans.h"

#include "engine/world/memory.h"
#include "engine/world/root.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sennit/test.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

enum {
    SPANS_BYTES = 64 << 20, /* address space of a list */
    PAGE = 4096,
    GOT_RESERVED = 3, /* entries of .got.plt before the first function's */
};

/* ---- lists ---------------------------------------------------------------------------------- */

bool spans_init(struct spans *spans)
{
    struct span *at = memory_reserve(SPANS_BYTES);

    *spans = (struct spans){.at = at, .most = at == NULL ? 0 : SPANS_BYTES / sizeof(*at)};
    return at != NULL;
}

void spans_done(struct spans *spans)
{
    memory_release(spans->at, SPANS_BYTES);
    *spans = (struct spans){.at = NULL};
}

bool spans_add(struct spans *spans, const void *start, size_t size)
{
    if (size == 0)
        return true;
    if (spans->count == spans->most)
        return false;
    spans->at[spans->count++] =
        (struct span){.start = (unsigned char *)(uintptr_t)start, .size = size};
    return true;
}

static void sift_down(struct span *at, size_t root, size_t count)
{
    for (;;) {
        size_t child = 2 * root + 1;
        struct span swapped = at[root];

        if (child >= count)
            return;
        if (child + 1 < count && at[child + 1].start > at[child].start)
            child++;
        if (swapped.start >= at[child].start)
            return;
        at[root] = at[child];
        at[child] = swapped;
        root = child;
    }
}

/* Heap sort: libc's qsort may allocate. */
static void sort(struct spans *spans)
{
    for (size_t i = spans->count / 2; i-- > 0;)
        sift_down(spans->at, i, spans->count);
    for (size_t n = spans->count; n-- > 1;) {
        struct span first = spans->at[0];

        spans->at[0] = spans->at[n];
        spans->at[n] = first;
        sift_down(spans->at, 0, n);
    }
}

bool spans_subtract(struct spans *all, struct spans *holes, struct spans *out)
{
    size_t h = 0;
    unsigned char *done = NULL; /* nothing below is looked at again: ranges may overlap */

    sort(all);
    sort(holes);
    for (size_t i = 0; i < all->count; i++) {
        unsigned char *at = all->at[i].start > done ? all->at[i].start : done;
        unsigned char *end = all->at[i].start + all->at[i].size;

        while (at < end) {
            unsigned char *stop = end;

            while (h < holes->count && holes->at[h].start + holes->at[h].size <= at)
                h++;
            if (h < holes->count && holes->at[h].start < end)
                stop = holes->at[h].start;
            if (stop > at && !spans_add(out, at, (size_t)(stop - at)))
                return false;
            at = stop;
            if (h < holes->count && holes->at[h].start <= at && stop < end)
                at = holes->at[h].start + holes->at[h].size;
        }
        if (end > done)
            done = end;
    }
    return true;
}

/* ---- loaded objects ------------------------------------------------------------------------- */

struct collect {
    struct spans *all;
    struct spans *holes;
    bool is_full;
};

/* What the loader's __tls_get_addr takes. Its name cannot be used: a static link would miss it. A
 * weak dlsym is simply not there in a static program, whose thread-local variables always exist. */
struct tls_index {
    unsigned long module;
    unsigned long offset;
};
__attribute__((weak)) void *dlsym(void *restrict handle, const char *restrict name);

static void add(struct collect *c, struct spans *list, uintptr_t start, size_t size)
{
    if (!spans_add(list, (const void *)start, size))
        c->is_full = true;
}

static bool contains(const struct dl_phdr_info *o, uintptr_t address)
{
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *s = &o->dlpi_phdr[i];

        if (s->p_type == PT_LOAD && address - (o->dlpi_addr + s->p_vaddr) < s->p_memsz)
            return true;
    }
    return false;
}

static bool starts_with(const char *s, const char *start)
{
    return strncmp(s, start, strlen(start)) == 0;
}

static bool is_left_out(const struct dl_phdr_info *o)
{
    static const char *const runtimes[] = {"libasan",   "libtsan",     "liblsan",  "libubsan",
                                           "libhwasan", "libclang_rt", "vgpreload"};
    const char *name = o->dlpi_name == NULL ? "" : o->dlpi_name;
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;

    if (memory_loader() != 0 && o->dlpi_addr == memory_loader())
        return true;
    for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
        if (starts_with(base, runtimes[i]))
            return true;
    }
    /* The library itself, if it is an object of its own. */
    return name[0] != '\0' && contains(o, (uintptr_t)&world_root);
}

/* The table that lazy binding fills. */
static void add_plt(struct collect *c, const struct dl_phdr_info *o, const ElfW(Dyn) * dynamic)
{
    uintptr_t got = 0;
    size_t relocations = 0;
    size_t entry = sizeof(ElfW(Rela));

    for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_PLTGOT)
            got = d->d_un.d_ptr;
        else if (d->d_tag == DT_PLTRELSZ)
            relocations = d->d_un.d_val;
        else if (d->d_tag == DT_PLTREL && d->d_un.d_val == DT_REL)
            entry = sizeof(ElfW(Rel));
    }
    if (got == 0)
        return;
    /* glibc has relocated the pointer in place; elsewhere it may still be an offset. */
    if (!contains(o, got))
        got += o->dlpi_addr;
    add(c, c->holes, got, (relocations / entry + GOT_RESERVED) * sizeof(void *));
}

/* The variables of an object that was loaded by dlopen exist once they are used. Asking for them
 * makes them exist, so that what the first trial does to them is undone as well. */
static void *make_tls(size_t module)
{
    void *found = dlsym == NULL ? NULL : dlsym(RTLD_DEFAULT, "__tls_get_addr");
    struct tls_index index = {.module = module, .offset = 0};
    void *(*get)(struct tls_index *);

    if (found == NULL)
        return NULL;
    memcpy(&get, &found, sizeof(get));
    return get(&index);
}

static void add_tls(struct collect *c, const struct dl_phdr_info *o, size_t size)
{
    void *data = o->dlpi_tls_data != NULL ? o->dlpi_tls_data : make_tls(o->dlpi_tls_modid);

    if (data != NULL)
        add(c, c->all, (uintptr_t)data, size);
}

static int visit(struct dl_phdr_info *o, size_t info_size, void *argument)
{
    struct collect *c = argument;
    bool writable = false;

    (void)info_size;
    if (is_left_out(o))
        return 0;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *s = &o->dlpi_phdr[i];
        uintptr_t start = o->dlpi_addr + s->p_vaddr;
        uintptr_t end = start + s->p_memsz;

        if (s->p_type == PT_LOAD && (s->p_flags & PF_W) != 0) {
            add(c, c->all, start, s->p_memsz);
            writable = true;
        } else if (s->p_type == PT_GNU_RELRO) {
            start &= ~(uintptr_t)(PAGE - 1);
            end &= ~(uintptr_t)(PAGE - 1);
            add(c, c->holes, start, end > start ? end - start : 0);
        } else if (s->p_type == PT_DYNAMIC) {
            add_plt(c, o, (const ElfW(Dyn) *)start);
        } else if (s->p_type == PT_TLS && o->dlpi_tls_modid != 0) {
            add_tls(c, o, s->p_memsz);
        }
    }
    if (writable) {
        const char *name = o->dlpi_name == NULL ? "" : o->dlpi_name;

        if (!profile_holes(o, name[0] == '\0' ? "/proc/self/exe" : name, c->holes))
            c->is_full = true;
    }
    return 0;
}

/* ---- the thread's descriptor ---------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GLIBC__)

__attribute__((weak)) extern const ptrdiff_t __rseq_offset;

enum {
    PTHREAD_TID = 720,   /* after the header that the ABI fixes and a list that is the loader's */
    PTHREAD_SAVED = 728, /* the thread's number belongs to the process: a fork changes it */
};

/* glibc keeps pthread_setspecific's values, strerror's buffer and more between its header and the
 * kernel's rseq area. The layout is the same from 2.35 to 2.40; the thread's own number at its
 * place confirms it. */
static int add_thread(struct collect *c, struct err *why)
{
    const char *version = gnu_get_libc_version();
    uintptr_t self = (uintptr_t)pthread_self();
    char *end = NULL;
    long minor = 0;
    int tid = 0;

    if (starts_with(version, "2."))
        minor = strtol(version + 2, &end, 10);
    if (minor < 35 || minor > 40 || &__rseq_offset == NULL)
        return err_set(why, SN_ESYSTEM, "memory of glibc %s is not known (2.35 to 2.40 is)",
                       version);
    memcpy(&tid, (const void *)(self + PTHREAD_TID), sizeof(tid));
    if (tid != (int)syscall(SYS_gettid) || __rseq_offset < 1024 || __rseq_offset > PAGE)
        return err_set(why, SN_ESYSTEM, "glibc %s lays out its threads in an unknown way", version);
    add(c, c->all, self + PTHREAD_SAVED, (size_t)__rseq_offset - PTHREAD_SAVED);
    return 0;
}

#else

static int add_thread(struct collect *c, struct err *why)
{
    (void)c;
    return err_set(why, SN_ESYSTEM,
                   "how libc lays out its threads is only known for glibc on x86-64");
}

#endif

int spans_collect(struct spans *out, struct err *why)
{
    struct spans all;
    struct spans holes;
    struct collect c = {.all = &all, .holes = &holes};
    int rc = SN_ENOMEM;

    if (!spans_init(&all))
        goto out;
    if (!spans_init(&holes))
        goto out_all;
    (void)dl_iterate_phdr(visit, &c);
    add(&c, &holes, (uintptr_t)&world_root, sizeof(world_root));
    rc = add_thread(&c, why);
    if (rc < 0)
        goto out_holes;
    out->count = 0;
    if (c.is_full || !spans_subtract(&all, &holes, out))
        rc = SN_ENOMEM;
out_holes:
    spans_done(&holes);
out_all:
    spans_done(&all);
out:
    if (rc == SN_ENOMEM)
        return err_set(why, rc, "no address space for the list of the program's variables");
    return rc;
}

struct file_end {
    uintptr_t address;
    uintptr_t end;
};

static int find_file_end(struct dl_phdr_info *o, size_t info_size, void *argument)
{
    struct file_end *f = argument;

    (void)info_size;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *s = &o->dlpi_phdr[i];
        uintptr_t start = o->dlpi_addr + s->p_vaddr;

        if (s->p_type == PT_LOAD && f->address - start < s->p_memsz)
            f->end = start + s->p_filesz;
    }
    return f->end != 0;
}

unsigned char *spans_file_end(const unsigned char *p)
{
    struct file_end f = {.address = (uintptr_t)p};

    (void)dl_iterate_phdr(find_file_end, &f);
    return (unsigned char *)f.end;
}

static int first_object(struct dl_phdr_info *o, size_t info_size, void *argument)
{
    (void)info_size;
    *(uint64_t *)argument = o->dlpi_adds;
    return 1;
}

uint64_t spans_loads(void)
{
    uint64_t adds = 0;

    (void)dl_iterate_phdr(first_object, &adds);
    return adds;
}
