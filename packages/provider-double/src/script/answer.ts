/** A complete turn: ids, arguments as a string, finish reason. */
import type { NeutralRequest } from '../neutral/neutral-request.ts';
import type { BackendProfile } from '../rules/problem.ts';
import { isRecord } from '../rules/reading.ts';
import type { Chunking, ScriptedTurn } from './scripted-turn.ts';

export interface AnsweredCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it. */
  readonly raw: string;
  /** The arguments as an object; empty if the string is not one. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** One answer of the scripted model, complete: every id, every default. */
export interface Answer {
  /** Number of the answer within one double, from 1. */
  readonly number: number;
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly AnsweredCall[];
  readonly finish: string;
  readonly chunking: Chunking;
  /** Tokens as a double counts them: four characters each. */
  readonly usage: { readonly input: number; readonly output: number };
}

const paddedId = (prefix: string, number: number): string => `${prefix}${String(number).padStart(24, '0')}`;

/** An id in the provider's form, the same in every run. */
function callId(request: NeutralRequest, profile: BackendProfile | undefined, name: string, number: number): string {
  if (profile === 'mistral') return String(number).padStart(9, 'A');
  if (profile === 'kimi' || profile === 'moonshot') return `functions.${name}:${number - 1}`;
  switch (request.format) {
    case 'anthropic-messages':
      return paddedId('toolu_', number);
    case 'bedrock-converse':
      return paddedId('tooluse_', number);
    case 'gemini':
      // Only the newest models give their calls ids.
      return /gemini-3/.test(request.model) ? paddedId('', number).slice(-8) : '';
    default:
      return paddedId('call_', number);
  }
}

const objectOf = (raw: unknown): Readonly<Record<string, unknown>> => {
  if (isRecord(raw)) return raw;
  try {
    const value: unknown = JSON.parse(String(raw));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
};

export interface AnswerContext {
  readonly request: NeutralRequest;
  readonly profile: BackendProfile | undefined;
  readonly number: number;
  /** Number of calls answered before. */
  readonly calls: number;
}

export function answerOf(turn: ScriptedTurn, { request, profile, number, calls }: AnswerContext): Answer {
  const answered = (turn.calls ?? []).map((call, order) => {
    const written = call.arguments ?? {};
    return {
      id: call.id ?? callId(request, profile, call.name, calls + order + 1),
      name: call.name,
      raw: typeof written === 'string' ? written : JSON.stringify(written),
      value: objectOf(written),
    };
  });
  const text = turn.text ?? '';
  const letters = text.length + (turn.reasoning ?? '').length + answered.reduce((sum, call) => sum + call.raw.length, 0);
  return {
    number,
    model: request.model,
    text,
    reasoning: turn.reasoning ?? '',
    calls: answered,
    finish: turn.finish ?? (answered.length > 0 ? 'calls' : 'stop'),
    chunking: turn.chunking ?? {},
    usage: { input: Math.ceil(JSON.stringify(request.messages).length / 4), output: Math.ceil(letters / 4) },
  };
}
