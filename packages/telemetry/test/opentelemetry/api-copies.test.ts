/** Which copy of the API the application and this package have, in separate processes. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const application = join(import.meta.dirname, '../support/application.ts');

async function run(
  sdk: '2' | '3',
  api: '2' | '3',
): Promise<{ readonly recorded: { readonly spans: readonly string[]; readonly points: readonly string[] }; readonly stderr: string }> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--conditions=@holdfast/source', application, sdk, api]);
  return { recorded: JSON.parse(stdout) as never, stderr };
}

const everything = ['tool_attempt tool', 'execute_tool tool'];

test.each([
  ['2', '2', 'one copy of 1.9.1'],
  ['3', '3', 'one copy of 1.10.0'],
  ['3', '2', 'an older copy than the application’s'],
] as const)('SDK %s, API %s: %s', async (sdk, api, _what) => {
  const { recorded, stderr } = await run(sdk, api);
  expect(recorded.spans).toEqual(everything);
  expect(recorded.points).toContain('gen_ai.execute_tool.duration');
  expect(stderr).toBe('');
});

test('with a newer copy than the application’s there is no SDK: it warns once, and calls work', async () => {
  const { recorded, stderr } = await run('2', '3');
  expect(recorded).toEqual({ spans: [], points: [] });
  expect(stderr.match(/HOLDFAST_OTEL_COPIES/g)).toHaveLength(1);
  expect(stderr).toContain('registered through @opentelemetry/api 1.9.1');
});
