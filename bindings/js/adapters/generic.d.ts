// generic.d.ts - the adapter for any object with methods. SPDX-License-Identifier: MIT
export { generic, GenericOptions } from '../lib/index.js';
