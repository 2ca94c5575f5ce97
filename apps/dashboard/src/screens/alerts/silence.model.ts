/** The draft of a silence: the alerts it covers, its problems, and the request. */
import type { AlertItem, Matcher, Silence, SilenceRequest } from '@holdfast/gateway/contract';

export type Operator = '=' | '!=' | '=~' | '!~';

export const operators: readonly { readonly id: Operator; readonly title: string }[] = [
  { id: '=', title: 'is' },
  { id: '!=', title: 'is not' },
  { id: '=~', title: 'matches' },
  { id: '!~', title: 'does not match' },
];

export interface DraftMatcher {
  readonly key: number;
  readonly name: string;
  readonly operator: Operator;
  readonly value: string;
}

export type SilenceTime = '900000' | '3600000' | '14400000' | '86400000' | '604800000';

export const times: readonly { readonly id: SilenceTime; readonly title: string }[] = [
  { id: '900000', title: '15 minutes' },
  { id: '3600000', title: '1 hour' },
  { id: '14400000', title: '4 hours' },
  { id: '86400000', title: '1 day' },
  { id: '604800000', title: '7 days' },
];

export interface SilenceDraft {
  readonly matchers: readonly DraftMatcher[];
  readonly time: SilenceTime;
  readonly comment: string;
}

export const emptyMatcher = (key: number): DraftMatcher => ({ key, name: '', operator: '=', value: '' });

/** A draft for one alert, or an empty one. */
export function draftFor(alert: AlertItem | undefined): SilenceDraft {
  const { severity: _rule, ...labels } = alert?.labels ?? {};
  const matchers = Object.entries(labels).map(([name, value], key): DraftMatcher => ({ key, name, operator: '=', value }));
  return { matchers: matchers.length === 0 ? [emptyMatcher(0)] : matchers, time: '3600000', comment: '' };
}

export const nextKey = ({ matchers }: SilenceDraft): number => Math.max(-1, ...matchers.map(({ key }) => key)) + 1;

export interface DraftProblems {
  /** By the key of a matcher. */
  readonly matchers: ReadonlyMap<number, string>;
  readonly comment?: string;
}

export function problemsOf({ matchers, comment }: SilenceDraft): DraftProblems | undefined {
  const invalid = matchers.flatMap((matcher) => {
    const problem = matcherProblem(matcher);
    return problem === undefined ? [] : [[matcher.key, problem] as const];
  });
  const noComment = comment.trim() === '' ? { comment: 'Give a reason, for other operators.' } : {};
  return invalid.length === 0 && noComment.comment === undefined ? undefined : { matchers: new Map(invalid), ...noComment };
}

function matcherProblem({ name, operator, value }: DraftMatcher): string | undefined {
  if (name.trim() === '') return 'Enter a label, such as tool.';
  if (operator.includes('~') && patternOf(value) === undefined) return 'Invalid regular expression.';
  return undefined;
}

/** The whole value must match. */
function patternOf(value: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${value})$`, 'u');
  } catch {
    return undefined;
  }
}

/** The alerts that it would cover now. A preview: the gateway decides. */
export function coveredBy({ matchers }: SilenceDraft, alerts: readonly AlertItem[]): readonly AlertItem[] {
  return alerts.filter(({ state, labels }) => state !== 'resolved' && matchers.every((matcher) => isMatched(matcher, labels)));
}

/** The preview as a sentence. */
export function coverText(draft: SilenceDraft, alerts: readonly AlertItem[]): string {
  if (draft.matchers.some(({ name }) => name.trim() === '')) return 'Enter all labels to see what is covered.';
  const covered = coveredBy(draft, alerts);
  if (covered.length === 0) return 'Covers no current alert, but may cover future ones.';
  const open = alerts.filter(({ state }) => state !== 'resolved').length;
  return `Covers ${covered.length} of ${open} current alerts: ${covered.map(({ summary }) => summary).join('; ')}.`;
}

function isMatched({ name, operator, value }: DraftMatcher, labels: Readonly<Record<string, string>>): boolean {
  const actual = labels[name.trim()] ?? '';
  const hit = operator.includes('~') ? (patternOf(value)?.test(actual) ?? false) : actual === value;
  return operator.startsWith('!') ? !hit : hit;
}

export function requestOf({ matchers, time, comment }: SilenceDraft): SilenceRequest {
  return {
    matchers: matchers.map(({ name, operator, value }): Matcher => ({
      name: name.trim(),
      value,
      is_regex: operator.includes('~'),
      is_equal: !operator.startsWith('!'),
    })),
    duration_ms: Number(time),
    comment: comment.trim(),
  };
}

/** `tool = "search"` */
export function matcherText({ name, value, is_regex = false, is_equal = true }: Matcher): string {
  const sign = `${is_equal ? '=' : '!'}${is_regex ? '~' : is_equal ? '' : '='}`;
  return `${name} ${sign} ${JSON.stringify(value)}`;
}

const rank = { active: 0, pending: 1, expired: 2 } as const;

/** Active ones first, and of these the one that ends first. */
export const silencesInOrder = (silences: readonly Silence[]): readonly Silence[] =>
  silences.toSorted(
    (one, other) => rank[one.state] - rank[other.state] || (one.state === 'expired' ? -1 : 1) * (one.ends_at < other.ends_at ? -1 : 1),
  );
