/** Properties of the checker itself. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRequest, type BackendProfile, type WireFormat } from '@holdfast/provider-double/rules';
import { cases, ruleCases } from '../support/cases.ts';

const formats: readonly WireFormat[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'bedrock-converse', 'ai-sdk'];
const profiles: readonly BackendProfile[] = ['openai', 'deepseek', 'mistral', 'qwen', 'kimi', 'minimax', 'xai', 'groq', 'vllm', 'ollama'];

/** Real requests with one part replaced by an arbitrary value. */
const requests = [...cases.map(({ request, body }) => request ?? body), ...ruleCases.map(({ request }) => request)].filter(
  (request) => request !== undefined,
);

function places(value: unknown, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()].slice(0, 8) : Object.entries(value);
  return [path, ...entries.flatMap(([key, child]) => places(child, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: readonly (string | number)[], replacement: unknown): unknown {
  if (key === undefined) return replacement;
  if (Array.isArray(value)) return value.map((child: unknown, index) => (index === key ? replaced(child, rest, replacement) : child));
  return { ...(value as object), [key]: replaced((value as Record<string, unknown>)[key], rest, replacement) };
}

const broken = fc
  .constantFrom(...requests)
  .chain((request) => fc.tuple(fc.constant(request), fc.constantFrom(...places(request)), fc.jsonValue()))
  .map(([request, path, replacement]) => replaced(request, path, replacement));

describe('checkRequest', () => {
  it('accepts any input, does not change it, and gives the same answer again', () => {
    const property = fc.property(
      fc.constantFrom(...formats),
      fc.constantFrom(...profiles),
      fc.oneof(fc.jsonValue(), broken),
      (format, profile, request) => {
        const before = JSON.stringify(request);
        const problems = checkRequest({ format, profile, request });
        expect(checkRequest({ format, profile, request })).toEqual(problems);
        expect(JSON.stringify(request)).toBe(before);
        for (const { rule, message } of problems) {
          expect(rule).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
          expect(message).not.toBe('');
        }
      },
    );
    fc.assert(property, { numRuns: 2_000 });
  });

  it.each(formats)('reports an object whose toString is not a function: %s', (format) => {
    const odd = { toString: {} };
    for (const request of requests)
      for (const path of places(request))
        expect(() => checkRequest({ format, profile: 'openai', request: replaced(request, path, odd) })).not.toThrow();
  });

  it('accepts any well-formed conversation and reports any missing result', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });
    const property = fc.property(sizes, fc.nat(), (turns, chosen) => {
      const build = (lost: number): unknown[] => {
        let number = -1;
        const conversation = turns.flatMap((size) => {
          const ids = Array.from({ length: size }, () => `a${String((number += 1)).padStart(8, '0')}`);
          const calls = ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } }));
          const results = ids.filter((id) => Number(id.slice(1)) !== lost).map((id) => ({ role: 'tool', tool_call_id: id, content: 'ok' }));
          const end = { role: 'assistant', content: 'so' };
          return [{ role: 'user', content: 'go' }, { role: 'assistant', content: '', tool_calls: calls }, ...results, end];
        });
        return [...conversation, { role: 'user', content: 'and then?' }];
      };
      const total = turns.reduce((sum, size) => sum + size, 0);
      for (const profile of profiles) {
        const judge = (messages: unknown): readonly string[] =>
          checkRequest({ format: 'openai-chat', profile, request: { messages } }).map(({ rule }) => rule);
        expect(judge(build(-1))).toEqual([]);
        expect(judge(build(chosen % total))).toEqual(['missing-result']);
      }
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('lists the known values for an unknown format or profile', () => {
    const ask = (format: string, profile?: string) => () =>
      checkRequest({ format: format as WireFormat, ...(profile === undefined ? {} : { profile: profile as BackendProfile }), request: {} });
    expect(ask('chat')).toThrow(/format is 'chat'; it must be one of openai-chat, /);
    expect(ask('toString')).toThrow(RangeError);
    expect(ask('openai-chat', 'acme')).toThrow(/profile is 'acme'; it must be one of openai, /);
  });
});
