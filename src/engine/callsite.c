/* callsite.c - see callsite.h. SPDX-License-Identifier: MIT */
#include "engine/callsite.h"

#include "base/hash.h"

#include <string.h>

enum { READS_MAX = 16 }; /* then what is in no file is not looked for again */

/* Of its last part alone, so that the folder does not matter. */
static uint32_t name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    return (uint32_t)hash_add(HASH_START, name, strlen(name));
}

uint32_t callsite_find(struct callsites *sites, uint64_t address)
{
    const struct module *module = modules_find(&sites->modules, address);

    if (module == NULL && sites->reads < READS_MAX) {
        sites->reads++;
        modules_record(&sites->modules);
        module = modules_find(&sites->modules, address);
    }
    if (module == NULL)
        return 0;
    sites->start = module->start;
    sites->size = module->end - module->start;
    sites->name = name_of(module->path);
    return sites->name + (uint32_t)(address - module->start);
}
