/* check_model.c - finds the model that `sennit check` is to use. SPDX-License-Identifier: MIT */
#include "cli/check.h"
#include "cli/cli.h"

#include <dlfcn.h>
#include <sennit/sync.h>
#include <stdio.h>
#include <string.h>

/* A model of a user. The shared object stays open until the command ends. */
static const struct sn_model *load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct sn_model *model;

    if (library == NULL) {
        (void)cli_fail("the model cannot be loaded: %s", dlerror());
        return NULL;
    }
    model = dlsym(library, "sn_model");
    if (model == NULL) {
        (void)cli_fail("%s does not define `const struct sn_model sn_model`", path);
        return NULL;
    }
    if (model->name == NULL || model->functions == NULL || model->step == NULL) {
        (void)cli_fail("%s: the model lacks a name, functions or step", path);
        return NULL;
    }
    return model;
}

const struct sn_model *check_find_model(const char *name)
{
    const struct sn_model *model = sn_model_find(name);
    size_t n = strlen(name);
    char path[4096];

    if (model != NULL)
        return model;
    if (strchr(name, '/') != NULL)
        return load(name);
    if (n > 3 && n < sizeof(path) - 2 && strcmp(name + n - 3, ".so") == 0) {
        (void)snprintf(path, sizeof(path), "./%s", name);
        return load(path);
    }
    (void)cli_fail("there is no model %s; `sennit check --list-models` lists them", name);
    return NULL;
}

void check_list_models(void)
{
    const struct sn_model *model;
    const struct sn_sync_rules *rules;

    for (size_t i = 0; (model = sn_model_at(i)) != NULL; i++)
        printf("%-15s %s\n", model->name, model->about);
    printf("%-15s %s\n", "sync", "files on several nodes; by the rules:");
    for (size_t i = 0; (rules = sn_sync_rules_at(i)) != NULL; i++)
        printf("  %-13s %s\n", rules->name, rules->about);
}

bool check_is_sync(const struct check_request *request)
{
    return strcmp(request->model, "sync") == 0;
}
