/**
 * What a server's annotations say about retrying. They are hints of the server: believe those of servers you trust.
 */

/** Hints of an MCP tool, as the server gives them. */
export interface ToolAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
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
