/** Wraps a sentence at its spaces. */
import { type Cell, type Line, type Surface, cell, lineText, space, widthOf } from '../text/cell.ts';

export function wrapSentence(sentence: Cell, width: number, indent = 1): readonly Line[] {
  const room = Math.max(1, width - indent - 1);
  const lines: string[] = [];
  for (const word of sentence.text.split(/ +/u)) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf([cell(`${last} ${word}`)]) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => [space(indent), cell(line, sentence.tone)]);
}

/** The lines of a wrapped sentence as text. */
export function sentenceLines(sentence: string, surface: Surface, indent = 1): readonly string[] {
  return wrapSentence(cell(sentence), surface.width, indent).map((line) => lineText(line, surface));
}

/** Wraps a sentence after a prefix. Further lines align with the start of the sentence, or with the indent if there is little room. */
export function wrapHanging(prefix: Line, sentence: Cell, width: number, indent: number): readonly Line[] {
  const start = widthOf(prefix);
  if (start + widthOf([sentence]) <= width) return [[...prefix, sentence]];
  const below = start > width / 2 ? indent : start;
  const [first, ...rest] = wrapSentence(sentence, width, below);
  if (first === undefined) return [prefix];
  return below === start ? [[...prefix, ...first.slice(1)], ...rest] : [prefix, first, ...rest];
}
