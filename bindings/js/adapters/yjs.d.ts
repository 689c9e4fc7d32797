// yjs.d.ts - the adapter for Yjs. SPDX-License-Identifier: MIT
import { Adapter } from '../lib/index.js';

export interface YjsOptions {
  /** Else 1, 2, ... in the order of the replicas. */
  clientID?: number;
  /** Options of restored documents, besides those of the first one. */
  doc?: object;
  /** Types of roots that the recording does not meet, by name. */
  roots?: { [name: string]: Function };
  /** What a document looks like; else the JSON of its roots. */
  state?(doc: any): unknown;
}

/** `Y` is the module that the test uses. */
export function yjs(Y: object, options?: YjsOptions): Adapter;
