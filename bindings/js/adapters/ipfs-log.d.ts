// ipfs-log.d.ts - the adapter for ipfs-log. SPDX-License-Identifier: MIT
import { Adapter } from '../lib/index.js';

export interface IpfsLogOptions {
  /** What a log looks like; else the payloads of its entries, in their order. */
  state?(log: any): unknown;
}

export function ipfsLog(options?: IpfsLogOptions): Adapter;

/** As much of IPFS as a log uses, in memory. */
export function memoryOf(): any;

/** An identity whose signatures anybody can make. */
export function identityOf(name: string): any;
