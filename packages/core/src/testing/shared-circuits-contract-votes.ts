/** Owns the cases of the shared circuits contract about opening: which workers vote, and when they are a quorum. */
import { check, checkCircuit, long, past, short, type Fleet } from './shared-circuits-contract-case.ts';

export const voteCases: Readonly<Record<string, (fleet: Fleet) => Promise<void>>> = {
  'an unknown tool has a closed circuit': async ({ report, acquire }) => {
    checkCircuit(await report('one', { successes: 0 }), 'closed', 'without reports');
    check((await acquire('one')).kind === 'closed', 'a probe is granted at a closed circuit');
  },
  'one worker of three does not open the circuit, two do': async ({ report, reportOpen }) => {
    for (const worker of ['one', 'two', 'three']) checkCircuit(await report(worker), 'closed', 'with a closed local circuit');
    checkCircuit(await reportOpen('one', long), 'closed', 'with one of three');
    checkCircuit(await reportOpen('one', long), 'closed', 'with the same worker again');
    const circuit = await reportOpen('two', long);
    checkCircuit(circuit, 'open', 'with two of three');
    check(
      circuit.cause === 'quorum' && circuit.by?.join() === 'one,two',
      `the workers that openCircuit it are missing: ${JSON.stringify(circuit)}`,
    );
    check((circuit.openForMs ?? 0) > long / 2 && (circuit.openForMs ?? 0) <= long, 'the open period differs from the reports');
    checkCircuit(await report('three'), 'open', 'after successes of a worker that does not know the opening');
  },
  'a single worker is a quorum': async ({ openCircuit }) => {
    checkCircuit(await openCircuit(long), 'open', 'after a report of a single worker');
  },
  'a worker without recent reports no longer votes': async ({ report, reportOpen, wait }) => {
    await report('stopped 1');
    await report('stopped 2');
    checkCircuit(await reportOpen('one', long), 'closed', 'with one of three');
    await wait(2_700);
    checkCircuit(await reportOpen('one', long), 'open', 'after the votes of the others have expired');
  },
  'a Retry-After opens the circuit at once': async ({ report, reportOpen, acquire }) => {
    for (const worker of ['one', 'two', 'three']) await report(worker);
    const circuit = await report('one', { failures: 1, retryAfterMs: long });
    checkCircuit(circuit, 'open', 'after a Retry-After');
    check(circuit.cause === 'retry_after' && circuit.by?.join() === 'one', `the cause is missing: ${JSON.stringify(circuit)}`);
    checkCircuit(await reportOpen('two', short), 'open', 'after a report with a shorter period');
    check((await acquire('three')).kind === 'refused', 'a probe is granted during a Retry-After');
  },
  'a duplicate or late report has no effect': async ({ report, reportOpen, one, tool }) => {
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
    checkCircuit((await one.report([early, early]))[0], 'closed', 'with one of three, twice');
    await report('one', { sequence: 1_001 });
    await one.report([early]);
    checkCircuit(await reportOpen('two', long), 'closed', 'with a late report');
  },
  'a batch is answered with one circuit per tool': async ({ one, tool }) => {
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
      'not one circuit per tool',
    );
    check((await one.report([])).length === 0, 'an empty batch is answered with circuits');
  },
  'circuits of different tools are independent': async ({ openCircuit, one, tool }) => {
    await openCircuit(long);
    const answer = await one.acquireProbe({ toolName: `${tool} 2`, worker: 'one', leaseMs: long });
    check(answer.kind === 'closed', 'the circuit of another tool is open');
  },
  'a report from before the closing does not open the circuit': async ({ openCircuit, acquireToken, other, one, tool, wait, report }) => {
    const { generation } = await openCircuit(short);
    await wait(past);
    const closed = await other.probeEnded({ toolName: tool, token: await acquireToken('one'), outcome: 'success' });
    checkCircuit(closed, 'closed', 'after a successful probe');
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
    checkCircuit((await one.report([stale]))[0], 'closed', 'after a stale report');
    checkCircuit(await report('one'), 'closed', 'after the next report');
  },
};
