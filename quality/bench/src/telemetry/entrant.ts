/**
 * A program: one variant in a separate process, as in an application. Compiled code depends on what else a process does: variants in one process would be
 * compiled for all of them together.
 */
import { callLoop } from '../timing/loop.ts';
import { variants } from './variants.ts';

export interface Task {
  readonly tool: string;
  readonly calls: number;
}

const make = variants[process.argv[2] ?? ''];
if (!make) throw new Error(`No variant is named '${String(process.argv[2])}'.`);
const call = make();
const loops = new Map<string, ReturnType<typeof callLoop>>();

/** Processor nanoseconds per call, of all threads: other processes on the machine are not included. */
process.on('message', ({ tool, calls }: Task) => {
  const loop = loops.get(tool) ?? callLoop(() => call(tool), false);
  loops.set(tool, loop);
  const before = process.cpuUsage();
  void loop(Math.ceil(calls / 64), Math.min(calls, 64)).then(() => {
    const { user, system } = process.cpuUsage(before);
    process.send?.(((user + system) * 1_000) / (Math.ceil(calls / 64) * Math.min(calls, 64)));
  });
});
process.send?.('ready');
