/**
 * What a server's annotations say about retrying. They are hints of the server: believe those of servers you trust.
 */

/** Hints of an MCP tool, as the server gives them. */
export interface ToolAnnotations {
  /** Name of the tool for people. */
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
 * `'read'` where the tool is said to change nothing, `'idempotent'` where a repeated call is said to change nothing more,
 * `'unsafe'` where it is said to be destructive, `undefined` where nothing is said.
 */
export function effectFromAnnotations(annotations: ToolAnnotations | undefined): 'read' | 'idempotent' | 'unsafe' | undefined {
  if (annotations?.readOnlyHint === true) return 'read';
  if (annotations?.idempotentHint === true) return 'idempotent';
  return annotations?.destructiveHint === true ? 'unsafe' : undefined;
}
