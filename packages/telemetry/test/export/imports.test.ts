/** Exports and tracing without an SDK run where `@opentelemetry/api` is not installed. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Imports the entry in a process where no package of OpenTelemetry can be resolved. */
async function importWithoutApi(entry: string): Promise<string> {
  const program = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name.startsWith('@opentelemetry/')) throw new Error(name + ' is not installed');
      return next(name, context);
    } });
    await import('@holdfast/telemetry/${entry}').then((all) => console.log(Object.keys(all).length > 0), ({ message }) => console.log(message));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@holdfast/source', '--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
  });
  return stdout.trim();
}

test('neither exports nor tracing over OTLP need the API of OpenTelemetry', async () => {
  expect(await Promise.all(['export', 'otlp'].map(importWithoutApi))).toEqual(['true', 'true']);
  expect(await importWithoutApi('opentelemetry')).toBe('@opentelemetry/api is not installed');
});
