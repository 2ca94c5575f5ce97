/** Owns the last check before results go back to the model: one result per call, with the same ids (docs/specification.md#s4-validation). */

/** Whether results match their calls, and what is wrong when they do not. */
export interface ResponseMatch {
  /** True when `problems` is empty. */
  readonly matches: boolean;
  /** Call ids without a result. */
  readonly missing: readonly string[];
  /** Result ids without a call. */
  readonly unexpected: readonly string[];
  /** All results are present, but not in the order of their calls. */
  readonly reordered: boolean;
  /** Everything that is wrong, as sentences. */
  readonly problems: readonly string[];
}

interface WithCallId {
  readonly callId?: string | undefined;
}

/** Compares calls and results by (id, occurrence). Calls without an id are `call-1`, `call-2` … by position, as in a batch. */
export function matchResponses(calls: readonly WithCallId[], results: readonly WithCallId[]): ResponseMatch {
  const wanted = occurrences(calls.map(({ callId }, index) => callId ?? `call-${index + 1}`));
  const given = occurrences(results.map(({ callId }) => callId ?? ''));
  const wantedSet = new Set(wanted.map(({ key }) => key));
  const givenSet = new Set(given.map(({ key }) => key));
  const missing = wanted.filter(({ key }) => !givenSet.has(key)).map(({ id }) => id);
  const unexpected = given.filter(({ key }) => !wantedSet.has(key)).map(({ id }) => id);
  const reordered = missing.length + unexpected.length === 0 && wanted.some(({ key }, index) => given[index]?.key !== key);
  const problems = [
    ...(calls.length === results.length ? [] : [`${calls.length} calls, but ${results.length} results`]),
    ...missing.map((id) => `No result for call '${id}'`),
    ...unexpected.map((id) => `A result for '${id}', which was not called`),
    ...(reordered ? ['The results are not in the order of their calls'] : []),
  ];
  return { matches: problems.length === 0, missing, unexpected, reordered, problems };
}

function occurrences(ids: readonly string[]): readonly { readonly id: string; readonly key: string }[] {
  const seen = new Map<string, number>();
  return ids.map((id) => {
    const occurrence = (seen.get(id) ?? 0) + 1;
    seen.set(id, occurrence);
    return { id, key: `${occurrence} ${id}` };
  });
}
