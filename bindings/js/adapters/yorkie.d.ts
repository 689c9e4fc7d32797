// yorkie.d.ts - the adapter for Yorkie. SPDX-License-Identifier: MIT
import { Adapter } from '../lib/index.js';

export interface YorkieOptions {
  /** 24 hexadecimal digits; else numbers that count up with the replicas. */
  actor?: string;
  /** The key of restored documents; else that of the first one. */
  key?: string;
  /** What a document looks like; else its JSON. */
  state?(doc: any): unknown;
}

export function yorkie(options?: YorkieOptions): Adapter;
