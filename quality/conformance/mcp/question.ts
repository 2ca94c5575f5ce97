/** What the suite gives to a client, as it is sent to the host. */
export interface Question {
  /** Of the scenario's server. */
  readonly url: string;
  readonly scenario: string;
  readonly protocol: 'modern' | 'legacy';
  /** The credentials that the suite has assigned. */
  readonly context: Readonly<Record<string, string>>;
}

/** The last line of an answer; it is missing if the host failed. */
export const ended = 'ended';
