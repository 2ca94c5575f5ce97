/** Shared by the tests of spans: a traced service, tools that fail, and access to the recorded spans. */
import type { AnyTool, ToolExecutionServiceOptions } from '@holdfast/core';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import type { OpenTelemetryOptions } from '@holdfast/telemetry/opentelemetry';
import { openTelemetry } from '@holdfast/telemetry/opentelemetry';
import { trace } from '@opentelemetry/api';
import { expect } from 'vitest';
import type { FinishedSpan, Sdk } from '../support/sdk.ts';

export const failing = (status: number, message = 'down'): Error => Object.assign(new Error(message), { status });

/** Like the instrumentation of an HTTP client. */
export const request = (name: string): void => trace.getTracer('http').startSpan(name).end();

const begun = Date.UTC(2025, 10, 5, 10, 30, 45);
export const sinceBegun = ([seconds, nanoseconds]: readonly [number, number]): number =>
  (seconds - begun / 1_000) * 1_000 + nanoseconds / 1e6;

export interface World {
  readonly system: ReturnType<typeof manualSystem>;
  readonly service: ToolExecutionService;
  readonly detach: () => void;
}

export function world(
  tools: readonly AnyTool[],
  options: OpenTelemetryOptions = {},
  more: Partial<ToolExecutionServiceOptions> = {},
): World {
  const system = manualSystem();
  const telemetry = openTelemetry(options);
  const service: ToolExecutionService = new ToolExecutionService({ tools, system, seed: 's', middleware: [telemetry.middleware], ...more });
  return { system, service, detach: telemetry.attach(service) };
}

/** Fails this often, then succeeds; each attempt takes 10 ms and sends a request at its start and after a wait. */
export function flaky(system: () => ReturnType<typeof manualSystem>, failures: number, name = 'search', more: object = {}): AnyTool {
  return defineTool({
    name,
    ...more,
    run: async (_args: unknown, { attempt }) => {
      request(`GET ${name} ${attempt}`);
      await new Promise<void>((resolve) => void system().setTimer(10, resolve, false, system().now()));
      request(`POST ${name} ${attempt}`);
      if (attempt <= failures) throw failing(503);
      return attempt;
    },
  });
}

/** An SDK, and queries on the spans that it recorded. */
export interface Scene {
  readonly sdk: Sdk;
  /** The only one with that name. */
  readonly named: (name: string) => FinishedSpan;
  readonly parentOf: (span: FinishedSpan) => string | undefined;
  /** As lines: `name < parent`. */
  readonly tree: () => readonly string[];
}

export function sceneOf(sdk: Sdk): Scene {
  const named = (name: string): FinishedSpan => {
    const found = sdk.spans().filter((span) => span.name === name);
    expect(found.map((span) => span.name)).toEqual([name]);
    return found[0] as FinishedSpan;
  };
  const parentOf = (span: FinishedSpan): string | undefined =>
    sdk.spans().find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId)?.name;
  return { sdk, named, parentOf, tree: () => sdk.spans().map((span) => `${span.name} < ${parentOf(span) ?? 'nothing'}`) };
}
