/** Owns the sentence that summarizes a turn for users (docs/specification.md#s0-4-2): `Completed flight search, but hotel search timed out`. */
import type { ToolResult } from '../call/result.ts';
import { joinWithAnd, toolTitle } from '../plain/tool-title.ts';

type Ending = 'completed' | 'timed out' | 'failed' | 'was cancelled' | 'was skipped';

function endingOf(result: ToolResult): Ending {
  if (result.status === 'success') return 'completed';
  if (result.status === 'timeout') return 'timed out';
  if (result.skipped) return 'was skipped';
  return result.error.code === 'CANCELLED' ? 'was cancelled' : 'failed';
}

/** Longer lists are counted instead of named. */
const MAX_NAMED = 8;

/** Returns the summary sentence of a turn. */
export function summarize(results: readonly ToolResult[]): string {
  if (results.length === 0) return 'Nothing to do';
  const nameOf = namesOf(results);
  const completed = results.filter(({ status }) => status === 'success');
  const done = completed.length === 0 ? '' : `Completed ${joinNames(completed, nameOf)}`;
  if (completed.length === results.length) return done;
  const lost = (['timed out', 'failed', 'was cancelled', 'was skipped'] as const).flatMap((ending) =>
    describeLost(
      ending,
      results.filter((result) => endingOf(result) === ending),
      nameOf,
    ),
  );
  return done === '' ? capitalize(lost.join('; ')) : `${done}, but ${lost.join('; ')}`;
}

type NameOf = (result: ToolResult) => string;

/** Calls of a tool that was called more than once need more than its name. Only those that the sentence names are looked up. */
function namesOf(results: readonly ToolResult[]): NameOf {
  return (result) => {
    const title = toolTitle(result.toolName);
    const isUsedAgain = results.some((other) => other !== result && other.toolName === result.toolName);
    return isUsedAgain ? `${title} (${result.callId})` : title;
  };
}

/** `hotel search timed out, as did activity search`. */
function describeLost(ending: Ending, results: readonly ToolResult[], nameOf: NameOf): readonly string[] {
  const [first, ...others] = results;
  if (first === undefined) return [];
  const also = ending.startsWith('was ') ? 'as was' : 'as did';
  const more = others.length === 0 ? '' : `, ${others.length > 1 && also === 'as was' ? 'as were' : also} ${joinNames(others, nameOf)}`;
  return [`${nameOf(first)} ${ending}${more}`];
}

function joinNames(results: readonly ToolResult[], nameOf: NameOf): string {
  if (results.length <= MAX_NAMED) return joinWithAnd(results.map(nameOf));
  return joinWithAnd([...results.slice(0, MAX_NAMED - 1).map(nameOf), `${results.length - MAX_NAMED + 1} others`]);
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
