/** Owns the tests of a host and a server, whatever is between them and whatever their eras are. */
import { expect, test } from 'vitest';
import { textOf } from '../fixtures/client/raw-client.ts';
import type { SdkHost } from '../fixtures/sdk-hosts.ts';

export interface HostAndServer {
  /** The connected host; the same for all tests of a pair. */
  readonly host: () => SdkHost;
}

const watched = 'test://watched-resource';

/** Defines the tests of one pair of host and server. */
export function testHostAndServer({ host }: HostAndServer): void {
  test('lists the tools and calls one', async () => {
    expect(await host().listTools()).toEqual(expect.arrayContaining(['echo', 'test_elicitation', 'test_simple_text']));
    expect(textOf(await host().call('echo', { message: 'hello' }))).toBe('hello');
  });

  test('an error of a tool is a result, an unknown tool an error', async () => {
    const answer = await host().call('test_error_handling');
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toContain('This tool fails on purpose.');
    await expect(host().call('no_such_tool')).rejects.toThrow(/no_such_tool/);
  });

  test('a question to the user is answered by the host', async () => {
    const answer = await host().call('test_elicitation', { message: 'Who are you?' });
    expect(textOf(answer)).toContain('action=accept');
    expect(textOf(answer)).toContain('username of the host');
    expect(host().asked).toContain('elicitation/create');
  });

  test('a question to the model is answered by the host', async () => {
    expect(textOf(await host().call('test_sampling', { prompt: 'Say something.' }))).toBe('LLM response: Sampled by the host.');
  });

  test('three questions at once', async () => {
    expect(textOf(await host().call('test_input_required_result_multiple_inputs'))).toBe('Sampled by the host. name of the host, 1 roots');
  });

  test('two questions, one after the other', async () => {
    expect(textOf(await host().call('test_input_required_result_multi_round'))).toBe('name of the host likes color of the host');
  });

  test('a prompt that asks', async () => {
    expect(await host().getPrompt('test_input_required_result_prompt')).toBe('Use this context: context of the host');
  });

  test('progress is sent in order', async () => {
    const reported: number[] = [];
    await host().call('test_tool_with_progress', {}, { onProgress: ({ progress }) => reported.push(progress) });
    expect(reported).toEqual([0, 50, 100]);
  });

  test('a cancelled call is cancelled at the server', async () => {
    const before = Number(textOf(await host().call('count_cancelled')));
    const canceller = new AbortController();
    let start: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const called = host().call('wait', { milliseconds: 20_000 }, { signal: canceller.signal, onProgress: () => start() });
    called.catch(() => undefined);
    await started;
    canceller.abort();
    await expect(called).rejects.toThrow(/abort|cancel/i);
    await expect.poll(async () => Number(textOf(await host().call('count_cancelled'))), { timeout: 5_000 }).toBe(before + 1);
  });

  test('log messages are sent if they are requested', async () => {
    await host().callLogged('test_tool_with_logging');
    await expect.poll(() => host().received.filter((what) => what === 'message info').length, { timeout: 10_000 }).toBe(3);
  });

  test('resources are read', async () => {
    expect(await host().readResource('test://static-text')).toBe('The content of the static text.');
    expect(JSON.parse(await host().readResource('test://template/7/data'))).toMatchObject({ id: '7' });
    await expect(host().readResource('test://nothing')).rejects.toThrow(/not found/i);
  });

  test('prompts are read and completed', async () => {
    expect(await host().getPrompt('test_prompt_with_arguments', { arg1: 'a', arg2: 'b' })).toBe(
      "Prompt with arguments: arg1='a', arg2='b'",
    );
    expect(await host().complete('test_prompt_with_arguments', 'par')).toEqual(['paris', 'park', 'party']);
  });

  test('the host is notified of changed lists and of a changed watched resource', async () => {
    await host().watch(watched);
    await host().call('test_trigger_tool_change');
    await host().call('test_trigger_prompt_change');
    await host().call('touch_resource', { uri: watched });
    await expect
      .poll(() => [...new Set(host().received)], { timeout: 5_000 })
      .toEqual(expect.arrayContaining(['tools changed', 'prompts changed', `updated ${watched}`]));
  });
}
