/** Tools that are made per request share circuits, metrics and memory, and run the functions of their own request. */
import type { FrameworkTool, Reliability, ReliableOptions } from '@holdfast/adapter-kit';
import { createReliability, Reliable } from '@holdfast/adapter-kit';
import { describe, expect, it } from 'vitest';

const call = (toolName: string, callId = 'c1', args: unknown = {}) => ({ toolName, callId, arguments: args });
const schema = { type: 'object', properties: { city: { type: 'string' } } };
const opening = { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 3, openMs: 30_000 }, waitForRecovery: false } as const;

const request = (reliability: Reliability, tools: readonly FrameworkTool[], options: ReliableOptions = {}): Reliable =>
  new Reliable(tools, { reliability, ...options });

describe('requests', () => {
  it('share the circuit of a tool by its name', async () => {
    const reliability = createReliability({ policy: opening });
    let runs = 0;
    const codes: (string | undefined)[] = [];
    for (let user = 0; user < 6; user++) {
      const search = {
        name: 'search',
        input: schema,
        run: (): never => {
          runs += 1;
          throw Object.assign(new Error(`down for ${user}`), { status: 503 });
        },
      };
      const reliable = request(reliability, [search]);
      const [answer] = await reliable.answer(reliable.startRun(), [call('search')]);
      codes.push(answer?.result.error?.code);
    }
    expect(runs).toBe(3);
    expect(codes).toEqual([...Array(3).fill('SERVICE_UNAVAILABLE'), ...Array(3).fill('CIRCUIT_OPEN')]);
    expect(reliability.service.getToolMetrics('search')).toMatchObject({ totalExecutions: 6 });
  });

  it('run their own functions, at the same time, their alternatives too', async () => {
    const reliability = createReliability({
      tools: { search: { effect: 'read', alternatives: ['archive'] } },
      policy: { retry: { maxAttempts: 1 } },
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, user) => {
        const search = {
          name: 'search',
          run: async () => {
            await new Promise((resolve) => setTimeout(resolve, (user * 7) % 11));
            if (user % 2 === 1) throw Object.assign(new Error('down'), { status: 404 });
            return `search of ${user}`;
          },
        };
        const archive = { name: 'archive', run: () => `archive of ${user}` };
        const reliable = request(reliability, [search, archive]);
        const run = reliable.startRun();
        const both = await reliable.answer(run, [call('search'), call('archive', 'c2')]);
        const one = await run.answerOne(call('archive', 'c3'), {}, { execute: () => `own ${user}` });
        return [...both, one].map(({ text }) => text);
      }),
    );
    for (const [user, texts] of answers.entries()) {
      expect(texts[0]).toBe(user % 2 === 0 ? `search of ${user}` : `archive of ${user}`);
      expect(texts.slice(1)).toEqual([`archive of ${user}`, `own ${user}`]);
    }
  });

  it('do not know tools of each other', async () => {
    const reliability = createReliability();
    request(reliability, [{ name: 'secret', run: () => 'never' }]);
    const reliable = request(reliability, [{ name: 'search', run: () => 'found' }]);
    const run = reliable.startRun();
    const [known, unknown, other] = await reliable.answer(run, [call('search'), call('secret', 'c2'), call('serach', 'c3')]);
    expect(known?.text).toBe('found');
    for (const answer of [unknown, other]) {
      expect(answer?.result.error?.code).toBe('UNKNOWN_TOOL');
      expect(answer?.text).toContain('Call only these tools: search.');
    }
    expect(other?.text).toContain("Did you mean 'search'?");
  });

  it('order the calls of an answer', async () => {
    const log: string[] = [];
    const tools = ['first', 'second'].map((name) => ({ name, run: () => void log.push(name) }));
    const dependsOn: ReliableOptions['dependsOn'] = ({ toolName }) => (toolName === 'second' ? ['c2'] : []);
    const reliable = request(createReliability(), tools, { dependsOn });
    const answers = await reliable.answer(reliable.startRun(), [call('second'), call('first', 'c2')]);
    expect(log).toEqual(['first', 'second']);
    expect(answers.map(({ toolName }) => toolName)).toEqual(['second', 'first']);
  });
});

describe('options', () => {
  it('of the process are refused in a request, those of a conversation are not', () => {
    const reliability = createReliability({ run: { maxRefusals: 3 } });
    const tool = { name: 'search', run: () => 1 };
    expect(() => request(reliability, [tool], { policy: { timeoutMs: 5 } })).toThrow(
      "With 'reliability', set 'policy' in createReliability: it applies to all requests.",
    );
    expect(() => request(reliability, [tool], { tools: { search: {} } })).toThrow("set 'tools'");
    expect(() => request(reliability, [tool], { run: { maxRefusals: 2 }, onRepair: () => undefined })).not.toThrow();
    expect(() => request(reliability, [tool], { run: { maxRefusal: 2 } as never })).toThrow("Did you mean 'maxRefusals'");
  });

  it('are checked when the process starts', () => {
    expect(() => createReliability({ polcy: {} } as never)).toThrow("createReliability has no setting 'polcy'");
    expect(() => createReliability({ policy: { timeoutMs: -1 } })).toThrow('timeoutMs');
    expect(() => createReliability({ tools: { search: { timeoutMs: -1 } } })).toThrow("Tool 'search'.timeoutMs");
    expect(() => createReliability({ tools: { search: { efect: 'read' } as never } })).toThrow("Did you mean 'effect'?");
    expect(() => createReliability({ run: { maxRefusal: 2 } as never })).toThrow("Did you mean 'maxRefusals'");
  });

  it('that name a tool are checked where they are given, against the tools of the request', () => {
    const reliability = createReliability({ run: { toolValidationRetries: { archive: { maxAttempts: 2 } } } });
    const tool = (name: string): FrameworkTool => ({ name, run: () => 1 });
    expect(() => request(reliability, [tool('search')])).not.toThrow();
    request(reliability, [tool('archive')]);
    const retries = (name: string): ReliableOptions => ({ run: { toolValidationRetries: { [name]: { maxAttempts: 2 } } } });
    expect(() => request(reliability, [tool('search')], retries('serach'))).toThrow(
      "settings for 'serach', but there is no such tool. Did you mean 'search'?",
    );
    expect(() => request(reliability, [tool('search')], retries('archive'))).toThrow("settings for 'archive'");
    expect(() => request(reliability, [tool('search')], retries('search'))).not.toThrow();
  });

  it('apply to tools that come later, which are defined again only when they change', () => {
    const reliability = createReliability({ tools: { search: { timeoutMs: 77 } } });
    request(reliability, [{ name: 'search', input: schema, run: () => 1 }]);
    const [first] = reliability.service.tools;
    expect(reliability.service.getToolSettings('search')).toMatchObject({ timeoutMs: 77 });
    request(reliability, [{ name: 'search', input: { ...schema }, run: () => 2 }]);
    expect(reliability.service.tools[0]).toBe(first);
    request(reliability, [{ name: 'search', description: 'New.', input: schema, run: () => 3 }]);
    expect(reliability.service.tools.map(({ description }) => description)).toEqual(['New.']);
  });
});

describe('what belongs to one request', () => {
  it('is never run by another: an alternative that this request has not given', async () => {
    const reliability = createReliability({ tools: { a: { alternatives: ['b'] } } });
    const refused = { name: 'a', run: () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })) };
    request(reliability, [refused, { name: 'b', run: () => 'secret of alice' }]);
    const bob = request(reliability, [refused], { run: {} });
    const [answer] = await bob.answer(bob.startRun(), [call('a')]);
    expect(answer?.result.status).not.toBe('success');
    expect(JSON.stringify(answer)).not.toContain('alice');
  });

  it('checks its arguments: a parser that knows its user', async () => {
    const reliability = createReliability();
    const tool = (user: string, own: string): FrameworkTool => ({
      name: 'read_file',
      input: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (value: unknown) =>
            (value as { id?: unknown }).id === own ? { value } : { issues: [{ message: `not a file of ${user}`, path: ['id'] }] },
        },
      },
      run: ({ id }: { id: string }) => `run by ${user}: ${id}`,
    });
    const alice = request(reliability, [tool('alice', 'a1')]);
    const bob = request(reliability, [tool('bob', 'b1')]);
    const read = async (reliable: Reliable, id: string): Promise<unknown> => {
      const [answer] = await reliable.answer(reliable.startRun(), [call('read_file', id, { id })]);
      return answer?.result.output ?? answer?.result.error?.message;
    };
    expect(await read(alice, 'a1')).toBe('run by alice: a1');
    expect(await read(bob, 'b1')).toBe('run by bob: b1');
    expect(await read(bob, 'a1')).toContain("'id': not a file of bob");
    expect(await read(alice, 'b1')).toContain("'id': not a file of alice");
  });

  it('checks its arguments: a JSON Schema under the name that another request uses too', async () => {
    const reliability = createReliability();
    const tool = (type: string): FrameworkTool => ({
      name: 'search',
      input: { type: 'object', properties: { id: { type } }, required: ['id'] },
      run: ({ id }: { id: unknown }) => `run with ${typeof id}`,
    });
    const texts = request(reliability, [tool('string')]);
    const numbers = request(reliability, [tool('number')]);
    const alone = new Reliable([tool('string')]);
    const read = async (reliable: Reliable, id: unknown): Promise<string | undefined> => {
      const [answer] = await reliable.answer(reliable.startRun(), [call('search', 'c1', { id })]);
      return answer?.text;
    };
    expect(await read(texts, 'a')).toBe('run with string');
    expect(await read(numbers, 1)).toBe('run with number');
    expect(await read(texts, [])).toContain('Error INVALID_ARGUMENTS');
    expect(await read(numbers, 'a')).toContain('Error INVALID_ARGUMENTS');
    expect(await read(texts, [])).toBe(await read(alone, []));
    expect(await read(texts, '5')).toBe('run with string');
    expect(await read(numbers, '5')).toBe(await read(new Reliable([tool('number')]), '5'));
  });

  it('is not checked by a schema that throws', async () => {
    const input = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (): never => {
          throw new TypeError('a fault of the schema');
        },
      },
    };
    for (const reliable of [
      request(createReliability(), [{ name: 'a', input, run: () => 'ran' }]),
      new Reliable([{ name: 'a', input, run: () => 'ran' }]),
    ]) {
      const [answer] = await reliable.answer(reliable.startRun(), [call('a')]);
      expect(answer?.text).toBe('ran');
    }
  });
});
