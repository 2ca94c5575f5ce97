/** Limits of the relay. */

export interface RelayLimits {
  /** Time limit of one request to a server, without questions to the client. @default 30000 */
  readonly requestMs: number;
  /** How long a list waits for a server whose last list is known. @default 1000 */
  readonly knownListMs: number;
  /** How long a list waits for a server whose list is not known. @default 5000 */
  readonly unknownListMs: number;
  /** How long a client's handshake waits for handshakes with servers. @default 2000 */
  readonly handshakeMs: number;
  /** Maximum pages of one list of one server. @default 200 */
  readonly pages: number;
  /** Maximum entries of one list of one server. @default 20000 */
  readonly entries: number;
  /** Maximum size of one list of one server, in characters of JSON. @default 16000000 */
  readonly chars: number;
  /** Time limit for all pages of one list of one server. @default 20000 */
  readonly listMs: number;
  /** Entries per page of merged lists. @default 1000 */
  readonly pageSize: number;
  /** Changes within this time are sent as one notification. @default 50 */
  readonly gatherMs: number;
  /** Maximum characters of the instructions of one server. @default 8000 */
  readonly instructionsEach: number;
  /** Maximum characters of all instructions: a model reads them at the start of every conversation. @default 32000 */
  readonly instructionsAll: number;
}

export const defaultLimits: RelayLimits = {
  requestMs: 30_000,
  knownListMs: 1_000,
  unknownListMs: 5_000,
  handshakeMs: 2_000,
  pages: 200,
  entries: 20_000,
  chars: 16_000_000,
  listMs: 20_000,
  pageSize: 1_000,
  gatherMs: 50,
  instructionsEach: 8_000,
  instructionsAll: 32_000,
};
