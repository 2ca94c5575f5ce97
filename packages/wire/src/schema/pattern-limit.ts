/**
 * Owns how long a string may be so that a pattern is checked in a few milliseconds. JavaScript's engine tries one way after the other, so that
 * some patterns take years for 40 characters.
 *
 * Invariants
 * 1. The limit is never too high; where it is not certain how a string is split, the worst case is assumed.
 * 2. Takes time linear in the length of the pattern, for each level of nesting.
 */

type Group = readonly (readonly Piece[])[];

/** A piece of a pattern with its repetition. */
interface Piece {
  /** What matches one character; undefined for groups, and for what matches none, such as `^`. */
  readonly one?: string;
  /** The alternatives of a group. */
  readonly group?: Group;
  readonly isStart?: boolean;
  min: number;
  max: number;
}

/** Ways to match that the engine may try for one string. */
const maxWays = 1e6;
/** Where the number of ways may double with each character. */
const shortLimit = 8;
/** More repetitions count as any number. */
const few = 4;
const maxLength = 2000;
/** What a choice costs, in degrees of the length. */
const choice = 0.3;

/**
 * The longest string for which a pattern is certain to end soon; Infinity if its time is proportional to the length.
 * @param pattern one that compiles with the flag `u`
 */
export function lengthLimit(pattern: string): number {
  if (pattern.length > maxLength || pattern.includes('(?i')) return shortLimit;
  const whole = new Reader(pattern).alternatives();
  const isAnchored = whole.every(([first]) => first?.isStart === true);
  const degree =
    Math.max(...whole.map((sequence) => degreeOf(sequence, undefined))) + (isAnchored || !whole.some(hasInnerRepetition) ? 1 : 2);
  if (degree === 1) return Infinity;
  let ways = maxWays;
  for (let each = 2; each <= degree && ways < 1e12; each += 1) ways *= each;
  return Math.max(shortLimit, Math.floor(ways ** (1 / degree)));
}

class Reader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  alternatives(): Group {
    const sequences: Piece[][] = [[]];
    for (let char = this.#pattern[this.#at]; char !== undefined && char !== ')'; char = this.#pattern[this.#at]) {
      if (char === '|') {
        this.#at += 1;
        sequences.push([]);
      } else sequences.at(-1)?.push(this.#piece(char));
    }
    return sequences;
  }

  #piece(char: string): Piece {
    const piece = char === '(' ? this.#group() : this.#atom();
    const repetition = this.#take(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y);
    if (!repetition) return piece;
    const [text, least = '0', comma, most = ''] = repetition;
    if (comma === undefined) {
      piece.min = text.startsWith('+') ? 1 : 0;
      piece.max = text.startsWith('?') ? 1 : Infinity;
    } else {
      piece.min = Number(least);
      piece.max = most === '' ? (comma === '' ? piece.min : Infinity) : Number(most);
    }
    return piece;
  }

  #group(): Piece {
    this.#take(/\((?:\?(?:<?[=!]|<[^>]*>|[\w-]*:))?/y);
    const group = this.alternatives();
    this.#at += 1;
    return { group, min: 1, max: 1 };
  }

  #atom(): Piece {
    const empty = this.#take(/\^|\$|\\[bB]/y);
    if (empty) return { isStart: empty[0] === '^', min: 1, max: 1 };
    const [one = ''] = this.#take(/\[(?:[^\]\\]|\\.)*\]|\\(?:[pPu]\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|c.|k<[^>]*>|[1-9]\d*|.)|./isuy) ?? [];
    // A reference matches several characters.
    return /^\\[1-9k]/.test(one) ? { group: [[{ one: '[^]', min: 0, max: Infinity }]], min: 1, max: 1 } : { one, min: 1, max: 1 };
  }

  #take(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at;
    const found = form.exec(this.#pattern);
    if (found) this.#at = form.lastIndex;
    return found;
  }
}

/** Whether something repeats and something else follows, so that the engine tries each start and each length. */
const hasInnerRepetition = (sequence: readonly Piece[]): boolean =>
  sequence.some((piece, index) => (piece.max > few || piece.group?.some(repeats) === true) && index < sequence.length - 1) ||
  sequence.some(({ group, max }) => group !== undefined && (max > 1 || group.some(hasInnerRepetition)));

const repeats = (sequence: readonly Piece[]): boolean => sequence.some(({ group, max }) => max > few || group?.some(repeats) === true);

/** How many ends of repetitions the engine may have to move, each over the whole string; Infinity if the number grows with the string. */
function degreeOf(sequence: readonly Piece[], after: Piece | undefined): number {
  let degree = 0;
  sequence.forEach((piece, index) => {
    const { one, group, min, max } = piece;
    const next = sequence[index + 1] ?? after;
    if (one !== undefined) degree += max > min && mayContinue(one, next) ? (max > few ? 1 : choice * (max - min)) : 0;
    else if (group && max <= 1) degree += choicesIn(group, min) + Math.max(...group.map((each) => degreeOf(each, next)));
    else if (group) degree += degreeOfRepeated(group, piece, next);
  });
  return degree;
}

/** The cost of alternatives that may begin alike, and of a group that may be left out. */
const choicesIn = (group: Group, min: number): number => choice * ((startDifferently(group) ? 0 : group.length - 1) + (min === 0 ? 1 : 0));

/** Whether the character that ends a repetition could also be one of it. */
function mayContinue(one: string, next: Piece | undefined): boolean {
  if (next === undefined || (next.one === undefined && !next.group)) return false;
  return next.min === 0 || next.one === undefined || meet(one, next.one);
}

/** A group that repeats: its rounds must be told from each other, and each must match in one way, or the ways multiply. */
function degreeOfRepeated(group: Group, { max }: Piece, next: Piece | undefined): number {
  if (max <= few) return max * (choicesIn(group, 0) + Math.max(...group.map((each) => degreeOf(each, anything))));
  const [only = [], ...others] = group;
  if (others.length > 0) return startDifferently(group) && group.every(hasFixedLength) ? 1 : Infinity;
  if (hasFixedLength(only)) return only.length === 1 && !mayContinue(only[0]?.one ?? '', next) ? 0 : 1;
  const first = only[0];
  const mark = [first, only.at(-1)].find((piece) => piece && isMark(piece, only));
  return mark && degreeOf(only, mark === first ? first : undefined) === 0 ? 1 : Infinity;
}

const anything: Piece = { one: '[^]', min: 1, max: 1 };

/** Whether a piece is one character that no other piece of a round can be. */
function isMark(piece: Piece, round: readonly Piece[]): boolean {
  const { one } = piece;
  if (one === undefined || piece.min !== 1 || piece.max !== 1) return false;
  return round.every((other) => other === piece || piecesIn(other).every((inner) => inner.one === undefined || !meet(one, inner.one)));
}

const piecesIn = (piece: Piece): readonly Piece[] => (piece.group ? piece.group.flat().flatMap(piecesIn) : [piece]);

const hasFixedLength = (sequence: readonly Piece[]): boolean =>
  sequence.length > 0 && sequence.every(({ one, min, max }) => one !== undefined && min === max && min > 0);

/** Whether the first character tells which of the alternatives is meant. */
const startDifferently = (group: Group): boolean =>
  group.every(([piece], index) => group.slice(0, index).every(([other]) => isOne(piece) && isOne(other) && !meet(piece.one, other.one)));

const isOne = (piece: Piece | undefined): piece is Piece & { readonly one: string } => piece?.one !== undefined && piece.min > 0;

/** Whether two pieces may match the same character; assumed unless one of them is a single character. */
function meet(one: string, other: string): boolean {
  const [letter, set] = isLetter(one) ? [one, other] : [other, one];
  return !isLetter(letter) || new RegExp(`^${set}$`, 'su').test(letter.replace(/^\\/, ''));
}

const isLetter = (one: string): boolean => /^(?:\\[^\w]|[^.[\\])$/su.test(one);
