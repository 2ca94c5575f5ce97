/** Owns the part of the contract of shared circuits that is about opening: who has a say, and when it is enough. */
import { check, checkCircuit, long, past, short, type Fleet } from './shared-circuits-contract-case.ts';

export const voteCases: Readonly<Record<string, (fleet: Fleet) => Promise<void>>> = {
  'an unknown tool has a closed circuit': async ({ report, acquire }) => {
    checkCircuit(await report('one', { successes: 0 }), 'closed', 'nothing was reported');
    check((await acquire('one')).kind === 'closed', 'a closed circuit gives a probe');
  },
  'one worker of three does not open it, two do': async ({ report, sayOpen }) => {
    for (const worker of ['one', 'two', 'three']) checkCircuit(await report(worker), 'closed', 'all is well');
    checkCircuit(await sayOpen('one', long), 'closed', 'one of three');
    checkCircuit(await sayOpen('one', long), 'closed', 'the same one again');
    const circuit = await sayOpen('two', long);
    checkCircuit(circuit, 'open', 'two of three');
    check(circuit.cause === 'quorum' && circuit.by?.join() === 'one,two', `it does not say who opened it: ${JSON.stringify(circuit)}`);
    check((circuit.openForMs ?? 0) > long / 2 && (circuit.openForMs ?? 0) <= long, 'the open period is not that of the reports');
    checkCircuit(await report('three'), 'open', 'successes of a worker that has not heard of it close it');
  },
  'a worker that is alone is a quorum': async ({ opened }) => {
    checkCircuit(await opened(long), 'open', 'opened by one that is alone');
  },
  'who is not heard of has no say any more': async ({ report, sayOpen, wait }) => {
    await report('gone');
    await report('gone too');
    checkCircuit(await sayOpen('one', long), 'closed', 'one of three');
    await wait(2_700);
    checkCircuit(await sayOpen('one', long), 'open', 'the others have been gone for longer than a vote lives');
  },
  'Retry-After is heeded at once': async ({ report, sayOpen, acquire }) => {
    for (const worker of ['one', 'two', 'three']) await report(worker);
    const circuit = await report('one', { failures: 1, retryAfterMs: long });
    checkCircuit(circuit, 'open', 'a server said to stay away');
    check(circuit.cause === 'retry_after' && circuit.by?.join() === 'one', `it does not say why: ${JSON.stringify(circuit)}`);
    checkCircuit(await sayOpen('two', short), 'open', 'a shorter period makes the wait shorter');
    check((await acquire('three')).kind === 'refused', 'a probe is given while the server wants quiet');
  },
  'a report that comes twice or late counts once': async ({ report, sayOpen, one, tool }) => {
    const early = {
      toolName: tool,
      worker: 'one',
      sequence: 1_000,
      generation: 0,
      successes: 0,
      failures: 5,
      state: 'open',
      openForMs: long,
    } as const;
    for (const worker of ['two', 'three']) await report(worker);
    checkCircuit((await one.report([early, early]))[0], 'closed', 'one of three, twice');
    await report('one', { sequence: 1_001 });
    await one.report([early]);
    checkCircuit(await sayOpen('two', long), 'closed', 'an overtaken report still counts');
  },
  'a batch is answered tool by tool': async ({ one, tool }) => {
    const tools = [tool, `${tool} 🛫`, `${tool} __proto__`];
    const reports = tools.map(
      (name) => ({ toolName: name, worker: 'one', sequence: 1, generation: 0, successes: 1, failures: 0, state: 'closed' }) as const,
    );
    const circuits = await one.report(reports);
    check(
      circuits
        .map((circuit) => circuit.toolName)
        .toSorted()
        .join() === tools.toSorted().join(),
      'not one answer per tool',
    );
    check((await one.report([])).length === 0, 'an empty batch is answered with something');
  },
  'tools have nothing to do with each other': async ({ opened, one, tool }) => {
    await opened(long);
    const answer = await one.acquireProbe({ toolName: `${tool} beside`, worker: 'one', leaseMs: long });
    check(answer.kind === 'closed', 'the circuit of another tool is open');
  },
  'what was reported before the closing opens nothing after it': async ({ opened, granted, other, one, tool, wait, report }) => {
    const { generation } = await opened(short);
    await wait(past);
    const closed = await other.probeEnded({ toolName: tool, token: await granted('one'), outcome: 'success' });
    checkCircuit(closed, 'closed', 'the probe was a success');
    const stale = {
      toolName: tool,
      worker: 'late',
      sequence: 9_000,
      generation,
      successes: 0,
      failures: 9,
      state: 'open',
      openForMs: long,
      retryAfterMs: long,
    } as const;
    checkCircuit((await one.report([stale]))[0], 'closed', 'a stale report');
    checkCircuit(await report('one'), 'closed', 'after a stale report');
  },
};
