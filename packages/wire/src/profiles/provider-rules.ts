/** Owns the types in which a provider's rules are described. The rules themselves are data: `formats`, `backends`, `models`. */

/** Where a provider expects tool results. */
export type ResultPlacement =
  /** In separate messages, directly after the message with the calls. */
  | 'own-messages'
  /** As the first parts of the user turn after the calls; adjacent messages of the same role are one turn. */
  | 'next-turn'
  /** Like `next-turn`, but all in one message. */
  | 'next-message'
  /** As items, anywhere after the call. */
  | 'items-behind'
  /** As items, directly after the calls. */
  | 'items-adjacent';

/** What a provider requires of a transcript and of tool definitions. */
export interface ProviderRules {
  /** Where tool results must be. */
  readonly results: ResultPlacement;
  /** Form of a call id. `pattern`, `maxLength` and `exactLength` limit its text; `required`: a call without an id is refused. */
  readonly callId: {
    readonly pattern: RegExp | undefined;
    readonly maxLength: number;
    /** Exact number of letters and digits, if fixed. */
    readonly exactLength: number | undefined;
    /** Scope in which ids must be unique. */
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
  /** Texts must not be empty or blank. */
  readonly filledTexts: boolean;
  /** Assistant messages with calls must have a content. */
  readonly contentBesideCalls: boolean;
  /** Messages of the model must have a text or calls. */
  readonly filledAnswers: boolean;
  /** Fields that messages of the model must not have. */
  readonly unknownFields: readonly string[];
  /** Whether a message may have the role `developer`. */
  readonly developerRole: boolean;
  /** Form of the name of a message, and of one in a tool message; `undefined` if any is accepted. */
  readonly messageName: {
    readonly pattern: RegExp | undefined;
    readonly inResults: RegExp | undefined;
    /** Whether a legacy message with the role `function` must have one. */
    readonly required: boolean;
  };
  /** Types of content that a user message may have; `undefined` if others are accepted. */
  readonly contentTypes: readonly string[] | undefined;
  /** Types that a call may have; `undefined` if others are accepted. */
  readonly callTypes: readonly string[] | undefined;
  /** Contents of system, assistant and tool messages must be strings, not lists. */
  readonly textContents: boolean;
  /** The first message must be a user message. */
  readonly startsWithUser: boolean;
  /** The last message must be a user message. */
  readonly endsWithUser: boolean;
  /** An assistant message is required between tool results and a user message. */
  readonly bridgeBehindResults: boolean;
  /** Content allowed in the same turn as results. */
  readonly besideResults: 'anything' | 'texts-and-images' | 'nothing';
  /** Whether tool results may have a `status`. */
  readonly statusField: boolean;
  /** Tool blocks in the transcript require tool definitions. */
  readonly toolsForHistory: boolean;
  /** Calls of the current turn require thought signatures. */
  readonly signatures: boolean;
  /** With thinking on, every step of a turn must start with it, not only the first. */
  readonly thinkingEachStep: boolean;
  /** Thinking comes back with its signature or not at all. */
  readonly thinkingSigned: boolean;
  /** The model thinks unless the request says otherwise. */
  readonly thinksUnasked: boolean;
  /** Calls whose reasoning must be sent back while the model thinks: none, those since the last user message, or all. */
  readonly reasoningBack: 'none' | 'since-user' | 'all';
  /** The model produces reasoning items that its other items reference. */
  readonly reasoningItems: boolean;
  /** Schemas with top-level combinators are refused. */
  readonly plainSchemaRoot: boolean;
  /** Every tool must have a schema. */
  readonly schemaRequired: boolean;
}

/** Rules that override others. */
export type RuleOverrides = Partial<Omit<ProviderRules, 'callId' | 'toolName' | 'messageName'>> & {
  readonly callId?: Partial<ProviderRules['callId']>;
  readonly toolName?: Partial<ProviderRules['toolName']>;
  readonly messageName?: Partial<ProviderRules['messageName']>;
};
