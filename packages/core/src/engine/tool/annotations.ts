/** Owns the effect of an MCP tool by its annotations. They are hints of its server: use them only for servers you trust. */
import type { Effect } from '../recover/decision.ts';

/** Hints of the server about an MCP tool. */
export interface ToolAnnotations {
  /** Display name of the tool. */
  readonly title?: string | undefined;
  /** The tool changes nothing. */
  readonly readOnlyHint?: boolean | undefined;
  /** The tool may delete or overwrite something. */
  readonly destructiveHint?: boolean | undefined;
  /** A repeated call with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean | undefined;
  /** The tool reaches systems outside of the server, such as the web. Not used here. */
  readonly openWorldHint?: boolean | undefined;
}

/**
 * `'read'` if the tool changes nothing, `'idempotent'` if a repeated call changes nothing more, `'unsafe'` if it is destructive, and
 * `undefined` without hints.
 */
export function effectFromAnnotations(annotations: ToolAnnotations | undefined): Effect | undefined {
  if (annotations?.readOnlyHint === true) return 'read';
  if (annotations?.idempotentHint === true) return 'idempotent';
  return annotations?.destructiveHint === true ? 'unsafe' : undefined;
}
