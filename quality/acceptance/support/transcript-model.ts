/**
 * Which result belongs to which call of a conversation, as a plain program: by id, to the nearest call before; to a later one only if no id is used twice.
 * A real result replaces a placeholder, however late it comes. It shares no code with the packages.
 */
import type { Exchange, Round } from './conversation.ts';

export interface Placed {
  readonly callId: string;
  /** The text that it has to have; empty for a placeholder. `undefined`: the transcript does not tell. */
  readonly certain: string | undefined;
  /** The real results that it may have. */
  readonly possible: readonly string[];
}

const isReal = (text: string): boolean => /^(?:other )?answer /u.test(text);

/** The calls of each answer. `named`: results have the name of their tool, too, and never belong to another one. */
export function windowsOf(rounds: readonly Round[], named: boolean): readonly (readonly Placed[])[] {
  const keyOf = ({ callId, tool }: Pick<Exchange, 'callId' | 'tool'>): string => (named ? `${callId} ${tool}` : callId);
  const calls = rounds.flatMap(({ exchanges }, round) =>
    exchanges.map((exchange) => ({ key: keyOf(exchange), id: exchange.callId, round })),
  );
  const isReused = new Set(calls.map(({ id }) => id)).size < calls.length;
  const results = rounds.flatMap(({ written }, round) =>
    written.flatMap(({ callId, tool, result }) =>
      callId === undefined || result === undefined ? [] : [{ key: keyOf({ callId, tool }), round, text: result }],
    ),
  );
  const hasNameless = rounds.some(({ written }) => written.some(({ callId }) => callId === undefined));
  const realBetween = (key: string, from: number, to: number): readonly string[] => [
    ...new Set(
      results.filter((each) => each.key === key && each.round >= from && each.round < to && isReal(each.text)).map(({ text }) => text),
    ),
  ];
  const windowOf = (key: string, round: number): readonly string[] =>
    isReused
      ? realBetween(key, round, calls.find((call) => call.key === key && call.round > round)?.round ?? Infinity)
      : realBetween(key, 0, Infinity);
  return rounds.map(({ exchanges }, round) =>
    exchanges.map((exchange) => {
      const key = keyOf(exchange);
      const own = windowOf(key, round);
      const later = calls.filter((call) => call.key === key && call.round > round).map((call) => windowOf(key, call.round));
      // What a later call of the id has too much may be the result that this one is waiting for.
      const possible = own.length > 0 ? own : later.filter(({ length }) => length > 1).flat();
      // The only one directly behind its calls is the one, whatever comes later.
      const behind = results.filter((each) => each.key === key && each.round === round);
      const [first] = behind;
      const isClear = first !== undefined && isReal(first.text) && behind.every(({ text }) => text === first.text);
      const certain = isClear ? first.text : possible.length > 1 ? undefined : (possible[0] ?? '');
      if (!hasNameless) return { callId: exchange.callId, possible, certain };
      const nameless = rounds.slice(round).flatMap(({ written }) => written.filter(({ callId }) => callId === undefined));
      const texts = nameless.flatMap(({ result }) => (result !== undefined && isReal(result) ? [result] : []));
      // In order, and directly behind the calls, results need no ids.
      const isOrdered = rounds.length === 1 && nameless.map(({ result }) => result).join() === exchanges.map(({ result }) => result).join();
      return { callId: exchange.callId, possible: [...possible, ...texts], certain: isOrdered ? exchange.result : undefined };
    }),
  );
}
