/** Owns the adapter from a real package to a contender. Its runs are stepwise, since it answers through promises. */
import { callContender, type Contender, type LabCall } from '@holdfast/simulate';
import { realPackages, type Protection } from './packages.ts';
import { replaceGlobals } from './virtual-globals.ts';

/** A contender that replaces the thread's globals when it starts; `restore` restores them. */
export interface RealContender extends Contender {
  readonly restore: () => void;
}

export function realContender(name: string): RealContender | undefined {
  const known = realPackages.find((each) => each.name === name);
  if (!known) return undefined;
  // Once for all processes of a run.
  let restore: (() => void) | undefined;
  const contender = callContender({
    name,
    start(run) {
      restore ??= replaceGlobals(run, run.world.durationMs + 120_000);
      const policies = new Map<string, Protection>();
      const send = (call: LabCall): Promise<unknown> =>
        new Promise((resolve, reject) => {
          run.send(call, call.plan.toolName, (answer) => (answer.ok ? resolve(answer.output) : reject(answer.error)));
        });
      return (call, _turn, done) => {
        const { toolName } = call.plan;
        let policy = policies.get(toolName);
        if (!policy) policies.set(toolName, (policy = known.protect(run.tool(toolName).timeoutMs)));
        policy(() => send(call)).then(
          () => done(true),
          () => done(false),
        );
        return undefined;
      };
    },
  });
  return { ...contender, restore: () => restore?.() };
}
