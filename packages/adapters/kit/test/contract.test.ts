/** The contract can fail: a framework with one fault is caught by the case for this fault. */
import { adapterContract, contractCases } from '@holdfast/adapter-kit/testing';
import type { AdapterHarness, Conversation, PlayResult } from '@holdfast/adapter-kit/testing';
import { openaiChatMessages, Reliable } from '@holdfast/adapter-kit';
import type { ToolAnswer } from '@holdfast/core/agent';
import { describe, expect, it } from 'vitest';

interface WrittenCall {
  readonly id: string;
  readonly function: { name: string; arguments: string };
}

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: WrittenCall[];
  readonly tool_call_id?: string;
}

/** The fault of a framework. */
interface Fault {
  readonly answers?: (answers: readonly ToolAnswer[]) => readonly ToolAnswer[];
  readonly repairs?: boolean;
  readonly stops?: boolean;
  readonly advertises?: boolean;
  readonly before?: () => Promise<void>;
  /** The options that reach the adapter. */
  readonly options?: (options: Conversation['options']) => Conversation['options'];
}

const lacks = { streaming: 'It asks for whole answers.' };

/** A loop without an SDK, over Chat Completions. */
function harness(fault: Fault = {}): AdapterHarness {
  return { id: 'own', framework: 'none', adapter: 'none', format: 'openai-chat', lacks, play: (conversation) => play(conversation, fault) };
}

async function play(
  { wrapped, baseUrl, tools, options, history, prompt, signal, maxAnswers }: Conversation,
  fault: Fault,
): Promise<PlayResult> {
  const { answers: alter = (answers) => answers, repairs = true, stops = true, advertises = true } = fault;
  const sources = tools.map(({ name, description, schema, run }) => ({
    name,
    description,
    input: schema,
    run: (args: never, context: { readonly signal: AbortSignal }) => run(args, context.signal),
  }));
  const reliable = new Reliable(sources, fault.options ? fault.options(options) : options);
  const run = reliable.startRun();
  const messages: Message[] = [...history.map(nativeOf), { role: 'user', content: prompt }];
  let text = '';
  for (let answers = 0; answers < maxAnswers && !(stops && run.stopped); answers++) {
    const offered = (advertises && wrapped ? run.advertise(sources) : sources).map(({ name, description, input }) => ({
      type: 'function',
      function: { name, description, parameters: input },
    }));
    const sent = repairs && wrapped ? reliable.repair({ messages }, openaiChatMessages, run).messages : messages;
    const body = JSON.stringify({ model: 'gpt-5.2', messages: sent, tools: offered });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer key' };
    const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body, headers });
    const answer = (await response.json()) as {
      readonly choices: readonly { readonly message: Message; readonly finish_reason: string }[];
    };
    const choice = answer.choices[0];
    if (!choice) throw new Error('no choice');
    messages.push(choice.message);
    text = choice.message.content ?? '';
    const calls = choice.message.tool_calls ?? [];
    if (calls.length === 0) break;
    await fault.before?.();
    const read = calls.map((call) => ({
      toolName: call.function.name,
      callId: call.id,
      arguments: call.function.arguments,
      truncated: choice.finish_reason === 'length',
    }));
    const answers = await run.answer(reliable.withDependencies(read), { signal });
    for (const [index, { repairs: repaired, arguments: args }] of answers.entries()) {
      const written = calls[index];
      if (repaired.length > 0 && written) written.function.arguments = JSON.stringify(args);
    }
    messages.push(
      ...(wrapped ? alter(answers) : answers).map(({ callId, text: content }) => ({ role: 'tool', tool_call_id: callId, content })),
    );
    signal?.throwIfAborted();
  }
  return { text, stopped: run.stopped };
}

function nativeOf(message: Conversation['history'][number]): Message {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text };
  if (message.role === 'user' || !message.calls) return { role: message.role, content: message.text };
  const calls = message.calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: 'assistant', content: message.text, tool_calls: calls };
}

const failures = async (fault: Fault, ids: readonly string[]): Promise<readonly string[]> => {
  const cases = adapterContract(harness(fault)).filter(({ id }) => ids.includes(id));
  expect(cases).toHaveLength(ids.length);
  const settled = await Promise.allSettled(cases.map(({ run }) => run()));
  const failed = new Set(cases.filter((_, index) => settled[index]?.status === 'rejected').map(({ id }) => id));
  return ids.filter((id) => failed.has(id));
};

describe('a loop without an SDK passes', () => {
  for (const { name, run } of adapterContract(harness())) it(name, run);
});

// Concurrently: some of them wait until a conversation counts as hanging.
describe.concurrent('faults are caught', () => {
  const faults: readonly (readonly [what: string, fault: Fault, caughtBy: readonly string[]])[] = [
    ['results out of order', { answers: (answers) => answers.toReversed() }, ['one-of-two-fails', 'healthy', 'throws-error']],
    ['a lost result', { answers: (answers) => answers.slice(1) }, ['unknown-tool', 'throws-string', 'timeout', 'alternative']],
    [
      'no repair',
      { repairs: false },
      ['history-dangling', 'history-orphan', 'history-duplicate', 'history-displaced', 'history-half-answered'],
    ],
    ['no stop', { stops: false }, ['identical-failures-for-ever', 'dead-tool-for-ever', 'never-corrected']],
    ['no note of open circuits', { advertises: false }, ['open-circuit-advertised']],
    [
      'empty texts',
      { answers: (answers) => answers.map((answer) => ({ ...answer, text: '…' })) },
      ['output-bigint', 'bad-arguments', 'throws-undefined'],
    ],
    ['a failure that reaches the caller', { before: () => Promise.reject(new Error('lost')) }, ['secrets', 'throws-proxy', 'caller-abort']],
    [
      'custom options',
      { options: ({ run, seed }) => ({ ...(run ? { run } : {}), seed }) },
      ['dependency-order', 'open-circuit', 'turn-deadline'],
    ],
    ['no trace', { options: (options) => ({ ...options, run: {} }) }, ['transient-then-success', 'malformed-json', 'corrected-at-last']],
  ];
  it.each(faults)('%s', async (_what, fault, caughtBy) => {
    expect(await failures(fault, caughtBy)).toEqual(caughtBy);
  });

  it('a conversation that hangs', async () => {
    expect(await failures({ before: () => new Promise(() => undefined) }, ['timeout'])).toEqual(['timeout']);
  });
});

describe('the list', () => {
  it('contains every case once', () => {
    expect(new Set(contractCases.map(({ id }) => id)).size).toBe(contractCases.length);
  });

  it('shows what a framework lacks, and tests the rest', () => {
    const cases = adapterContract({ ...harness(), lacks: { ...lacks, history: 'It begins anew.' } });
    expect(cases).toHaveLength(contractCases.length);
    const lacking = cases.filter((each) => each.lacks !== undefined);
    expect(lacking.map(({ id }) => id).filter((id) => id.startsWith('history-'))).toHaveLength(5);
    expect(lacking.find(({ id }) => id === 'history-orphan')?.name).toBe('history-orphan: not applicable: It begins anew.');
  });
});
