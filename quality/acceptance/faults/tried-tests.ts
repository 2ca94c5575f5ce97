/** Owns which acceptance tests a planted fault is tried with. Those on the real clock are left out: on a busy machine they can fail without a fault. */
import { readdirSync } from 'node:fs';

/** Names of the files. */
export const triedTests = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.test.ts') && !/^faults|\.(?:real-time|outside)\.test\.ts$/u.test(name));
