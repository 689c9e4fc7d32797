// report.js - what came of an exploration. SPDX-License-Identifier: MIT
'use strict';

class Report {
  constructor(name, events, summary, output) {
    this.name = name;
    this.events = events; // a line for each
    this.output = output; // what Sennit said, if it was started from here
    this.verdict = summary.verdict;
    this.message = summary.message;
    this.interleavings = summary.interleavings || 0;
    this.findings = summary.findings || [];
    this.summary = summary;
  }

  get passed() {
    return this.verdict === 'passed';
  }

  /** Throws an error that tells the first finding, unless nothing was found. */
  assertPassed() {
    if (!this.passed) {
      const error = new Error(this.text());
      error.name = 'SennitError';
      Object.defineProperty(error, 'report', { value: this }); // not shown with the error
      throw error;
    }
  }

  text() {
    const [finding] = this.findings;
    const lines = [finding ? `${this.name}: ${finding.message}`
      : `${this.name}: ${this.message || `the verdict is ${this.verdict}`}`];
    if (finding) {
      const order = finding.shrunk || finding.interleaving || [];
      lines.push(`found by ${finding.oracle || 'an oracle'} in this order:`);
      lines.push(...order.map((number) => `  ${number}. ${this.events[number]}`));
      if (finding.trace) {
        lines.push(`trace: ${finding.trace}`);
      }
      if (this.findings.length > 1) {
        lines.push(`and ${this.findings.length - 1} more (report.findings)`);
      }
    }
    return lines.join('\n');
  }
}

module.exports = { Report };
