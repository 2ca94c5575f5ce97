import type { Behaviour } from '../port.ts';
import { best, control, describeAnswer, hang, hangUntilAborted, wait, settledWithin } from '../situation.ts';

export const b13: Behaviour = {
  id: 'B13',
  title: 'A caller’s abort is not reported as a timeout',
  needs: ['timeout', 'signal'],
  done: 'A timeout of 60 s; the caller aborted after 30 ms. The work hangs and ignores its signal; with a cooperative timeout it stops on its signal.',
  expected: 'Neither the answer nor an event mentions a timeout.',
  observe: (contender, notes) =>
    best(
      notes,
      [
        { how: 'aggressive timeout', parts: [{ part: 'timeout', ms: 60_000 }] },
        { how: 'cooperative timeout', parts: [{ part: 'timeout', ms: 60_000, cooperative: true }] },
      ],
      async (parts) => {
        const guarded = await contender.build(parts);
        const controller = new AbortController();
        const call = guarded.call(parts.some((part) => 'cooperative' in part) ? hangUntilAborted : hang, { signal: controller.signal });
        await wait(30);
        controller.abort(new Error('caller left'));
        const answer = await settledWithin(500, call);
        control(answer !== undefined, 'the aborted call is answered');
        const timeoutEvents = guarded.timeoutEvents();
        const event = timeoutEvents > 0 ? ', and a timeout event' : '';
        return { ok: answer.kind !== 'timed out' && timeoutEvents === 0, seen: `${describeAnswer(answer)}${event}` };
      },
    ),
};
