/* ired.h - the rules of ired, which liviola shares. SPDX-License-Identifier: MIT */
#ifndef STRATEGY_IRED_H
#define STRATEGY_IRED_H

#include "strategy/walk.h"

void ired_learn(struct walk *w);

#endif
