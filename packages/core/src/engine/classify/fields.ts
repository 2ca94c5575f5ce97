/**
 * Owns which fields of an error are read, by their names, and how each is interpreted. Does not own reading them (`evidence.ts`).
 */
import { keysOf, prototypeOf } from './reading.ts';

/** What a field may hold: bits, since one name may mean several things, depending on the type of its value. */
export const holds = {
  status: 1,
  /** Always a code. */
  code: 2,
  /** A code as a bare number. */
  number: 4,
  /** A code, or text that only looks like one. */
  word: 8,
  text: 16,
  headers: 32,
  wait: 64,
  opinion: 128,
  /** Another part of the same response, or an error. */
  part: 256,
  /** An error, whatever its shape. */
  cause: 512,
  /** A list of grouped errors. */
  list: 1024,
  mark: 2048,
  /** An error if it looks like one, as clients return `{ error: { status, value } }`. */
  maybe: 4096,
} as const;

const forms: readonly (readonly [held: number, name: RegExp])[] = [
  [holds.status, /^(?:http|response)?_?status_?(?:code)?$/i],
  [holds.code, /^(?:(?:err|error_?|original|fault_?|text)?code(?:name)?|server_?response_?code|error_?name|sqlstate|__type)$/i],
  [holds.number, /^(?:(?:err|error_?|response)?code|number|smtp)$/i],
  [holds.word, /^(?:error|errno|kind|(?:err(?:or)?_?)?type|condition|reason|status|rawtype|level|\.tag|error_summary)$/i],
  [holds.text, /^(?:(?:err|error_?|sql|short)?(?:msg|message)|(?:error_)?description|details?|title|text|stderr)$/i],
  [holds.headers, /^(?:(?:response|parsed)?headers|metadata|trailers)$/i],
  [holds.wait, /^(?:retry_?(?:after|delay)|msbeforenext$|timetoreset$)/i],
  [holds.opinion, /^(?:\$?(?:is_?|non_?)?retr[iy]able|(?:is)?transient|temporary|permanent)$/i],
  [
    holds.part,
    /err(?:or)?$|^error|exception|response(?:info)?$|details?$|body$|content$|^(?:_?data|\$metadata|output|meta|raw|json|extensions|http|payload|res|result|parameters|message|text|responsetext|description|cancellationreasons)$/i,
  ],
  [
    holds.cause,
    /cause$|^(?:original|inner|last|driver|network)_?error$|^(?:inner|original|err|reason|parent|detail|previous|exception|suppressed|context|info)$/i,
  ],
  [holds.list, /errors$|^(?:failures|rejections|replies)$/i],
  [holds.maybe, /^value$/i],
  [
    holds.mark,
    /^(?:spawnargs|cmd|command|escapedCommand|exitCode|signal(?:Code)?|timedOut|isCanceled|isMaxBuffer|\$fault|\$metadata|issues|isJoi|schemaPath|metadata|details|syscall|connect|event|timeoutType|beforeHandshake|killed|ambiguous)$/,
  ],
];

const nameLimit = 40;
const knownLimit = 1000;
const known = /* @__PURE__ */ new Map<PropertyKey, number>();

/** What a field of this name may hold, in bits. */
export function heldBy(key: PropertyKey): number {
  if (typeof key !== 'string' || key.length > nameLimit) return 0;
  let held = known.get(key);
  if (held === undefined) {
    held = 0;
    for (const [kind, name] of forms) if (name.test(key)) held |= kind;
    if (known.size >= knownLimit) known.clear();
    known.set(key, held);
  }
  return held;
}

const inherited = /* @__PURE__ */ new WeakMap<object, readonly PropertyKey[]>();
const classesLimit = 12;

/** The fields that an object inherits from its classes: their getters are read too. */
export function inheritedFields(value: object, depth = 0): readonly PropertyKey[] {
  const prototype = prototypeOf(value);
  if (prototype === null || depth > classesLimit) return [];
  let fields = inherited.get(prototype);
  if (fields === undefined) {
    const own = keysOf(prototype);
    const isRoot = own.includes('hasOwnProperty');
    fields = isRoot ? [] : [...own.filter((key) => key !== 'message' && heldBy(key) > 0), ...inheritedFields(prototype, depth + 1)];
    inherited.set(prototype, fields);
  }
  return fields;
}
