/** Owns the adapter from a model to a contender: requests with a time limit, and how their answers are classified. */
import type { Answer, Contender, LabRun } from '../run/contender.ts';
import { callContender } from '../run/call-contender.ts';
import { createStream } from '../world/streams.ts';
import type { RequestOutcome, PeerClock, PeerModel, SendCall } from './policy.ts';

/** The model as a policy under test. All callers of a tool in one process share one policy. */
export function peer(model: PeerModel): Contender {
  return callContender({
    name: model.name,
    description: model.configuration,
    start(run) {
      const policies = new Map<string, SendCall>();
      const policyOf = (toolName: string): SendCall => {
        let policy = policies.get(toolName);
        if (!policy)
          policies.set(toolName, (policy = model.policy(clockOf(run, `${model.name} ${toolName}`))(sendWithClock(run, toolName))));
        return policy;
      };
      return (call, _turn, done) => {
        policyOf(call.plan.toolName)(call, ({ kind }) => done(kind === 'ok'));
        // None of the models is notified that its caller has gone.
        return undefined;
      };
    },
  });
}

function clockOf(run: LabRun, name: string): PeerClock {
  const chance = createStream(run.seed, name);
  let draws = 0;
  return {
    now: () => run.now(),
    after: (delayMs, task) => void run.setTimer(delayMs, task),
    random: () => chance(draws++),
  };
}

/** One request; at its time limit the connection is closed. */
function sendWithClock(run: LabRun, toolName: string): SendCall {
  const { timeoutMs } = run.tool(toolName);
  return (call, done) => {
    const timer = run.setTimer(timeoutMs, () => {
      hangUp();
      done({ kind: 'timeout' });
    });
    const hangUp = run.send(call, toolName, (answer) => {
      run.clearTimer(timer);
      done(outcomeOf(answer));
    });
  };
}

/** How clients classify the status. */
export function outcomeOf(answer: Answer): RequestOutcome {
  if (answer.ok) return { kind: 'ok' };
  const { status, headers } = answer.error;
  const seconds = headers['retry-after'];
  const asked = seconds === undefined ? {} : { retryAfterMs: Number(seconds) * 1000 };
  if (status === 429) return { kind: 'rate_limited', ...asked };
  return status >= 500 ? { kind: 'unavailable', ...asked } : { kind: 'permanent' };
}
