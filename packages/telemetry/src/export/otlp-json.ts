/**
 * Owns a turn as OTLP/JSON, as a collector accepts it at `POST /v1/traces`.
 *
 * Invariants
 * 1. The mapping is OTLP's mapping of protobuf to JSON: names in camelCase, ids in hex, 64-bit numbers as strings, kinds and codes as numbers.
 * 2. The ids are derived from the turn's id and its begin: every export of a turn has the same ids, and no other turn has them.
 */
import { createHash } from 'node:crypto';
import type { TraceEvent } from '@holdfast/core';
import { attribute, schemaUrl } from '../semconv.ts';
import type { AttributeValue, Attributes } from '../spans/span-sink.ts';
import { scope } from '../scope.ts';
import type { ExportOptions } from './options.ts';
import { checkExportOptions, spanOptions } from './options.ts';
import type { SpanRecord } from './span-records.ts';
import { spanRecords } from './span-records.ts';

/** The value of an attribute; a 64-bit integer is a string. */
export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

/** One attribute. */
export interface OtlpKeyValue {
  /** Name of the attribute. */
  readonly key: string;
  /** Value of the attribute. */
  readonly value: OtlpValue;
}

/** One span. */
export interface OtlpSpan {
  /** 32 hexadecimal digits, the same for all spans of the turn. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** `tracestate` of the client, unchanged. Absent without one. */
  readonly traceState?: string;
  /** The span that encloses this one. Absent for the outermost. */
  readonly parentSpanId?: string;
  /** W3C trace flags: sampled. */
  readonly flags: number;
  /** Name of the span, such as `execute_tool search`. */
  readonly name: string;
  /** 1: internal. */
  readonly kind: number;
  /** Nanoseconds since 1970. */
  readonly startTimeUnixNano: string;
  /** Nanoseconds since 1970. */
  readonly endTimeUnixNano: string;
  /** Attributes of the span. */
  readonly attributes: readonly OtlpKeyValue[];
  /** What happened during the span. */
  readonly events: readonly { readonly timeUnixNano: string; readonly name: string; readonly attributes: readonly OtlpKeyValue[] }[];
  /** Other spans of the turn that this one relates to. */
  readonly links: readonly { readonly traceId: string; readonly spanId: string; readonly attributes: readonly OtlpKeyValue[] }[];
  /** 0: unset, 2: error. */
  readonly status: { readonly code: number; readonly message?: string };
}

/** The body of an OTLP/HTTP request with one turn's spans. */
export interface OtlpTraces {
  /** One entry: the process with one scope and all spans of the turn. */
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpKeyValue[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly spans: readonly OtlpSpan[];
      readonly schemaUrl: string;
    }[];
  }[];
}

interface Turn {
  readonly traceId: string;
  readonly spanIdOf: (record: SpanRecord) => string;
  /** Of a moment, in milliseconds since the turn began. */
  readonly nanoseconds: (sinceBegin: number) => string;
}

/** The spans of one turn. `events`: all of them, in their order. */
export function toOtlpJson(events: readonly TraceEvent[], options: ExportOptions = {}): OtlpTraces {
  checkExportOptions(options, 'toOtlpJson');
  const records = spanRecords(events, spanOptions(options));
  const traceId = hash(32, events[0]?.turn_id ?? '', events[0]?.timestamp ?? '');
  const resource = { attributes: keyValues({ 'service.name': options.serviceName ?? 'holdfast' }) };
  const turn = { traceId, spanIdOf: spanIds(traceId), nanoseconds: nanosecondsFrom(events[0]) };
  const spans = records.map((record) => otlpSpan(record, turn));
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { ...scope }, spans, schemaUrl }] }] };
}

function otlpSpan(record: SpanRecord, { traceId, spanIdOf, nanoseconds }: Turn): OtlpSpan {
  const { parent, name, startMs, endMs, attributes, events, links, failure } = record;
  return {
    traceId,
    spanId: spanIdOf(record),
    ...(parent ? { parentSpanId: spanIdOf(parent) } : {}),
    flags: 1,
    name,
    kind: 1,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: keyValues(attributes),
    events: events.map((event) => ({ timeUnixNano: nanoseconds(event.atMs), name: event.name, attributes: keyValues(event.attributes) })),
    links: links.map(({ to, kind }) => ({
      traceId,
      spanId: spanIdOf(to),
      attributes: keyValues({ [attribute.linkKind]: kind }),
    })),
    status: failure ? { code: 2, message: failure.message } : { code: 0 },
  };
}

/** Cached, since children and links use it too. */
function spanIds(traceId: string): Turn['spanIdOf'] {
  const ids = new Map<SpanRecord, string>();
  return (record) => {
    const known = ids.get(record);
    if (known !== undefined) return known;
    const id = hash(16, traceId, String(record.index));
    ids.set(record, id);
    return id;
  };
}

/** A hash of all zeros would be an invalid id, but is practically impossible. */
function hash(digits: number, ...parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(['holdfast', ...parts]))
    .digest('hex')
    .slice(0, digits);
}

/** Nanoseconds since 1970 as text: a number would not be exact. */
function nanosecondsFrom(first: TraceEvent | undefined): Turn['nanoseconds'] {
  const origin = first ? BigInt(Date.parse(first.timestamp)) * 1_000_000n - fraction(first.elapsed_ms) : 0n;
  return (sinceBegin) => String(origin + fraction(sinceBegin));
}

function fraction(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds * 1_000_000));
}

export function keyValues(attributes: Attributes): readonly OtlpKeyValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) }));
}

function otlpValue(value: AttributeValue): OtlpValue {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    default:
      return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } };
  }
}
