// splitmix.js - splitmix64 in two halves of 32 bits.
//
// BigInt would say the same in four lines, at fifty times the price, and libraries draw random
// numbers inside of events. SPDX-License-Identifier: MIT
'use strict';

const TWO_32 = 0x100000000;

class Splitmix {
  constructor() {
    this.high = 0; // the state
    this.low = 0;
    this.outHigh = 0; // the value drawn last
    this.outLow = 0;
  }

  /** Begins anew from seed + offset; the seed is a BigInt, of which the lower 64 bits count. */
  begin(seed, offset) {
    const state = BigInt.asUintN(64, seed + BigInt(offset));
    this.high = Number(state >> 32n);
    this.low = Number(state & 0xffffffffn);
  }

  /** Begins from a state that begin() left in another generator. */
  beginFrom(high, low) {
    this.high = high;
    this.low = low;
  }

  /** Draws the next value into outHigh and outLow. */
  next() {
    const low = (this.low + 0x7f4a7c15) >>> 0;
    const high = (this.high + 0x9e3779b9 + (low < 0x7f4a7c15 ? 1 : 0)) >>> 0;
    this.low = low;
    this.high = high;
    this.outHigh = high;
    this.outLow = low;
    this.xorShift(30);
    this.multiply(0xbf58476d, 0x1ce4e5b9);
    this.xorShift(27);
    this.multiply(0x94d049bb, 0x133111eb);
    this.xorShift(31);
  }

  /** The next value as a fraction: its upper 53 bits. */
  fraction() {
    this.next();
    return (this.outHigh * 0x200000 + (this.outLow >>> 11)) / 0x20000000000000;
  }

  /** Fills bytes, each value giving eight of them, the lowest first. */
  fill(bytes) {
    for (let at = 0; at < bytes.length; at += 8) {
      this.next();
      for (let i = 0; i < 8 && at + i < bytes.length; i++) {
        bytes[at + i] = (i < 4 ? this.outLow >>> (8 * i) : this.outHigh >>> (8 * (i - 4))) & 0xff;
      }
    }
  }

  xorShift(bits) {
    const low = ((this.outHigh << (32 - bits)) | (this.outLow >>> bits)) >>> 0;
    this.outLow = (this.outLow ^ low) >>> 0;
    this.outHigh = (this.outHigh ^ (this.outHigh >>> bits)) >>> 0;
  }

  multiply(high, low) {
    const a = this.outLow & 0xffff, b = this.outLow >>> 16;
    const c = low & 0xffff, d = low >>> 16;
    // The product of the lower halves, in pieces of 16 bits: each sum is exact in a double.
    const ac = a * c;
    const middle = b * c + (ac >>> 16);
    const other = a * d + (middle & 0xffff);
    const carry = b * d + Math.floor(middle / 0x10000) + Math.floor(other / 0x10000);
    const upper = Math.imul(this.outHigh, low) + Math.imul(this.outLow, high);
    this.outLow = (((other & 0xffff) * 0x10000) + (ac & 0xffff)) >>> 0;
    this.outHigh = ((carry % TWO_32) + (upper >>> 0)) >>> 0;
  }
}

module.exports = { Splitmix };
