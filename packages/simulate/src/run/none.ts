/** Owns the contender without a policy: it sends one request per call and waits for the answer. */
import { callContender } from './call-contender.ts';
import type { Contender } from './contender.ts';

/** The contender without any policy: one request per call, within the tool's time limit. */
export const none: Contender = callContender({
  name: 'none',
  description: 'One request per call, and no more.',
  start: (run) => (call, _turn, done) => {
    const { toolName } = call.plan;
    const limit = run.setTimer(run.tool(toolName).timeoutMs, () => {
      abort();
      done(false);
    });
    const abort = run.send(call, toolName, ({ ok }) => {
      run.clearTimer(limit);
      done(ok);
    });
    return () => {
      run.clearTimer(limit);
      abort();
    };
  },
});
