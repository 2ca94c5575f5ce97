/** Owns the words in which a provider's rules are written down. The rules themselves are data: `formats`, `backends`, `models`. */

/** Where results are looked for. */
export type ResultPlacement =
  /** Messages of their own, directly behind the message with the calls. */
  | 'own-messages'
  /** The first parts of the user's turn behind the calls; neighbours of one role count as one. */
  | 'next-turn'
  /** As `next-turn`, but all in one message. */
  | 'next-message'
  /** Items, somewhere behind the call. */
  | 'items-behind'
  /** Items, directly behind the calls. */
  | 'items-adjacent';

/** What a provider requires of a transcript and of tool definitions. */
export interface ProviderRules {
  /** Where tool results have to be. */
  readonly results: ResultPlacement;
  /** Results stand in the order of their calls. */
  readonly resultsInCallOrder: boolean;
  /** Form of a call id. `pattern`, `maxLength` and `exactLength` limit its text; `required`: a call without an id is refused. */
  readonly callId: {
    readonly pattern: RegExp | undefined;
    readonly maxLength: number;
    /** Exactly so many letters and digits. */
    readonly exactLength: number | undefined;
    /** Where an id may stand for one call only. */
    readonly uniqueIn: 'turn' | 'request';
    readonly required: boolean;
  };
  /** Form of a tool name. `pattern` is `undefined` if any character is accepted. */
  readonly toolName: { readonly pattern: RegExp | undefined; readonly maxLength: number };
  /** Largest number of tool definitions. `Infinity`: no limit is known. */
  readonly maxTools: number;
  /**
   * Form of a call's arguments in the transcript. `any-text`: a string; `json-text`: a string that is a JSON object; `object`: the object itself.
   */
  readonly arguments: 'any-text' | 'json-text' | 'object';
  /** What to do with an empty list of tools. `remove`: the provider refuses one. */
  readonly emptyTools: 'keep' | 'remove';
  /** Texts must have something to read in them. */
  readonly filledTexts: boolean;
  /** Messages of the model need a content next to their calls. */
  readonly contentBesideCalls: boolean;
  /** Contents of system, assistant and tool messages must be texts, not lists. */
  readonly textContents: boolean;
  /** The first message has to be of the user. */
  readonly startsWithUser: boolean;
  /** The last message has to be of the user. */
  readonly endsWithUser: boolean;
  /** A message of the model stands between tool results and the user. */
  readonly bridgeBehindResults: boolean;
  /** What may share a turn with results. */
  readonly besideResults: 'anything' | 'texts-and-images' | 'nothing';
  /** Tool results may have a `status`. */
  readonly statusField: boolean;
  /** Tool blocks in the transcript need tool definitions. */
  readonly toolsForHistory: boolean;
  /** Calls of the current turn need thought signatures. */
  readonly signatures: boolean;
  /** With thinking on, each step of a turn starts with it, not only the first. */
  readonly thinkingEachStep: boolean;
  /** The model makes reasoning items that its other items point to. */
  readonly reasoningItems: boolean;
  /** Schemas with combinators at the top are refused. */
  readonly plainSchemaRoot: boolean;
}

/** Some of the rules, on top of others. */
export type RulesOnTop = Partial<Omit<ProviderRules, 'callId' | 'toolName'>> & {
  readonly callId?: Partial<ProviderRules['callId']>;
  readonly toolName?: Partial<ProviderRules['toolName']>;
};
