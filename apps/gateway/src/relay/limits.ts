/** The limits of the relay. */

export interface RelayLimits {
  /** Of one request to a server; questions to the client do not count. @default 30000 */
  readonly requestMs: number;
  /** How long a list waits for a server whose list is known. @default 1000 */
  readonly knownListMs: number;
  /** How long a list waits for a server whose list is not known. @default 5000 */
  readonly unknownListMs: number;
  /** How long a greeting waits for servers that have not greeted yet. @default 2000 */
  readonly greetingMs: number;
  /** Pages of one list of one server. @default 200 */
  readonly pages: number;
  /** Entries of one list of one server. @default 20000 */
  readonly entries: number;
  /** Characters of JSON of one list of one server. @default 16000000 */
  readonly chars: number;
  /** Of all pages of one list of one server. @default 20000 */
  readonly listMs: number;
  /** Entries of our own pages. @default 1000 */
  readonly pageSize: number;
  /** Changes within this time are told once. @default 50 */
  readonly gatherMs: number;
  /** Characters of the instructions of one server. @default 8000 */
  readonly instructionsEach: number;
  /** Characters of all instructions: a model reads them at the beginning of every conversation. @default 32000 */
  readonly instructionsAll: number;
}

export const defaultLimits: RelayLimits = {
  requestMs: 30_000,
  knownListMs: 1_000,
  unknownListMs: 5_000,
  greetingMs: 2_000,
  pages: 200,
  entries: 20_000,
  chars: 16_000_000,
  listMs: 20_000,
  pageSize: 1_000,
  gatherMs: 50,
  instructionsEach: 8_000,
  instructionsAll: 32_000,
};
