/** Owns the planted secrets, which must not appear in any trace. */
export const planted: readonly string[] = ['hunter2-4711-zebra', 'kR9vTq2LmXw8ZpB4nY7c', 'swordfish-0815'];

export const secretArguments: Readonly<Record<string, unknown>> = {
  password: planted[0],
  headers: { authorization: `Bearer ${planted[1]}` },
  note: `see https://reader:${planted[2]}@files.example/list`,
};

export const secretMessage: string = `401 for https://reader:${planted[2]}@files.example with Authorization: Bearer ${planted[1]}`;
