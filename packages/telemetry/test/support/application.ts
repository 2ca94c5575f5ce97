/**
 * An application in a separate process: an SDK of one major version, and this package with the API of one major version.
 * `node application.ts <2|3> <2|3>`: the version of the SDK, and of the API that this package finds. Prints the names of the recorded spans and metrics.
 */
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import type { Sdk } from './sdk.ts';

const [sdk = '2', api = '2'] = process.argv.slice(2);
const newer = join(import.meta.dirname, '../../../../tools/opentelemetry-3/package.json');
const found = createRequire(api === '3' ? newer : import.meta.url).resolve('@opentelemetry/api');

registerHooks({
  resolve(specifier, context, next) {
    const fromLibrary = context.parentURL?.includes('/packages/telemetry/src/') === true;
    return specifier === '@opentelemetry/api' && fromLibrary ? next(found) : next(specifier, context);
  },
});

const { openTelemetry } = await import('@holdfast/telemetry/opentelemetry');
const { defineTool, ToolExecutionService } = await import('@holdfast/core');
const telemetry = openTelemetry();
const tool = defineTool({ name: 'tool', run: () => 1 });
const service = new ToolExecutionService({ tools: [tool], middleware: [telemetry.middleware] });
telemetry.attach(service);
await service.executeTool({ toolName: 'tool' });

// The application sets its SDK up later than the service: that must not matter.
const { [`sdk${sdk}`]: makeSdk } = (await import(`./sdk-${sdk}.ts`)) as Record<string, () => Sdk>;
const made = makeSdk?.();
made?.register();
await new Promise((resolve) => setTimeout(resolve, 5));
await service.executeTool({ toolName: 'tool' });
const points = (await made?.points()) ?? [];
console.log(JSON.stringify({ spans: made?.spans().map(({ name }) => name), points: points.map(({ name }) => name) }));
