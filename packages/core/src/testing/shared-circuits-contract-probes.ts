/** Owns the cases of the shared circuits contract about probes: one at a time, and only its holder decides. */
import { check, checkCircuit, long, past, short, type Fleet } from './shared-circuits-contract-case.ts';

export const probeCases: Readonly<Record<string, (fleet: Fleet) => Promise<void>>> = {
  'no probe is granted within the open period': async ({ openCircuit, acquire, other, tool }) => {
    await openCircuit(long);
    const answer = await acquire('one');
    check(answer.kind === 'refused' && answer.retryAfterMs > long / 2 && answer.retryAfterMs <= long, `answered ${JSON.stringify(answer)}`);
    checkCircuit(await other.probeEnded({ toolName: tool, token: 'unknown', outcome: 'success' }), 'open', 'after an unknown token');
  },
  'exactly one of many concurrent requests is granted a probe': async ({ openCircuit, one, other, tool, wait, report }) => {
    await openCircuit(short);
    await wait(past);
    const requests = Array.from({ length: 60 }, (_, index) =>
      (index % 2 === 0 ? one : other).acquireProbe({ toolName: tool, worker: `worker ${String(index % 3)}`, leaseMs: long }),
    );
    const answers = await Promise.all(requests);
    const grantCount = answers.filter(({ kind }) => kind === 'granted').length;
    check(grantCount === 1, `${String(grantCount)} of ${String(answers.length)} requests were granted a probe`);
    check(
      answers.every(({ kind }) => kind !== 'closed'),
      'an active probe closes the circuit',
    );
    const circuit = await report('one', { successes: 0 });
    checkCircuit(circuit, 'half_open', 'while a probe is active');
    check((circuit.openForMs ?? 0) > 0, 'the remaining lease of the probe is missing');
  },
  'a successful probe closes the circuit for all workers': async ({ openCircuit, acquireToken, one, acquire, tool, wait }) => {
    const { generation } = await openCircuit(short);
    await wait(past);
    const closed = await one.probeEnded({ toolName: tool, token: await acquireToken('one'), outcome: 'success' });
    checkCircuit(closed, 'closed', 'after the success');
    check(closed.generation > generation, 'a change without a new generation');
    check((await acquire('two')).kind === 'closed', 'the circuit is not closed for other workers');
  },
  'a failed probe reopens the circuit': async ({ openCircuit, acquireToken, one, acquire, tool, wait }) => {
    await openCircuit(short);
    await wait(past);
    const circuit = await one.probeEnded({ toolName: tool, token: await acquireToken('one'), outcome: 'failure', openForMs: long });
    checkCircuit(circuit, 'open', 'after the failure');
    check(circuit.cause === 'probe_failed' && circuit.by?.join() === 'one', `the cause is missing: ${JSON.stringify(circuit)}`);
    const answer = await acquire('two');
    check(answer.kind === 'refused' && answer.retryAfterMs > long / 2, `answered ${JSON.stringify(answer)}`);
  },
  'a probe that is returned unused is granted to the next worker': async ({ openCircuit, acquireToken, one, tool, wait }) => {
    await openCircuit(short);
    await wait(past);
    const token = await acquireToken('one');
    checkCircuit(await one.probeEnded({ toolName: tool, token, outcome: 'neutral' }), 'half_open', 'after an unused probe');
    await acquireToken('two');
    checkCircuit(await one.probeEnded({ toolName: tool, token, outcome: 'success' }), 'half_open', 'after the token of the returned probe');
  },
  'a lost probe is granted once to another worker after its lease': async ({ openCircuit, acquireToken, acquire, one, tool, wait }) => {
    await openCircuit(short);
    await wait(past);
    const lost = await acquireToken('gone', short);
    await wait(past);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => acquire(`worker ${String(index)}`)));
    const tokens = answers.flatMap((answer) => (answer.kind === 'granted' ? [answer.token] : []));
    check(tokens.length === 1 && tokens[0] !== lost, `${String(tokens.length)} requests were granted the lost probe`);
    checkCircuit(await one.probeEnded({ toolName: tool, token: lost, outcome: 'success' }), 'half_open', 'after a late success');
    checkCircuit(
      await one.probeEnded({ toolName: tool, token: lost, outcome: 'failure', openForMs: long }),
      'half_open',
      'after a late failure',
    );
    checkCircuit(
      await one.probeEnded({ toolName: tool, token: tokens[0] ?? '', outcome: 'success' }),
      'closed',
      'after the success of the current holder',
    );
  },
  'a success after the lease has no effect': async ({ openCircuit, acquireToken, one, tool, wait }) => {
    await openCircuit(short);
    await wait(past);
    const token = await acquireToken('slow', short);
    await wait(past);
    checkCircuit(await one.probeEnded({ toolName: tool, token, outcome: 'success' }), 'half_open', 'after the late success');
  },
  'a probe can end only once': async ({ openCircuit, acquireToken, one, tool, wait, reportOpen }) => {
    await openCircuit(short);
    await wait(past);
    const token = await acquireToken('one');
    checkCircuit(await one.probeEnded({ toolName: tool, token, outcome: 'success' }), 'closed', 'after the success');
    checkCircuit(
      await one.probeEnded({ toolName: tool, token, outcome: 'failure', openForMs: long }),
      'closed',
      'after the same token again',
    );
    checkCircuit(await reportOpen('opener', long, { generation: 0 }), 'closed', 'after a report from before the closing');
  },
  'a reset closes the circuit': async ({ openCircuit, one, acquire, tool, report }) => {
    await openCircuit(long);
    checkCircuit(await one.reset({ toolName: tool, worker: 'one' }), 'closed', 'after the reset');
    check((await acquire('two')).kind === 'closed', 'the circuit is not closed for other workers');
    checkCircuit(await report('two'), 'closed', 'after the reset');
  },
};
