/** Prints `docs/reference/telemetry.md` from the names of `@holdfast/telemetry`. */
import { errorTypeOf } from '../../packages/telemetry/src/spans/error-type.ts';
import { attribute, conventions, schemaUrl, spanEvent, spanName } from '../../packages/telemetry/src/semconv.ts';
import { errorCases } from './error-cases.ts';
import { code, table } from './page.ts';
import { attributeNotes, spanEventNotes } from './telemetry-notes.ts';

const spans: readonly (readonly string[])[] = [
  ['call', code(spanName.call('{tool}')), 'what was active at the call, or the turn', 'one call over all its attempts and waits'],
  ['attempt', code(spanName.attempt('{tool}')), 'its call or alternative', 'one run of the tool; active while it runs'],
  ['alternative', code(spanName.call('{alternative}')), 'its call', 'a tool that steps in; linked to the attempt that failed before'],
  ['turn', code(spanName.turn), 'none: only where no other span is active', 'a turn or batch; a single call has none'],
  ['agent', code(spanName.agent('{agent}')), 'the same', 'the span of the turn, with the option `agent`'],
];

/** Each word of `error.type` with the codes behind it. */
function errorTypeRows(): readonly (readonly string[])[] {
  const codes = [...new Set(errorCases.map((one) => one.code))];
  const types = [...new Set(codes.map((one) => errorTypeOf(one)))];
  return types.map((type) => [
    code(type),
    codes
      .filter((one) => errorTypeOf(one) === type)
      .map(code)
      .join(', '),
  ]);
}

export function telemetryPage(): string {
  const attributes = Object.entries(attributeNotes) as readonly (readonly [keyof typeof attribute, readonly [string, string]])[];
  const events = Object.entries(spanEventNotes) as readonly (readonly [keyof typeof spanEvent, string])[];
  return [
    '# Telemetry',
    'Every span, attribute and span event of `@holdfast/telemetry/opentelemetry`; `toOtlpJson` has the same. Instruments are in [metrics](metrics.md#opentelemetry). How to set it up is in [the guide](../guide/opentelemetry.md).\nIt is printed by `npm run docs`; a test fails when page and code differ.',
    `Names of OpenTelemetry's own are those of its conventions for generative AI and MCP as of ${conventions} (${code(schemaUrl)}), all of them in development there; ours begin with ${code('holdfast.')}. Times and durations are seconds. Every span is of the kind INTERNAL.`,
    '## Spans',
    table(['', 'Name', 'Parent', 'Covers'], spans),
    '## Attributes',
    table(
      ['Name', 'On', 'Meaning'],
      attributes.map(([key, [where, meaning]]) => [code(attribute[key]), where, meaning]),
    ),
    '## Span events',
    'On the span of their call; of calls without one, and of the turn itself, on the span of the turn, or on the one that was active when it began.',
    table(
      ['Name', 'From', 'Meaning'],
      events.map(([type, meaning]) => [code(spanEvent[type]), code(type), meaning]),
    ),
    '## Error types',
    'An HTTP status stands for itself (`503`). Of each tool 20 are told apart in metrics, then `_OTHER`; of tools 100, then `other`; a tool that does not exist is `unknown`.',
    table(['`error.type`', 'Codes'], errorTypeRows()),
  ].join('\n\n');
}
