/** Owns the headers for the type of a body and the accepted types of its answer. */

export interface AcceptedTypes {
  readonly json: boolean;
  readonly events: boolean;
}

const both: AcceptedTypes = { json: true, events: true };
const usual = 'application/json, text/event-stream';

/** Without the header, a client accepts everything. */
export function acceptedTypes(header: string | undefined): AcceptedTypes {
  if (header === undefined || header === usual) return both;
  const types = header.split(',').filter((entry) => !/;\s*q=0(?:\.0*)?\s*(?:;|$)/i.test(entry));
  const names = types.map((entry) => (entry.split(';', 1)[0] as string).trim().toLowerCase());
  const takes = (...words: readonly string[]): boolean => names.some((name) => words.includes(name));
  return { json: takes('application/json', 'application/*', '*/*'), events: takes('text/event-stream', 'text/*', '*/*') };
}

export const isJsonBody = (contentType: string | undefined): boolean =>
  contentType === 'application/json' || /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? '');
