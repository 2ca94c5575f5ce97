/**
 * Owns a binary heap whose entries know their positions, so that any of them can be removed. Knows nothing of the entries.
 *
 * 1. The first entry of the array precedes all others.
 * 2. Adding and removing are O(log n), and O(1) for entries that are added in order and removed from the end.
 */
export interface HeapEntry {
  /** Position in the heap, -1 when it is not in it. Written by this file alone. */
  index: number;
}

type Before<Entry> = (one: Entry, other: Entry) => boolean;

export function addToHeap<Entry extends HeapEntry>(heap: Entry[], entry: Entry, before: Before<Entry>): void {
  heap.push(entry);
  rise(heap, entry, heap.length - 1, before);
}

/** Removes an entry that is in the heap. */
export function removeFromHeap<Entry extends HeapEntry>(heap: Entry[], entry: Entry, before: Before<Entry>): void {
  const { index } = entry;
  const last = heap.pop() as Entry;
  entry.index = -1;
  if (last === entry) return;
  rise(heap, last, index, before);
  sink(heap, last, last.index, before);
}

function rise<Entry extends HeapEntry>(heap: Entry[], entry: Entry, from: number, before: Before<Entry>): void {
  let index = from;
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above] as Entry;
    if (!before(entry, parent)) break;
    place(heap, parent, index);
    index = above;
  }
  place(heap, entry, index);
}

function sink<Entry extends HeapEntry>(heap: Entry[], entry: Entry, from: number, before: Before<Entry>): void {
  let index = from;
  for (;;) {
    let child = heap[2 * index + 1];
    if (!child) break;
    const right = heap[2 * index + 2];
    if (right && before(right, child)) child = right;
    if (!before(child, entry)) break;
    const below = child.index;
    place(heap, child, index);
    index = below;
  }
  place(heap, entry, index);
}

function place<Entry extends HeapEntry>(heap: Entry[], entry: Entry, index: number): void {
  heap[index] = entry;
  entry.index = index;
}
