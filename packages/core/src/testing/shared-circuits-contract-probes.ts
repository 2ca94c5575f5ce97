/** Owns the part of the contract of shared circuits that is about probes: one at a time, and only its holder decides. */
import { check, checkCircuit, long, past, short, type Fleet } from './shared-circuits-contract-case.ts';

export const probeCases: Readonly<Record<string, (fleet: Fleet) => Promise<void>>> = {
  'nobody probes within the open period': async ({ opened, acquire, other, tool }) => {
    await opened(long);
    const answer = await acquire('one');
    check(answer.kind === 'refused' && answer.retryAfterMs > long / 2 && answer.retryAfterMs <= long, `answered ${JSON.stringify(answer)}`);
    checkCircuit(await other.probeEnded({ toolName: tool, token: 'made up', outcome: 'success' }), 'open', 'a token that nobody gave');
  },
  'of a crowd exactly one probes': async ({ opened, one, other, tool, wait, report }) => {
    await opened(short);
    await wait(past);
    const crowd = Array.from({ length: 60 }, (_, index) =>
      (index % 2 === 0 ? one : other).acquireProbe({ toolName: tool, worker: `worker ${String(index % 3)}`, leaseMs: long }),
    );
    const answers = await Promise.all(crowd);
    const given = answers.filter(({ kind }) => kind === 'granted').length;
    check(given === 1, `${String(given)} of ${String(answers.length)} were given a probe`);
    check(
      answers.every(({ kind }) => kind !== 'closed'),
      'a probe that is out closes the circuit',
    );
    const circuit = await report('one', { successes: 0 });
    checkCircuit(circuit, 'half_open', 'while a probe is out');
    check((circuit.openForMs ?? 0) > 0, 'it does not say how long the probe may be out');
  },
  'the success of the probe closes it, for everybody': async ({ opened, granted, one, acquire, tool, wait }) => {
    const { generation } = await opened(short);
    await wait(past);
    const closed = await one.probeEnded({ toolName: tool, token: await granted('one'), outcome: 'success' });
    checkCircuit(closed, 'closed', 'after the success');
    check(closed.generation > generation, 'a change without a new generation');
    check((await acquire('two')).kind === 'closed', 'it is not closed for the others');
  },
  'the failure of the probe opens it again': async ({ opened, granted, one, acquire, tool, wait }) => {
    await opened(short);
    await wait(past);
    const circuit = await one.probeEnded({ toolName: tool, token: await granted('one'), outcome: 'failure', openForMs: long });
    checkCircuit(circuit, 'open', 'after the failure');
    check(circuit.cause === 'probe_failed' && circuit.by?.join() === 'one', `it does not say why: ${JSON.stringify(circuit)}`);
    const answer = await acquire('two');
    check(answer.kind === 'refused' && answer.retryAfterMs > long / 2, `answered ${JSON.stringify(answer)}`);
  },
  'a probe that goes back unused is given to the next': async ({ opened, granted, one, tool, wait }) => {
    await opened(short);
    await wait(past);
    const token = await granted('one');
    checkCircuit(await one.probeEnded({ toolName: tool, token, outcome: 'neutral' }), 'half_open', 'nothing was learnt');
    await granted('two');
    checkCircuit(await one.probeEnded({ toolName: tool, token, outcome: 'success' }), 'half_open', 'the token that went back');
  },
  'a probe whose holder is gone is given again after its lease, once': async ({ opened, granted, acquire, one, tool, wait }) => {
    await opened(short);
    await wait(past);
    const lost = await granted('gone', short);
    await wait(past);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => acquire(`worker ${String(index)}`)));
    const tokens = answers.flatMap((answer) => (answer.kind === 'granted' ? [answer.token] : []));
    check(tokens.length === 1 && tokens[0] !== lost, `${String(tokens.length)} were given the probe of the one that is gone`);
    checkCircuit(await one.probeEnded({ toolName: tool, token: lost, outcome: 'success' }), 'half_open', 'a late success');
    checkCircuit(await one.probeEnded({ toolName: tool, token: lost, outcome: 'failure', openForMs: long }), 'half_open', 'a late failure');
    checkCircuit(
      await one.probeEnded({ toolName: tool, token: tokens[0] ?? '', outcome: 'success' }),
      'closed',
      'the answer of the present holder',
    );
  },
  'an answer after the lease changes nothing': async ({ opened, granted, one, tool, wait }) => {
    await opened(short);
    await wait(past);
    const token = await granted('slow', short);
    await wait(past);
    checkCircuit(await one.probeEnded({ toolName: tool, token, outcome: 'success' }), 'half_open', 'a success after the lease');
  },
  'a probe ends once': async ({ opened, granted, one, tool, wait, sayOpen }) => {
    await opened(short);
    await wait(past);
    const token = await granted('one');
    checkCircuit(await one.probeEnded({ toolName: tool, token, outcome: 'success' }), 'closed', 'after the success');
    checkCircuit(await one.probeEnded({ toolName: tool, token, outcome: 'failure', openForMs: long }), 'closed', 'the same token again');
    checkCircuit(await sayOpen('opener', long, { generation: 0 }), 'closed', 'from before the closing');
  },
  'a person closes it': async ({ opened, one, acquire, tool, report }) => {
    await opened(long);
    checkCircuit(await one.reset({ toolName: tool, worker: 'one' }), 'closed', 'after the reset');
    check((await acquire('two')).kind === 'closed', 'it is not closed for the others');
    checkCircuit(await report('two'), 'closed', 'after the reset');
  },
};
