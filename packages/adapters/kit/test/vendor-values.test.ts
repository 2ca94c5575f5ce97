/** Copies of what a framework has made, with changed fields. */
import { membersOf, shownDescription, withProperties } from '@holdfast/adapter-kit';
import { describe, expect, it } from 'vitest';

const mark = Symbol('mark');

class Weather {
  readonly #unit = 'C';
  description = 'Weather.';
  readonly [mark] = true;

  get unit(): string {
    return this.#unit;
  }

  measure(degrees: number): string {
    return `${degrees} ${this.#unit}`;
  }
}

class Storm extends Weather {
  override measure(degrees: number): string {
    return `storm, ${super.measure(degrees)}`;
  }
}

describe('a copy', () => {
  it('keeps getters and symbols, and has the changes', () => {
    let reads = 0;
    const given = {
      name: 'a',
      [mark]: 1,
      get lazy() {
        return (reads += 1);
      },
    };
    const copy = withProperties(given, { name: 'b' });
    expect(reads).toBe(0);
    expect(copy).toMatchObject({ name: 'b', lazy: 1, [mark]: 1 });
    expect(given.name).toBe('a');
  });

  it('of a class runs its members on the object itself, which has the private fields', () => {
    const copy = withProperties<Weather>(new Storm(), { description: 'Changed.' });
    expect(copy).toBeInstanceOf(Storm);
    expect([copy.unit, copy.measure(5), copy.description, copy[mark]]).toEqual(['C', 'storm, 5 C', 'Changed.', true]);
    expect(Object.keys(copy)).toEqual(Object.keys(new Storm()));
  });
});

it('members of a base class can be left to the copy', () => {
  expect(Object.keys(membersOf(new Storm(), (prototype) => prototype === Weather.prototype))).toEqual(['measure']);
  expect(membersOf({ a: 1 })).toEqual({});
  expect(membersOf(Object.create(null) as object)).toEqual({});
});

it('shows the description of a tool with its state, also one that a program has replaced', () => {
  let state = 'up';
  const tool = { description: 'Weather.' };
  const shown = withProperties(
    tool,
    shownDescription(tool, (own) => `${own} (${state})`),
  );
  state = 'down';
  expect(shown.description).toBe('Weather. (down)');
  shown.description = 'Rain.';
  expect(shown.description).toBe('Rain. (down)');
  expect(tool.description).toBe('Weather.');
});
