/**
 * Owns the revisions of the protocol. Up to 2025-11-25 (`legacy`), a session starts with a handshake and is stateful; from 2026-07-28 (`modern`), every request is
 * independent and contains the identity of the client in its `_meta`.
 */

/** Generation of MCP revisions: `legacy` up to 2025-11-25, with sessions; `modern` from 2026-07-28, without. */
export type Era = 'legacy' | 'modern';

/** Newest first. */
export const legacyVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
/** Newest first. */
export const modernVersions: readonly string[] = ['2026-07-28'];

/** Keys of `_meta` that the modern era defines. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** From the least to the most severe. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
/** Severity of a log message, as in RFC 5424. */
export type LogLevel = (typeof logLevels)[number];
